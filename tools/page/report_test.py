#!/usr/bin/env python3
"""Tests the laboratory report in a real Chromium: report_test.py BIN/tilewise SCREENSHOT_FOLDER

It exits with 77 if Chromium, its driver or Selenium is missing.
"""
import json
import re

import browser
from browser import By, Keys, tilewise


LINES = "svg.plot .chart > g[class^=c]"


class ReportTest(browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        figures = cls.folder / "bench.json"
        tilewise("bench", "3", "6", "--solutions", "--backend", "simt", "--n", "128,256", "--json", figures)
        cls.rows = json.loads(figures.read_text(encoding="utf-8"))["rows"]
        cls.pages["report"] = cls.folder / "report.html"
        tilewise("report", "--measurements", figures, "--output", cls.pages["report"])

    def figure_of(self, caption):
        return next(one for one in self.all("figure") if caption in one.find_element(By.TAG_NAME, "figcaption").text)

    def visible(self, figure, selector):
        return [one for one in figure.find_elements(By.CSS_SELECTOR, selector) if one.is_displayed()]

    def rate_of(self, block, n):
        return next(row["rate"] for row in self.rows if row["function"] == "matmul_shared"
                    and row["block"] == block and row["n"] == n and row["contender"] == "solution")

    def test_looks_right_on_every_screen(self):
        backgrounds = set()
        for name in self.on_every_screen("report"):
            self.expect_no_sideways_scrolling(name)
            backgrounds.add(self.browser.execute_script("return getComputedStyle(document.querySelector('main')).backgroundColor"))
            chart = self.find("figure")
            self.browser.execute_script("arguments[0].scrollIntoView()", chart)
            self.picture(name)
            smallest = self.browser.execute_script("""
                return Math.min(...[...document.querySelectorAll("figure .plot text")].map(one =>
                  parseFloat(getComputedStyle(one).fontSize) * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b)))""")
            self.assertGreaterEqual(smallest, 7.5, f"letters of charts on {name}, in pixels")
        self.assertEqual(len(backgrounds), 2, "light and dark")

    def test_axe_finds_nothing(self):
        for name in self.on_every_screen("report"):
            self.expect_nothing_of_axe(name)

        for shut in self.all(".choice input:not(:checked)"):
            self.browser.execute_script("arguments[0].click()", shut)
        self.expect_nothing_of_axe("report with all lines")

    def test_needs_no_mouse(self):
        self.expect_keys_to_reach_everything("report")
        self.expect_stillness("report")

    def test_has_room_for_large_letters(self):
        self.expect_room_for_large_letters("report")

    def test_charts_tell_by_keys_too(self):
        self.open("report")
        figure = self.figure_of("matmul_shared: GFLOPS")
        first = figure.find_element(By.CSS_SELECTOR, ".at input")
        self.browser.execute_script("arguments[0].focus()", first)
        self.press(Keys.SPACE)
        self.assertIn("n = 128", self.visible(figure, ".tip")[0].text)
        self.press(Keys.ARROW_RIGHT)
        [tip] = self.visible(figure, ".tip")
        self.assertIn("n = 256", tip.text)
        self.assertGreaterEqual(tip.rect["y"], figure.find_element(By.CSS_SELECTOR, ".plot").rect["y"] +
                                figure.find_element(By.CSS_SELECTOR, ".plot").rect["height"] - 1, "covers the chart")

    def test_charts_tell_what_is_pointed_at(self):
        self.open("report")
        figure = self.figure_of("matmul_shared: GFLOPS")
        self.assertIn("n = 256", self.visible(figure, ".tip")[0].text, "the largest order, as long as nothing is chosen")
        places = figure.find_elements(By.CSS_SELECTOR, ".at")
        self.assertEqual(len(places), 2, "a place for each order")
        self.point_at(places[0].find_element(By.CSS_SELECTOR, ".place"))
        self.assertIn("n = 128", self.visible(figure, ".tip")[0].text)
        self.point_at(places[1].find_element(By.CSS_SELECTOR, ".place"))
        [tip] = self.visible(figure, ".tip")
        self.assertIn("n = 256", tip.text)
        for block in ("tile 8", "tile 16", "tile 22", "tile 32"):
            self.assertRegex(tip.text.replace(",", ""), f"{block} {self.rate_of(block, 256):.4g}".replace(".", r"\."))
        self.picture("report-pointed")

    def test_lines_are_chosen_by_their_names(self):
        self.open("report")
        figure = self.figure_of("matmul_shared: GFLOPS")
        lines = figure.find_elements(By.CSS_SELECTOR, LINES)
        self.assertTrue(all(line.is_displayed() for line in lines))
        figure.find_element(By.CSS_SELECTOR, ".choice .k1").click()
        self.assertEqual([line.is_displayed() for line in lines], [i != 1 for i in range(len(lines))])
        self.point_at(figure.find_elements(By.CSS_SELECTOR, ".place")[1])
        self.assertNotIn("tile 16", self.visible(figure, ".tip")[0].text)

    def test_of_many_lines_most_wait_to_be_chosen(self):
        self.open("report")
        figure = self.figure_of("matmul_rx_ry, 5 fastest of")
        lines = figure.find_elements(By.CSS_SELECTOR, LINES)
        shown = [line for line in lines if line.is_displayed()]
        self.assertGreater(len(lines), 10)
        self.assertLessEqual(len(shown), 8)
        waiting = figure.find_element(By.CSS_SELECTOR, ".choice input:not(:checked)")
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", waiting)
        waiting.click()
        self.assertEqual(sum(line.is_displayed() for line in lines), len(shown) + 1)

    def test_no_letters_lie_on_the_axes(self):
        self.open("report")
        overlaps = self.browser.execute_script("""
            const touches = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
            return [...document.querySelectorAll("figure .plot")].flatMap(plot => {
              const axes = [...plot.querySelectorAll(".axis")].map(one => one.getBoundingClientRect());
              const texts = [...plot.querySelectorAll("text:not(.name)")];
              const boxes = texts.map(one => one.getBoundingClientRect());
              return texts.filter((_, i) => axes.some(axis => axis.width > 20 && axis.height > 20 &&
                  (touches(boxes[i], {...axis.toJSON(), right: axis.left + 1}) ||
                   touches(boxes[i], {...axis.toJSON(), top: axis.bottom - 1})))).map(one => one.textContent);
            });""")
        self.assertEqual(overlaps, [])

    def test_tables_say_nothing_twice(self):
        self.open("report")
        twice = self.browser.execute_script("""
            return [...document.querySelectorAll("section[class] table")].flatMap(table => {
              const said = [...table.querySelectorAll("tbody tr")].map(row =>
                [...row.querySelectorAll("td")].map(cell => cell.textContent).join("|"));
              return said.filter((one, i) => one !== "" && said.indexOf(one) !== i);
            });""")
        self.assertEqual(twice, [])

    def test_rooflines_hold_kernels_below_their_roofs(self):
        self.open("report")
        figure = self.figure_of("matmul_shared: roofline")
        self.assertGreaterEqual(len(figure.find_elements(By.CSS_SELECTOR, ".plot .mark.hollow")), 4)
        spots = figure.find_elements(By.CSS_SELECTOR, ".place")
        self.point_at(spots[0])
        tip = self.visible(figure, ".tip")[0].text
        self.assertRegex(tip, r"reaches [\d.,]+ GFLOPS")
        self.assertRegex(tip, r"(DRAM|shared memory|arithmetic) allows [\d.,]+ GFLOPS")
        reached, allowed = [float(one.replace(",", "")) for one in re.findall(r"(?:reaches|allows) ([\d.,]+)", tip)]
        self.assertLess(reached, allowed)
        self.picture("report-roofline")


if __name__ == "__main__":
    browser.main()
