#!/usr/bin/env python3
"""Checks that no figure and no command of a page is stale.

    check.py --tilewise build/simt/bin/tilewise [PAGE...]

The checks of a page are a file of Python with a function check(page): handout.py in a stage's
drawer, or checks/PAGE.py. They say where each figure comes from: arithmetic, a counter of the
simulator, a published document, a measurement, a grader. If nothing checks a figure that has a
decimal point, or at least three digits, this is a problem, too.
"""

import argparse
import importlib.util
import pathlib
import sys

import stages
from page import Page
from program import Tilewise
from published import ROOT

CHECKS = pathlib.Path(__file__).resolve().parent / "checks"
DRAWERS = ROOT / "grading" / "stages"


def pages_with_checks():
    """Returns the files with checks, by the pages' names: 03_shared_memory, first_hour, ..."""
    found = {file.parent.name: file for file in DRAWERS.glob("*/handout.py")}
    found.update({file.stem: file for file in CHECKS.glob("*.py")})
    return dict(sorted(found.items()))


def checks_of(name):
    """Loads the module with a page's checks."""
    file = pages_with_checks()[name]
    spec = importlib.util.spec_from_file_location("checks_" + name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems_of(name, tilewise):
    """Returns what is wrong with a page."""
    module = checks_of(name)
    page = Page(getattr(module, "PATH", f"labs/{name}/README.md"), tilewise)
    module.check(page)
    stages.check_commands(page)
    stages.check_links(page)
    if page.path.startswith("labs/"):
        stages.check_stage(page, name)
    return page.problems()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewise", required=True, help="the program tilewise")
    parser.add_argument("pages", nargs="*", help="all, if none is named")
    arguments = parser.parse_args()
    tilewise = Tilewise(arguments.tilewise, ROOT)
    pages = arguments.pages or pages_with_checks()
    problems = [problem for name in pages for problem in problems_of(name, tilewise)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
