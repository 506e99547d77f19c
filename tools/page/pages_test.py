#!/usr/bin/env python3
"""Tests pages in a real Chromium: pages_test.py BIN/tilewise SCREENSHOT_FOLDER

They are those for which no right kernel has to run: the worklog, a class's leaderboard and
gradebook, and the figures of the handouts. The test exits with 77 if Chromium, its driver or
Selenium is missing.
"""
import html
import json
import os
import re
import shutil
import unittest.mock

import browser
from browser import COURSE, tilewise

STAGE = "03_shared_memory"
TEST = "MatmulShared.ReachesMinimumGflops"


def result(gflops):
    test = {"name": TEST, "category": "performance", "status": "passed", "score": 10, "max_score": 10, "message": "",
            "hint": "", "file": "", "line": 0, "measurements": {"gflops": gflops}}
    stage = {"id": STAGE, "score": 10, "max_score": 10, "status": "passed", "tests": [test]}
    return {"schema": "tilewise/result/v1", "backend": "simt", "device": "gtx1080 (modelled)", "score": 10,
            "max_score": 10, "stages": [stage]}


def write_worklog(folder):
    """Makes a course whose worklog has some gradings, and a damaged line."""
    folder.mkdir()
    for part in ("lab", "labs", "grading", "solutions", "tools", "common", "docs"):
        (folder / part).symlink_to(COURSE / part)
    lines = ["damaged"]
    for i, rate in enumerate((0, 700, 994.04)):
        diff = "@@ -1 +1 @@\n-" + "a long line of <code> " * 6 + "\n+short\n" if i else ""
        lines.append(json.dumps({
            "schema": "tilewise/worklog/v1", "time": f"2026-11-2{i}T07:30:00Z", "stage": STAGE,
            "changes": [{"file": "matmul_shared.cu", "added": 1, "removed": 1, "diff": diff}] if i < 2 else [],
            "status": "passed" if rate else "failed", "score": 10 if rate else 3, "max_score": 10,
            "message": "" if rate else "C[16][3] is 0, expected 1.5", "device": "gtx1080 (modelled)",
            "rates": {TEST: {"gflops": rate}} if rate else {}}))
    (folder / "worklog.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_cohort(folder):
    """Writes what lab cohort grade leaves of two students who want to be shown."""
    for part in ("results", "feedback", "seconds"):
        (folder / part).mkdir(parents=True)
    (folder / "cohort.json").write_text(json.dumps({
        "schema": "tilewise/cohort/v1", "stages": [STAGE], "backend": "simt", "gpu": "gtx1080", "seed": "17"}))
    for name, rate in (("anna", 994.04), ("bernd", 700)):
        labs = folder / "submissions" / name / "labs" / STAGE
        labs.mkdir(parents=True)
        (labs / "matmul_shared.cu").write_text(f"// leaderboard: The <{name[0]}>\n")
        (folder / "results" / f"{name}.json").write_text(json.dumps(result(rate)))


def write_gradebook(folder):
    """Grades a skeleton, which fails, and submissions in which no kernel can be found. Returns the
    page of the gradebook, and the page of a term that contains only this gradebook."""
    submissions = folder / "handed in"
    shutil.copytree(COURSE / "labs/01_single_block", submissions / "carla/labs/01_single_block")
    (submissions / "anna.pdf").write_text("%PDF-1.4")
    (submissions / "bernd.zip").write_bytes(b"PK\5\6" + 18 * b"\0")
    tilewise("cohort", "grade", submissions, "1", "--out", folder / "graded", "--backend", "simt", may_fail=True)
    tilewise("cohort", "merge", folder / "term", folder / "graded")
    return folder / "graded" / "gradebook.html", folder / "term" / "term.html"


def write_figures(page):
    """Writes a page with all figures of all handouts."""
    figures = []
    for file in sorted((COURSE / "labs").glob("*/figures/*.svg")):
        figures.append(f"<h2>{html.escape(str(file.relative_to(COURSE)))}</h2>{file.read_text(encoding='utf-8')}")
    page.write_text("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
                    "<link rel=icon href=data:,><title>Figures</title><style>h2 { overflow-wrap: anywhere } svg { max-width: 100%; height: auto }</style>"
                    f"<main><h1>Figures</h1>{''.join(figures)}</main></html>", encoding="utf-8")


class PagesTest(browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = {name: cls.folder / f"{name}.html" for name in ("worklog", "leaderboard", "figures")}
        write_worklog(cls.folder / "course")
        with unittest.mock.patch.dict(os.environ, TILEWISE_ROOT=str(cls.folder / "course")):
            tilewise("worklog", "--html", cls.pages["worklog"])
        write_cohort(cls.folder / "graded")
        tilewise("cohort", "leaderboard", cls.folder / "graded", "--html", cls.pages["leaderboard"])
        cls.pages["gradebook"], cls.pages["term"] = write_gradebook(cls.folder / "cohort")
        write_figures(cls.pages["figures"])

    def test_axe_finds_nothing(self):
        for page in self.pages:
            for name in self.on_every_screen(page):
                for panel in self.all("summary"):
                    panel.click()
                self.expect_nothing_of_axe(name)
                self.expect_no_sideways_scrolling(name)
            self.picture(page)

    def test_need_no_mouse(self):
        for page in ("worklog", "leaderboard", "gradebook", "term"):
            self.expect_keys_to_reach_everything(page)
            self.expect_stillness(page)

    def test_have_room_for_large_letters(self):
        for page in ("worklog", "leaderboard", "gradebook", "term"):
            self.expect_room_for_large_letters(page)

    def test_gradebook_sorts_by_its_headings(self):
        self.open("gradebook")

        def sorted_by(heading):
            buttons = {button.text.split()[0]: button for button in self.all("[aria-label=Students] th button")}
            buttons[heading].click()
            return [row.text for row in self.all("[aria-label=Students] tbody th")]

        self.assertEqual(sorted_by("Name"), ["anna.pdf", "bernd", "carla"])
        self.assertEqual(sorted_by("Name"), ["carla", "bernd", "anna.pdf"])
        self.assertEqual(sorted_by("Points")[0], "carla", "0 points come before none")
        self.assertEqual(self.find("th[aria-sort]").get_attribute("aria-sort"), "ascending")

    def test_worklog_tells_each_grading(self):
        self.open("worklog")
        self.assertIn("1 line of the log could not be read", self.find("header").text)
        self.assertEqual([row.text.split()[0] for row in self.all("tbody tr")], ["1", "2", "3"])
        self.find("details summary").click()
        self.assertIn("+short", self.find("details pre").text)
        self.assertEqual(self.count("figure .at"), 2, "gradings with a rate")

    def test_leaderboard_has_the_fastest_first(self):
        self.open("leaderboard")
        self.assertEqual([row.text for row in self.all("tbody tr")], ["The <a> 1 994.0", "The <b> 2 700.0"])
        self.assertNotIn("anna", self.find("main").text)

    def test_figures_are_told_to_those_who_cannot_see_them(self):
        for file in (COURSE / "labs").glob("*/figures/*.svg"):
            self.assertRegex(file.read_text(encoding="utf-8"), re.compile(r"^<svg[^>]* role=\"img\".*?>\s*<title>[^<]{20,}", re.S),
                             str(file))


if __name__ == "__main__":
    browser.main()
