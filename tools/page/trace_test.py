#!/usr/bin/env python3
"""Tests the page of `lab trace` in a real Chromium: trace_test.py BIN/tilewise SCREENSHOT_FOLDER

It exits with 77 if Chromium, its driver or Selenium is missing.
"""
import base64
import os
import re
import unittest.mock

import browser
from browser import COURSE, SCREENS, By, Keys, tilewise
from selenium.webdriver.support.ui import WebDriverWait

TILES_OF_2 = COURSE / "grading/stages/03_shared_memory/figures"
FOUR_RESULTS = COURSE / "grading/stages/05_work_2x2/figures"
PAIRS_IN_WORDS = COURSE / "grading/stages/04_prefetch/others/vector_fetch"


def without_first_barrier(folder):
    """Writes the solution of stage 3 without its first barrier: tiles are used before they are
    complete."""
    stage = folder / "labs/03_shared_memory"
    stage.mkdir(parents=True)
    kernel = (COURSE / "solutions/03_shared_memory/matmul_shared.cu").read_text(encoding="utf-8")
    (stage / "matmul_shared.cu").write_text(kernel.replace("__syncthreads();", "", 1), encoding="utf-8")
    return folder


class Shape:
    """Says which elements a thread of a kernel with tiles of 2 should load, use and write."""

    def __init__(self, results, block_side, thread_side, apart):
        self.results = range(results)
        self.block_side, self.thread_side, self.apart = block_side, thread_side, apart

    def elements(self, block, thread, interval):
        bx, by = block
        tx, ty = thread % 2, thread // 2
        rows = [by * self.block_side + ty * self.thread_side + i * self.apart for i in self.results]
        cols = [bx * self.block_side + tx * self.thread_side + i * self.apart for i in self.results]
        k0 = interval // 2 * 2
        if interval == 8:
            return set(), set(), {f"C[{row}][{col}]" for row in rows for col in cols}
        if interval % 2 == 0:
            loads = {f"A[{row}][{k0 + tx}]" for row in rows} | {f"B[{k0 + ty}][{col}]" for col in cols}
            return loads, set(), set()
        ks = (k0, k0 + 1)
        return set(), {f"A[{row}][{k}]" for row in rows for k in ks} | {
            f"B[{k}][{col}]" for k in ks for col in cols}, set()


ONE_RESULT = Shape(1, 2, 1, 0)
TWO_BY_TWO = Shape(2, 4, 2, 1)


class PageTest(browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        race = without_first_barrier(cls.folder / "race")
        for name, stage, arguments in (
                ("one", "3", ["--submission", TILES_OF_2, "--call", "matmul_shared(n=8, tile=2)"]),
                ("four", "5", ["--submission", FOUR_RESULTS, "--call", "matmul_2x2(n=8, tile=2)"]),
                ("outside", "3", ["--submission", TILES_OF_2,
                                  "--call", "matmul_shared(n=9, tile=2)"]),
                ("race", "3", ["--submission", race, "--call", "matmul_shared(n=16, tile=8)"]),
                ("banks", "7", ["--solutions", "--call", "transpose_tiled(rows=64, cols=64)"]),
                ("words", "4", ["--submission", PAIRS_IN_WORDS,
                                "--call", "matmul_prefetch_register(n=16, tile=8)"]),
                ("tall", "2", ["--solutions", "--call", "matmul_grid(n=32, block=16x32)"]),
                ("partitions", "7", ["--solutions", "--gpu", "gtx280",
                                     "--call", "transpose_padded(rows=512, cols=512)"])):
            cls.pages[name] = cls.folder / f"{name}.html"
            tilewise("trace", stage, *arguments, "--output", cls.pages[name])
        cls.pages["spanish"] = cls.folder / "spanish.html"
        with unittest.mock.patch.dict(os.environ, TILEWISE_LANGUAGE="es"):
            tilewise("trace", "3", "--submission", race, "--call", "matmul_shared(n=16, tile=8)",
                     "--output", cls.pages["spanish"])

    def test_speaks_spanish(self):
        self.open("spanish")
        self.press("?")
        for panel in self.all("summary"):
            self.browser.execute_script("arguments[0].click()", panel)
        shown = self.browser.execute_script("""
            const heard = [...document.querySelectorAll("[title], [aria-label]")];
            return [document.documentElement.lang, document.title, document.body.innerText,
                    ...heard.map(one => one.title + "\\n" + one.getAttribute("aria-label"))].join("\\n")""")
        self.assertTrue(shown.startswith("es\n"), shown[:20])
        self.assertIn("Intervalo 0, hasta la primera barrera", shown)
        self.assertIn("Lo que encontraron las comprobaciones", shown)
        catalogue = (COURSE / "tools/page/es.po").read_text(encoding="utf-8")
        pairs = re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', catalogue, re.M)
        self.assertGreater(len(pairs), 300)
        # Only whole sentences are compared: words may be names, or occur in comments of the kernel.
        english = [message for message, other in pairs if message.count(" ") > 2 and "{" not in message and message != other]
        self.assertEqual([message for message in english if message in shown], [])
        self.expect_nothing_of_axe("spanish")
        self.expect_no_sideways_scrolling("spanish")

    def interval(self):
        return int(self.find("#interval").get_attribute("value"))

    def drawn(self):
        """Returns the elements by role and thread, as the page draws them."""
        found = self.browser.execute_script(
            "return [...document.querySelectorAll('.touch')].map("
            "one => [one.dataset.role, Number(one.dataset.thread), one.dataset.element])")
        return {(role, thread): {e for r, t, e in found if (r, t) == (role, thread)}
                for role in ("load", "use", "write") for thread in {t for _, t, _ in found}}

    def expect(self, shape, block, threads, interval):
        drawn = self.drawn()
        for thread in threads:
            wanted = shape.elements(block, thread, interval)
            for role, elements in zip(("load", "use", "write"), wanted):
                self.assertEqual(drawn.get((role, thread), set()), elements,
                                 f"{role} of thread {thread}, block {block}, interval {interval}")
        self.assertLessEqual({thread for _, thread in drawn}, set(threads))

    # --- expected contents of the page

    def test_elements_are_those_of_theory(self):
        for page, shape, side in (("one", ONE_RESULT, 4), ("four", TWO_BY_TWO, 2)):
            self.open(page)
            for block, threads in (((0, 0), (0, 1)), ((side - 1, 1), (2, 3))):
                self.click(f'[data-block="({block[0]}, {block[1]})"]')
                self.click(f'.threads [data-thread="{threads[0]}"]')
                self.click(f'.threads [data-thread="{threads[1]}"]', shift=True)
                self.click("h1")
                self.press(Keys.HOME)
                for interval in range(9):
                    self.assertEqual(self.interval(), interval)
                    self.expect(shape, block, threads, interval)
                    if interval % 2 == 0:
                        self.press(Keys.ARROW_RIGHT)
                    else:
                        self.click("#next")

    def test_keys_choose_thread_block_and_step(self):
        self.open("one")
        self.press("t")
        self.expect(ONE_RESULT, (0, 0), (1,), 0)
        self.press("t", "t", Keys.ARROW_RIGHT)
        self.expect(ONE_RESULT, (0, 0), (3,), 1)
        self.press("t", shift=True)
        self.expect(ONE_RESULT, (0, 0), (2,), 1)
        self.press("b")
        self.expect(ONE_RESULT, (1, 0), (2,), 1)
        self.press(Keys.ARROW_DOWN)  # k = 0, the first of two steps
        self.assertEqual(self.find("#step").text, "step 1 of 2")
        self.assertEqual(self.drawn()["use", 2], {"A[1][0]", "B[0][2]"})
        self.press(Keys.ARROW_DOWN)
        self.assertEqual(self.drawn()["use", 2], {"A[1][1]", "B[1][2]"})
        self.press(Keys.ARROW_DOWN)
        self.assertEqual(self.find("#step").text, "all 2 steps")

    def test_two_intervals_together_are_a_step_of_the_tile_loop(self):
        self.open("one")
        self.press("t", Keys.ARROW_RIGHT, "2")
        drawn = self.drawn()
        self.assertEqual(drawn["load", 1], ONE_RESULT.elements((0, 0), 1, 0)[0])
        self.assertEqual(drawn["use", 1], ONE_RESULT.elements((0, 0), 1, 1)[1])

    def test_scrubber_slides_and_plays(self):
        self.open("one")
        slider = self.find("#interval")
        slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.settle()
        self.assertEqual(self.interval(), 2)
        self.assertIn("2, between barriers 2 and 3 of 8", slider.get_attribute("aria-valuetext"))
        self.click("h1")
        self.press(Keys.SPACE)
        WebDriverWait(self.browser, 5).until(lambda _: self.interval() >= 4)
        self.press(Keys.SPACE)
        stopped = self.interval()
        self.press(Keys.END)
        self.assertEqual(self.interval(), 8)
        self.assertLess(stopped, 8)

    def test_arrows_walk_in_the_grid_of_threads(self):
        self.open("one")
        self.click('.threads [data-thread="0"]')
        self.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertEqual(self.find('.threads [aria-pressed="true"]').get_attribute("data-thread"), "3")
        self.assertEqual(self.interval(), 0)

    def test_source_shows_what_runs_and_chooses_its_requests(self):
        self.open("one")
        self.assertIn("As[ty][tx] = A", self.find(".code .now").text)
        self.press(Keys.ARROW_RIGHT)
        self.assertIn("sum +=", self.find(".code .now").text)
        store = next(line for line in self.browser.find_elements(By.CSS_SELECTOR, ".code li")
                     if "C[row * n + col]" in line.text)
        self.browser.execute_script("arguments[0].scrollIntoView()", store)
        store.find_element(By.CSS_SELECTOR, "button").click()
        self.settle()
        self.assertEqual(self.interval(), 8)
        self.assertEqual(self.count('[role="option"]'), 1)
        self.assertIn("store to C", self.find('[role="option"]').text)

    def test_requests_are_sectors_and_banks(self):
        self.open("banks")
        self.press(Keys.ARROW_RIGHT)
        self.assertIn("32 wavefronts, 31 of them by bank conflicts", self.find(".banks figcaption").text)
        self.assertEqual(self.count(".banks .word.conflict"), 32)
        self.assertEqual(self.count(".banks .bank.conflict"), 1)
        self.picture("banks-light")
        self.press("r")
        self.assertEqual(self.count(".sector"), 4)
        self.assertEqual(self.count(".word.used"), 32)
        self.assertEqual(self.count(".word.wasted"), 0)
        self.open("one")  # a row of A is a sector, of which the kernel asks for two elements
        self.assertEqual(self.count(".sector"), 2)
        self.assertEqual((self.count(".word.used"), self.count(".word.wasted")), (4, 12))

    def test_partitions_are_those_of_gt200(self):
        self.open("partitions")
        self.assertEqual([one.text for one in self.browser.find_elements(By.CSS_SELECTOR, ".partitions .busy")],
                         ["as fast as 8.0 of 8 partitions", "as fast as 1.0 of 8 partitions"])
        self.assertIn("3 of 256 blocks", self.find(".note").text)
        self.picture("partitions-light")

    def test_out_of_bounds_is_marked(self):
        self.open("outside")
        self.assertEqual(self.count(".stray"), 0)
        self.click("[data-finding]")
        self.assertEqual(self.interval(), 8)
        self.assertEqual({one.get_attribute("data-stray") for one in
                          self.browser.find_elements(By.CSS_SELECTOR, ".stray")},
                         {"B[9][0]", "B[9][1]"})
        self.assertIn("B[(k0 + ty) * n + col]", self.find(".code .fault").text)
        self.assertIn("out of bounds", self.find('[aria-selected="true"]').text)
        self.picture("outside-light")

    def test_race_is_marked(self):
        self.open("race")
        self.click("[data-finding]")
        self.assertGreater(self.count("[data-race]"), 0)
        self.assertGreater(self.count(".shared [data-race]"), 0)
        self.assertIn("in a race", self.find('[aria-selected="true"]').text)
        self.assertGreaterEqual(self.count(".code .fault"), 2)

    def test_says_the_race_before_what_comes_of_it(self):
        self.open("race")
        first = self.find(".finding").text
        self.assertIn("with no __syncthreads() between them", first)
        self.assertNotIn("__syncwarp", first)
        self.assertLess(self.find(".finding").rect["y"], self.find(".timeline").rect["y"])
        self.assertIn("1 more finding", self.find(".findings summary").text)

    def test_shared_memory_is_drawn_as_matrices(self):
        self.open("one")
        self.press("t")  # the thread next to the first
        names = [one.text for one in self.all(".shared .name")]
        self.assertEqual(names, ["As 2 x 2", "Bs 2 x 2"])

        def shared(role):
            return {one.get_attribute("data-element") for one in self.all(f'.shared [data-shared="{role}"]')}

        self.assertEqual(shared("fill"), {"As[0][1]", "Bs[0][1]"})
        self.point_at(self.find('.shared [data-element="As[0][1]"]'))
        self.assertIn("thread (1, 0) fills As[0][1], A[0][1]", self.find(".shared h2").text)
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(shared("fill"), set())
        self.assertEqual(shared("use"), {"As[0][0]", "As[0][1]", "Bs[0][1]", "Bs[1][1]"})

    def test_shared_memory_of_wide_elements_is_drawn_in_words(self):
        self.open("words")
        self.assertEqual([one.text for one in self.all(".shared .name")], ["pool in words 128"])
        self.assertEqual({one.get_attribute("data-element") for one in self.all('.shared [data-shared="fill"]')},
                         {f"pool in words[{i}]" for i in range(4)})
        self.assertEqual(self.count(".stray"), 0)
        self.assertIn("load from A and B", self.find('[aria-selected="true"]').text)

    def test_every_thread_of_a_block_can_be_seen_and_chosen(self):
        for screen in SCREENS.values():
            self.show("light", *screen)
            self.open("tall")
            grid = self.find(".threads")
            self.assertEqual(self.count(".threads button"), 16 * 32)
            self.assertLessEqual(grid.get_property("scrollHeight"), grid.get_property("clientHeight"))
            self.click('[data-thread="3"]')
            self.click("#several")
            self.click('[data-thread="500"]')
            self.assertEqual([one.get_attribute("data-thread") for one in self.all('.threads [aria-pressed="true"]')],
                             ["3", "500"])

    def test_costs_of_lines_stand_beside_the_code(self):
        self.open("banks")
        self.assertEqual([one.text for one in self.all(".gutters span")], ["line", "sectors", "wavefr."])
        code = self.find('.code [title*="32 wavefronts"]')
        self.assertEqual([one.text for one in code.find_elements(By.CSS_SELECTOR, ".cost")], ["4", "32"])
        cost, text = code.find_element(By.CSS_SELECTOR, ".gutter").rect, code.find_element(By.CSS_SELECTOR, "code").rect
        self.assertLessEqual(cost["x"] + cost["width"], text["x"])

    def test_intervals_are_told_by_their_barriers(self):
        self.open("one")
        self.assertEqual(self.find("#now").text, "Interval 0, until the first barrier")
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.find("#now").text, "Interval 1, between barriers 1 and 2 of 8")
        self.press(Keys.END)
        self.assertEqual(self.find("#now").text, "Interval 8, after the last barrier, number 8")

    def test_looks_right_on_every_screen(self):
        for page in ("race", "banks"):
            for name in self.on_every_screen(page):
                self.expect_no_sideways_scrolling(name)
                clipped = self.browser.execute_script("""
                    return [...document.querySelectorAll("h1, h2, header p, .said, .finding, .legend li, label")]
                      .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
                      .map(one => one.textContent)""")
                self.assertEqual(clipped, [], f"cut off on {name}")
                self.picture(name)

    def test_axe_finds_nothing(self):
        for page in ("race", "banks", "partitions", "four"):
            for name in self.on_every_screen(page):
                self.expect_nothing_of_axe(name)
        self.open("race")
        for panel in self.all("summary"):
            panel.click()
        self.press("?")
        self.expect_nothing_of_axe("all panels and help")

    def test_needs_no_mouse(self):
        self.expect_keys_to_reach_everything("race")
        self.expect_stillness("race")

    def test_has_room_for_large_letters(self):
        self.expect_room_for_large_letters("race")

    def test_requests_are_walked_by_arrows(self):
        self.open("banks")
        self.browser.execute_script("document.querySelector('.list').focus()")
        interval = self.interval()
        before = self.find('[aria-selected="true"]').get_attribute("id")
        self.press(Keys.ARROW_DOWN)
        chosen = self.find('[aria-selected="true"]').get_attribute("id")
        self.assertNotEqual(chosen, before)
        self.assertEqual(self.find(".list").get_attribute("aria-activedescendant"), chosen)
        self.press(Keys.ARROW_UP)
        self.assertEqual(self.find('[aria-selected="true"]').get_attribute("id"), before)
        self.assertEqual(self.interval(), interval)

    def test_nothing_is_told_by_colour_alone(self):
        self.open("race")
        self.click("[data-finding]")
        self.press("t")
        self.click("#several")
        self.click('.threads [tabindex="-1"]')
        self.assertEqual([one.text for one in self.all('.threads [aria-pressed="true"]')], ["2", "1"])
        self.assertEqual([one.text for one in self.all(".legend .swatch") if one.text], ["1", "2"])
        for picture in (".matrices:not(.shared)", ".shared"):
            self.assertEqual(self.count(f"{picture} .touch"), self.count(f"{picture} .whose:not(.later)"))
        self.assertIn("!", self.find(".blocks .fault").text)
        self.assertNotEqual(self.find(".mark.fault").value_of_css_property("clip-path"), "none")
        before = "return getComputedStyle(document.querySelector(arguments[0]), '::before').content"
        self.assertIn("!", self.browser.execute_script(before, ".code .fault"))
        self.open("one")
        self.assertIn("›", self.browser.execute_script(before, ".code .active"))

    def test_pictures_are_told_in_words(self):
        self.open("one")
        self.press("t")
        for panel in self.all(".words summary"):
            panel.click()
        matrices, shared = [one.text for one in self.all(".words li")]
        self.assertEqual(matrices, "thread (1, 0) loads A[0][1], B[0][1]")
        self.assertEqual(shared, "thread (1, 0) fills As[0][1], Bs[0][1]")
        self.open("outside")
        self.click("[data-finding]")
        self.find(".words summary").click()
        self.assertIn("reaches for B[9][", self.find(".words li").text)

    def test_letters_are_keys_unless_one_does_not_want_them(self):
        self.open("one")
        self.press("?")
        self.click("#characters")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.count("dialog"), 0)
        pressed = self.find('.threads [aria-pressed="true"]').get_attribute("data-thread")
        self.press("t", "2", "?")
        self.assertEqual(self.find('.threads [aria-pressed="true"]').get_attribute("data-thread"), pressed)
        self.assertEqual(self.count("dialog"), 0)
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.interval(), 1)

    def test_light_and_dark(self):
        self.open("four")
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.execute_script(background)
        self.picture("four-light")
        self.click("#theme")
        dark = self.browser.execute_script(background)
        self.assertNotEqual(light, dark)
        self.show("dark", 1280, 800)
        self.click("#theme")
        self.assertEqual(self.browser.execute_script(background), light)
        self.open("four")
        self.assertEqual(self.browser.execute_script(background), dark, "as the system wants it")
        self.picture("four-dark")

    def test_letters_stand_out(self):
        contrast = """
            const [ink, ground] = [...arguments].map(name => {
              const probe = document.createElement("i");
              probe.style.color = `var(--${name})`;
              document.body.append(probe);
              const rgb = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
              probe.remove();
              const [r, g, b] = rgb.map(c => c / 255).map(
                  c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
            });
            return Math.max(ink, ground) / Math.min(ink, ground);"""
        self.open("one")
        for scheme in ("light", "dark"):
            self.show(scheme, 1280, 800)
            for ink, ground, least in (("ink", "card", 7), ("soft", "card", 4.5),
                                       ("soft", "cell", 4.5), ("soft", "line", 4.5),
                                       ("bad", "bad-soft", 4.5), ("bad", "card", 4.5),
                                       ("on", "accent", 4.5), ("on", "bad", 4.5),
                                       ("ink", "accent-soft", 7), ("t0", "others", 2),
                                       *((f"c{i}", "card", 3) for i in range(7)),
                                       ("on", "t0", 4.5), ("on", "t2", 4.5), ("on", "t3", 4.5)):
                found = self.browser.execute_script(contrast, ink, ground)
                self.assertGreaterEqual(found, least, f"{ink} on {ground}, {scheme}")

    def test_has_names_for_those_who_cannot_see_it(self):
        self.open("outside")
        nameless = self.browser.execute_script("""
            return [...document.querySelectorAll("button, input, select, svg, [role]")].filter(one =>
              !(one.getAttribute("aria-label") || one.closest("label") || one.textContent.trim())
            ).map(one => one.outerHTML)""")
        self.assertEqual(nameless, [])
        self.assertEqual(self.browser.execute_script("return document.documentElement.lang"), "en")

    def test_fits_small_and_large_screens(self):
        for width, height in ((1280, 800), (3840, 2160), (400, 800)):
            self.show("light", width, height)
            self.open("four")
            self.assertLessEqual(self.browser.execute_script(
                "return document.documentElement.scrollWidth"), width)
            self.picture(f"four-{width}")
        self.show("light", 1280, 800)
        self.open("four")
        bottom = self.find(".legend").rect
        self.assertLessEqual(bottom["y"] + bottom["height"], 800, "the matrices and their legend")

    def test_prints(self):
        self.open("four")
        printed = self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
        pages = base64.b64decode(printed["data"]).count(b"/Type /Page\n")
        self.assertGreaterEqual(pages, 1)
        self.assertLessEqual(pages, 4, "sheets of paper")

    def test_help_opens_and_closes(self):
        self.open("one")
        self.press("?")
        self.assertIn("interval before, after", self.find("dialog").text)
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.interval(), 0, "keys are the dialog's")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.count("dialog"), 0)
        self.click("#help")
        self.press(Keys.ENTER)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "help", "the focus is back")


if __name__ == "__main__":
    browser.main()
