"""The common part of the tests of pages: a real Chromium, as wide as a desktop or a telephone,
light or dark, and axe-core.

A test program exits with 77 if Chromium, its driver or Selenium is missing.
"""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(SKIPPED)
if not CHROMIUM or not DRIVER:
    print("skipped: chromium or chromium-driver is not installed")
    sys.exit(SKIPPED)

PAGES = pathlib.Path(__file__).resolve().parent
COURSE = PAGES.parents[1]
TILEWISE = SHOTS = None  # main() reads them from the command line

#: Widths and heights of screens, and the colour schemes that the system may ask for.
SCREENS = {"desktop": (1280, 800), "telephone": (390, 844)}
SCHEMES = ("light", "dark")


def tilewise(*arguments, may_fail=False):
    subprocess.run([TILEWISE, *arguments], check=not may_fail, stdout=subprocess.DEVNULL)


@functools.cache
def axe_source():
    """Returns the text of axe-core, in the version of package-lock.json; None if it is not
    installed and cannot be installed."""
    file = pathlib.Path("node_modules/axe-core/axe.min.js")
    if (PAGES / file).exists():
        return (PAGES / file).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(PAGES / name, folder)
        try:
            subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=folder, check=True, timeout=120, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            return None
        return (pathlib.Path(folder) / file).read_text(encoding="utf-8")


class BrowserTest(unittest.TestCase):
    """Tests the pages of `self.pages`, which has them by name. setUpClass() of each test writes
    them into `cls.folder`."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.pages = {}
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                         "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
                         f"--user-data-dir={cls.folder / 'profile'}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        cls.browser.execute_cdp_cmd("Network.enable", {})

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.scratch.cleanup()

    def setUp(self):
        self.show("light", *SCREENS["desktop"])

    def tearDown(self):
        complaints = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual(complaints, [], "the page has something to complain of")
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                self.assertRegex(url, "^(file|data|about|chrome):", "the page asks for more")

    # --- actions of a reader

    def show(self, scheme, width, height):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.settle()

    def open(self, page):
        self.browser.get(self.pages[page].as_uri())
        self.find("h1")

    def on_every_screen(self, page):
        """Opens the page on each screen, light and dark, and yields a name for each of these."""
        for screen, size in SCREENS.items():
            for scheme in SCHEMES:
                self.show(scheme, *size)
                self.open(page)
                yield f"{page}-{screen}-{scheme}"

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def count(self, selector):
        return len(self.all(selector))

    def settle(self):
        self.browser.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def press(self, *keys, shift=False):
        chain = ActionChains(self.browser)
        if shift:
            chain.key_down(Keys.SHIFT)
        chain.send_keys(*keys)
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.perform()
        self.settle()

    def click(self, selector, shift=False):
        chain = ActionChains(self.browser)
        if shift:
            chain.key_down(Keys.SHIFT)
        chain.click(self.find(selector))
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.perform()
        self.settle()

    def point_at(self, element):
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.browser).move_to_element(element).perform()
        self.settle()

    # --- requirements for every page

    def picture(self, name):
        file = SHOTS / f"{name}.png"
        self.assertTrue(self.browser.save_screenshot(str(file)))
        self.assertGreater(file.stat().st_size, 20_000, "a screenshot of nothing")

    def expect_no_sideways_scrolling(self, name):
        wide, room = self.browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        self.assertLessEqual(wide, room, f"{name} scrolls sideways")

    def expect_nothing_of_axe(self, name):
        source = axe_source()
        if source is None:
            self.skipTest("axe-core is not installed, and npm cannot fetch it: in tools/page, npm ci --ignore-scripts")
        self.browser.execute_script(source)
        found = self.browser.execute_async_script(
            "axe.run().then(result => arguments[0](result.violations.map("
            "one => [one.id, one.help, one.nodes.length, one.nodes.slice(0, 3).map(node => node.html.slice(0, 200)),"
            " one.nodes[0].failureSummary])))")
        self.assertEqual(found, [], f"axe-core on {name}")

    def expect_room_for_large_letters(self, page):
        """Checks WCAG 2.1, 1.4.4, 1.4.10 and 1.4.12: no text is cut off at 200% and 400% of 1280
        pixels, also with more space between lines, words and letters."""
        for wide, high in ((640, 400), (320, 256)):
            self.show("light", wide, high)
            self.open(page)
            self.expect_text_in_sight(f"{page} {wide} pixels wide")
            self.browser.execute_script("""
                const style = document.createElement("style");
                style.textContent = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;" +
                  "word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }";
                document.body.append(style);""")
            self.expect_text_in_sight(f"{page} {wide} pixels wide, its letters apart")

    def expect_text_in_sight(self, name):
        self.expect_no_sideways_scrolling(name)
        cut = self.browser.execute_script("""
            const scrolls = one => one && (["auto", "scroll"].includes(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
            return [...document.querySelectorAll("body *")].filter(one =>
                [...one.childNodes].some(child => child.nodeType === 3 && child.data.trim()) &&
                !one.closest("svg, script, style, pre") && Math.abs(parseFloat(getComputedStyle(one).textIndent)) < 20 && one.checkVisibility({visibilityProperty: true}) && !scrolls(one) &&
                getComputedStyle(one).display !== "inline" && one.scrollWidth > one.clientWidth + 1
              ).map(one => one.outerHTML.slice(0, 200));""")
        self.assertEqual(cut, [], f"cut off on {name}")

    def expect_keys_to_reach_everything(self, page):
        """Checks that Tab reaches everything that can be operated, that the focus is visible there,
        and that Tab leads on from it."""
        self.open(page)
        stops = self.browser.execute_script("""
            window.stops = [...document.querySelectorAll(
                "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]")].filter(one =>
              one.tabIndex >= 0 && !one.disabled && one.checkVisibility({visibilityProperty: true}) &&
              !(one.type === "radio" && !one.checked));
            window.met = new Map();
            const isShown = one => one && getComputedStyle(one).outlineStyle !== "none" && parseFloat(getComputedStyle(one).outlineWidth) > 0;
            addEventListener("focusin", ({target}) => met.set(target, isShown(target) || isShown(target.nextElementSibling)));
            return stops.length;""")
        self.assertGreater(stops, 0)
        for _ in range(stops + 24):  # some presses are lost between a page's end and start
            for kind in ("keyDown", "keyUp"):
                self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {
                    "type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
        self.settle()
        self.settle()
        missed, hidden = self.browser.execute_script("""
            const told = one => one.outerHTML.slice(0, 160);
            return [stops.filter(one => !met.has(one)).map(told), [...met].filter(([, shown]) => !shown).map(([one]) => told(one))];""")
        self.assertEqual(missed, [], f"Tab does not come to these on {page}")
        self.assertEqual(hidden, [], f"nothing shows that the focus is there on {page}")

    def expect_stillness(self, page):
        """Checks that nothing moves by itself if the reader has asked for less motion."""
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.open(page)
        moving = self.browser.execute_script("""
            return [...document.querySelectorAll("*")].filter(one => {
              const {transitionDuration, animationName, scrollBehavior} = getComputedStyle(one);
              return parseFloat(transitionDuration) > 0.01 || animationName !== "none" || scrollBehavior === "smooth";
            }).map(one => one.outerHTML.slice(0, 160));""")
        self.assertEqual(moving, [], f"moves on {page}")


def main():
    """Runs a test program: TEST.py BIN/tilewise SCREENSHOT_FOLDER"""
    global TILEWISE, SHOTS
    TILEWISE = sys.argv.pop(1)
    SHOTS = pathlib.Path(sys.argv.pop(1))
    SHOTS.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("TILEWISE_ROOT", str(COURSE))
    unittest.main(module="__main__")
