#!/usr/bin/env python3
"""Draws the figures of the handouts again: draw_figures.py build/simt/bin/tilewise

The "figures" of each stage.json list them: a file in labs/NN_topic/figures, and the options with
which `lab trace`, or for a roofline `lab profile`, draws it.
"""
import json
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
tilewise = pathlib.Path(sys.argv[1]).resolve()
for stage in sorted((root / "grading" / "stages").glob("*/stage.json")):
    for figure in json.loads(stage.read_text(encoding="utf-8")).get("figures", []):
        folder = root / "labs" / stage.parent.name / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        command, plot = ("profile", "--plot") if "profile" in figure else ("trace", "--figure")
        # Without nvcc the registers are estimated, so all machines draw the same.
        subprocess.run([tilewise, command, stage.parent.name, *figure[command], plot, folder / figure["file"]],
                       cwd=root, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CUDACXX": "/bin/false", "TILEWISE_LANGUAGE": "en"})
        print(folder / figure["file"])
