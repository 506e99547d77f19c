"""Checks docs/sources.md, and the lines "Source:" of the handouts, which refer to it."""

import re
import shlex

import arithmetic
from published import ROOT

PATH = "docs/sources.md"

# This is the last stage that is based on the five documents. Later stages have sources of their
# own, which their handouts name.
LAST_OF_THE_DOCUMENTS = "09"


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
        of_the_documents = handout.parent.name[:2] <= LAST_OF_THE_DOCUMENTS
        if of_the_documents and not of_stage or "../../docs/sources.md" not in source[1]:
            page.problem(0, f"{handout.parent.name} does not say which of these it has")
        named |= of_stage
        for document in set(re.findall(r"\b[a-z]+20\d\d\b", text)) - documents:
            page.problem(0, f"{handout.parent.name} names {document}, which is not here")
    for document in documents - named:
        page.problem(page.text.index("### " + document), f"no stage has {document} for its source")
    for document in documents:
        _check_items(page, document)
    # documents_test compares these numbers with the tables.
    for row in page.rows("| document | items |"):
        page.vouch(*row.place("items"))
        page.vouch(*row.place("works"))
    rows = (ROOT / "common/model/testdata/put2025_gtx1080_rx_ry.csv").read_text(encoding="utf-8")
    page.figures("34", len(rows.splitlines()) - 1)
    page.given("2009 2010 2014 2020 2022 2025", "years")
    page.given("128", "the leaf of the reference solution's recursion")


def _check_items(page, document):
    """Checks that commands print the figures that stand before them; documents_test checks all
    others."""
    rows = page.rows(f"| item of {document} |")
    if not rows:
        page.problem(page.text.index("### " + document), f"{document} has no table")
    for row in rows:
        page.vouch(*row.place("published"))
        page.vouch(*row.place("ours"))
        for command in re.finditer(r"`\./lab ((?:profile|occupancy) [^`]*)`", row["ours"]):
            before = re.split(r"`[^`]*`|\]\([^)]*\)", row["ours"][:command.start()])[-1]
            if command[1].startswith("profile"):
                printed = "\n".join(page.tilewise.printed(command[1]))
            else:
                printed = page.tilewise.run(*shlex.split(command[1]))[1]
            there = {match[0] for match in arithmetic.NUMBER.finditer(printed)}
            figures = re.sub(r"\bn = [\d,]+", "", before)
            for figure in arithmetic.NUMBER.finditer(figures):
                if figure[0] not in there:
                    page.problem(row.place("ours")[0],
                                 f"'{command[1]}' does not print {figure[0]}")
