"""Checks docs/first-hour.md by doing what it says: puts its code into the skeleton, and runs its
commands."""

import pathlib
import re
import tempfile

from published import ROOT, gpu

PATH = "docs/first-hour.md"
FILE = pathlib.Path("labs/01_single_block/matmul_single_block.cu")
CALL = "matmul_single_block(n=128, block=32x8)"
TODO = re.compile(r"^ *// TODO\(lab\).*$", re.MULTILINE)


def check(page):
    skeleton = (ROOT / FILE).read_text(encoding="utf-8")
    todo, one_tile, walk = re.findall(r"^```cpp\n(.*?)\n```$", page.text, re.MULTILINE | re.DOTALL)
    if TODO.search(skeleton)[0] != todo:
        page.problem(page.text.index(todo), "the skeleton has another TODO")

    for code, line in ((todo, "no element of C was ever written."),
                       (one_tile, "wrong: only the first 16x16 tile is right."),
                       (walk, "passed         1/1  MatmulSingleBlock.RefusesBadArguments")):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / FILE
            file.parent.mkdir(parents=True)
            file.write_text(TODO.sub(lambda _, code=code: code, skeleton), encoding="utf-8")
            _, text = page.tilewise.run("grade", "1", "--seed", "1", "--backend", "simt",
                                        "--submission", folder)
            page.shows(line, text, "grade")
            if code == walk:
                _check_profiles(page, folder, file)
    page.figures("256 1024", 16 * 16, 32 * 32)
    page.figures("20", gpu("gtx1080")["sms"])


def _check_profiles(page, folder, file):
    """Checks profiles of the finished kernel, and of the same kernel with x and y exchanged."""
    profile = ("profile", "1", "--call", CALL, "--submission", folder)
    _, text = page.tilewise.run(*profile)
    page.shows("global loads               131,072           327,680", text, "profile")

    exchanged = re.sub(r"(threadIdx|blockDim)\.([xy])",
                       lambda match: f"{match[1]}.{'y' if match[2] == 'x' else 'x'}",
                       file.read_text(encoding="utf-8"))
    file.write_text(exchanged, encoding="utf-8")
    # run() remembers its answers. With the option this is another call than the one above.
    _, text = page.tilewise.run(*profile, "--gpu", "gtx1080")
    sectors = int(re.search(r"global loads +[\d,]+ +([\d,]+)", text)[1].replace(",", ""))
    if round(sectors / 327680) not in (6, 7):
        page.problem(page.text.index("factor of six to seven"), f"{sectors} sectors")
