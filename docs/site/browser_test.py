#!/usr/bin/env python3
"""Tests the documentation site in a real Chromium: browser_test.py HTML_FOLDER

It exits with 77 if the site was not built, or if Chromium, its driver or Selenium is missing.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/page"))
import browser  # noqa: E402

HTML = pathlib.Path(sys.argv.pop(1))
if not (HTML / "index.html").exists():
    print(f"skipped: {HTML} holds no site; documents_site_test builds it")
    sys.exit(browser.SKIPPED)


class SiteTest(browser.BrowserTest):
    """Tests the first page, one with formulas, and one that Doxygen makes of the sources."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = {name: HTML / f"{name}.html" for name in ("index", "formulas", "annotated")}

    def tearDown(self):
        """Accepts complaints: scripts of Doxygen and MathJax complain of pages without a server."""

    def open(self, page):
        self.browser.get(self.pages[page].as_uri())
        self.browser.set_script_timeout(60)
        # MathJax goes on working after the page is loaded, so the test waits for it.
        self.browser.execute_async_script(
            "window.MathJax ? MathJax.Hub.Queue(arguments[0]) : arguments[0]()")
        self.settle()

    def test_axe_finds_nothing(self):
        for page in self.pages:
            for scheme, screen in (("light", "desktop"), ("dark", "telephone")):
                self.show(scheme, *browser.SCREENS[screen])
                self.open(page)
                self.expect_nothing_of_axe(f"{page}, {screen}, {scheme}")

    def test_needs_no_mouse(self):
        self.expect_keys_to_reach_everything("formulas")
        self.expect_stillness("formulas")

    def test_has_room_for_large_letters(self):
        self.expect_room_for_large_letters("formulas")


if __name__ == "__main__":
    browser.unittest.main()
