"""Tests what Doxygen gets of a page."""

import unittest
from pathlib import Path

from filter_markdown import Page, page_name, slug

ROOT = Path("/course")


def filtered(text, page="docs/guide.md"):
    return Page(ROOT, ROOT / page).filtered(text)


class Filter(unittest.TestCase):
    def test_lines(self):
        cases = [
            ("# Guide", "# Guide {#guide}"),
            ("## Two words, `code`", "## Two words, `code` {#guide--two-words-code}"),
            ("see [that](threat-model.md)", "see [that](@ref threat_model)"),
            ("see [that](decisions/README.md#all)", "see [that](@ref decisions--all)"),
            ("see [here](#two-words)", "see [here](@ref guide--two-words)"),
            ("[`x.cu`](../labs/03_x/x.cu)", "[x.cu](@ref labs/03_x/x.cu)"),
            ("[notes](../solutions/03_x/NOTES.md)", "notes"),
            ("[list](../packages.txt)", "list"),
            ("[site](https://example.org/a.md)", "[site](https://example.org/a.md)"),
            ("![figure](figures/a.svg)", "![figure](figures/a.svg)"),
            ("`[a](b.md)`", "`[a](b.md)`"),
            ("    f[i](k0)", "    f[i](k0)"),
            ("<details><summary>Why `n`?</summary>",
             "\\htmlonly[block]\n<details><summary>Why <code>n</code>?</summary>\n\\endhtmlonly"),
            ("</details>", "\\htmlonly[block]\n</details>\n\\endhtmlonly"),
            ("order $`n^2`$", "order \\f$n^2\\f$"),
        ]
        for text, expected in cases:
            with self.subTest(text):
                self.assertEqual(filtered(text + "\n"), expected + "\n")

    def test_fences(self):
        self.assertEqual(filtered("```sh\n# no heading\n[a](b.md)\n```\n## H\n"),
                         "```sh\n# no heading\n[a](b.md)\n```\n## H {#guide--h}\n")
        self.assertEqual(filtered("```math\na \\\\ b\n```\n"), "\\f[\na \\\\ b\n\\f]\n")

    def test_headings_that_are_there_twice(self):
        self.assertEqual(filtered("## A\n## A\n"), "## A {#guide--a}\n## A {#guide--a-1}\n")

    def test_long_pages_have_contents(self):
        sections = "## A\n## B\n## C\n## D\n"
        self.assertIn("[TOC]", filtered("# T\n" + sections))
        self.assertNotIn("[TOC]", filtered("# T\n" + sections, "README.md"))
        self.assertNotIn("[TOC]", filtered("# T\n## A\n"))

    def test_names(self):
        for path, name in [("README.md", "readme"), ("docs/decisions/README.md", "decisions"),
                           ("labs/03_x/README.md", "stage_03_x"), ("docs/a-b.md", "a_b")]:
            self.assertEqual(page_name(Path(path)), name)
        self.assertEqual(slug("Why 22x22, and `nvcc`?"), "why-22x22-and-nvcc")


if __name__ == "__main__":
    unittest.main()
