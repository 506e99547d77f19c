"""Checks what a stage's handout says of its grader, and the commands and links of any page."""

import json
import re
import shlex

from published import ROOT

_QUOTE = re.compile(r'"([^"]+)"')
_OF_THE_SCRIPT = {"test"}  # commands that the script lab carries out itself


def check_commands(page):
    """Checks that every command of lab exists and has the options that the page gives it, and that
    calls can be profiled."""
    for command, offset in page.commands():
        words = shlex.split(command, comments=True)
        if not words or words[0] in _OF_THE_SCRIPT:
            continue
        if words[0] == "profile" and "--call" in words:
            status, text, _ = page.tilewise.profiled(command)
            if status != 0:
                page.problem(offset, f"./lab {command} ends with {status}: {text.strip()}")
            continue
        names = words[:2] if words[0] == "cohort" else words[:1]
        status, text = page.tilewise.run(*names, "--help")
        if status != 0:
            page.problem(offset, f"there is no command ./lab {' '.join(names)}")
        for word in words:
            if word.startswith("--") and word.partition("=")[0] not in text:
                page.problem(offset, f"./lab {' '.join(names)} has no option {word}")


def check_links(page):
    """Checks that the files exist that the page links to, or shows."""
    folder = (ROOT / page.path).parent
    code = re.compile(r"^```[^`]*^```$|^ {4}.*$", re.MULTILINE)
    text = code.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), page.text)
    for link in re.finditer(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in link[1] and not (folder / link[1]).exists():
            page.problem(link.start(1), f"there is no {link[1]}")


def check_stage(page, stage):
    """Compares the tables of pitfalls and of points with the known mistakes and the rubric."""
    _check_pitfalls(page, stage)
    _check_points(page, stage)


def _headers(stage):
    """Yields the patch of each known mistake, and the "Name: value" lines before its diff, as
    {name: values}."""
    for patch in sorted((ROOT / "grading" / "stages" / stage / "mistakes").glob("*.patch")):
        fields = {}
        for line in patch.read_text(encoding="utf-8").split("\n--- ")[0].splitlines():
            name, colon, value = line.partition(": ")
            if colon:
                fields.setdefault(name, []).append(value)
        yield patch, fields


def _check_pitfalls(page, stage):
    """Checks that each row quotes what the grader says of a mistake of that row; mistakes_test
    tests that the grader does say so."""
    rows = page.rows("| mistake | what the grader says |")
    said = {}
    for patch, fields in _headers(stage):
        for row in fields.get("Pitfall", []):
            if row not in [each.first for each in rows]:
                page.problem(0, f"{patch.name} is for the pitfall '{row}', which is not here")
            said.setdefault(row, []).extend(fields["Says"])
    for row in rows:
        start, end = row.place("what the grader says")
        page.vouch(*row.place("mistake"))
        quotes = list(_QUOTE.finditer(page.text, start, end))
        if row.first in page.pitfalls_unheard:
            page.vouch(start, end)
            continue
        if row.first not in said:
            page.problem(start, f"no patch in grading/stages/{stage}/mistakes has a line 'Pitfall: "
                                f"{row.first}'")
            continue
        if not quotes:
            page.problem(start, f"the row '{row.first}' quotes nothing")
        for quote in quotes:
            page.vouch(*quote.span())
            if not any(quote[1] in each for each in said[row.first]):
                page.problem(start, f"no mistake of the row '{row.first}' Says: {quote[1]}")


def _check_points(page, stage):
    """Checks that every test of the rubric has a row, and that each row has the right points."""
    drawer = ROOT / "grading" / "stages" / stage
    rubric = json.loads((drawer / "stage.json").read_text(encoding="utf-8"))["tests"]
    left = {test["test"]: test["points"] for test in rubric}
    for row in page.rows("| test | what it looks at | points |"):
        named = [test for test in left if test == row.first or test.endswith("." + row.first)]
        points = sum(left.pop(test) for test in named)
        if not named or str(points) != row["points"]:
            page.problem(row.place("points")[0], f"the rubric gives {row.first} {points} points")
    for test in left:
        page.problem(0, f"the table of points lacks {test}")
    if f"{sum(test['points'] for test in rubric)} points." not in page.text:
        page.problem(0, "the handout does not say how many points there are")
