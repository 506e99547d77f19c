"""docs/sources.md, and the lines "Source:" of the handouts, which refer to it."""

import re

from published import ROOT

PATH = "docs/sources.md"


def check(page):
    documents = set(re.findall(r"^### (\w+)$", page.text, re.MULTILINE))
    named = set()
    for handout in sorted(ROOT.glob("labs/*/README.md")):
        text = handout.read_text(encoding="utf-8")
        source = re.search(r"^Sources?: (.*)$", text, re.MULTILINE)
        if not source:
            page.problem(0, f"{handout.parent.name} names no source")
            continue
        of_stage = set(re.findall(r"\b[a-z]+20\d\d\b", source[1]))
        if not of_stage or "../../docs/sources.md" not in source[1]:
            page.problem(0, f"{handout.parent.name} does not say which of these it has")
        named |= of_stage
        for document in set(re.findall(r"\b[a-z]+20\d\d\b", text)) - documents:
            page.problem(0, f"{handout.parent.name} names {document}, which is not here")
    for document in documents - named:
        page.problem(page.text.index("### " + document), f"no stage has {document} for its source")
    rows = (ROOT / "common/theory/testdata/put2025_gtx1080_rx_ry.csv").read_text(encoding="utf-8")
    page.figures("34", len(rows.splitlines()) - 1)
    page.given("2009 2010 2014 2020 2022 2025", "years")
    page.given("128", "the leaf of the reference solution's recursion")
