"""Tests what a page's checks find, and what they leave alone."""

import pathlib
import tempfile
import unittest

import arithmetic
import page as pages
import stages


class Program:
    """Stands in for Tilewise."""

    def printed(self, _line):
        return ["global loads   1,024  4.0", "global stores  32", "barriers  7"]

    def run(self, *arguments):
        return (0, "  --json FILE") if arguments[0] == "grade" else (109, "no such command")


def problems(text, check=lambda page: None):
    with tempfile.TemporaryDirectory(dir=pages.ROOT / "docs") as folder:
        file = pathlib.Path(folder) / "page.md"
        file.write_text(text, encoding="utf-8")
        page = pages.Page(str(file.relative_to(pages.ROOT)), Program())
        check(page)
        stages.check_commands(page)
        return [problem.partition(".md:")[2] for problem in page.problems()]


class Literals(unittest.TestCase):
    def test_are_rounded_to_the_digits_they_show(self):
        for literal, value, fits in (
                ("1,024", 1024, True), ("1,024", 1024.6, False), ("0.25", 0.2549, True),
                ("0.25", 0.256, False), ("62.5%", 62.5, True), ("12", 12.5, True),
                ("1.1e-16", 2.0**-53, True), ("1.2e-16", 2.0**-53, False)):
            with self.subTest(literal=literal, value=value):
                self.assertEqual(arithmetic.is_rounded_to(literal, value), fits)

    def test_may_fill_places_with_zeros(self):
        for literal, value, fits in (("66,900", 66908, True), ("66,900", 66960, False),
                                     ("10.0", 10.3, False)):
            with self.subTest(literal=literal, value=value):
                self.assertEqual(arithmetic.is_about(literal, value), fits)


class Equations(unittest.TestCase):
    def test_are_found_and_judged(self):
        for text, expected in (
                ("528 / 22 = 24 tiles", [True]), ("2 * 512^3 = 268,435,456", [True]),
                ("2 * 512^3 = 268,435,457", [False]),
                ("12 SMs instead of 1: 12 * 1.470 = 17.6 GFLOPS", [True]),
                ("48^3 / 37^3 = 110,592 / 50,653 = 2.18", [True, True]),
                ("48^3 / 37^3 = 110,592 / 50,653 = 2.28", [True, False]),
                ("25.6 GB/s * 32 FLOP / 96 bytes = 8.5 GFLOPS", [True]),
                ("16 x 16 = 256", [True]), ("13 x 13 = 168 blocks", [False]),
                ("(1000 + 127) / 128 = 8", [True]), ("(1000 + 127) / 128 = 9", [False]),
                ("n = 528", []), ("CGMA = Tile FLOP per access", []),
                ("1 FLOP per access = 0.25 FLOP per byte", [])):
            with self.subTest(text=text):
                found = [bool(holds) for _, _, holds in arithmetic.equations(text)]
                self.assertEqual(found, expected)


class Pages(unittest.TestCase):
    def test_need_a_check_for_each_figure(self):
        for text, expected in (
                ("takes 4,140 bytes", ["1: nothing checks the figure 4,140"]),
                ("half a load, 1.5 of two", ["1: nothing checks the figure 1.5"]),
                ("two lines\nand 128 lanes", ["2: nothing checks the figure 128"]),
                ("| a | b |\n| --- | --- |\n| 1 | 3.5 |", ["3: nothing checks the figure 3.5"]),
                ("32 lanes, at n = 4096, in 16 x 1024 elements of put2014 on a GTX 1080", []),
                ("```cpp\nint a = 1234;\n```", []), ("[a page](docs/2026-11-21-x.md)", []),
                ("12 * 12 = 144", []), ("12 * 12 = 145", ["1: this does not hold: 12 * 12 = 145"])):
            with self.subTest(text=text):
                self.assertEqual(problems(text), expected)

    def test_compare_a_figure_with_its_source(self):
        for text, value, expected in (
                ("takes 4,140 bytes", 4140, []),
                ("takes 4,140 bytes", 4144, ["1: 4,140 should be 4,144"]),
                ("takes 4,144 bytes", 4140, [
                    "1: a check is for the figure 4,140, which is not here",
                    "1: nothing checks the figure 4,144"])):
            with self.subTest(text=text, value=value):
                self.assertEqual(problems(text, lambda page, value=value:
                                          page.figures("4,140", value)), expected)

    def test_compare_tables_by_place(self):
        table = "\n| n | cubes |\n| --- | --- |\n| 9 | 729 |\n| 8 | {} |\n"
        cubes = lambda page: page.table("| n | cubes |", lambda row: {"cubes": int(row.first)**3})
        self.assertEqual(problems(table.format(512), cubes), [])
        self.assertEqual(problems(table.format(729), cubes), ["5: 729 should be 512"])

    def test_compare_blocks_with_what_is_printed(self):
        shows = lambda page: page.prints("profile", "barriers 7")
        for block, expected in (
                ("    global loads  1,024    4.0\n    barriers   7\n", []),
                ("    barriers   7\n    global loads  1,024    4.0\n",
                 ["3: 'profile' does not print: global loads 1,024 4.0"]),
                ("    global loads  1,024    4.1\n    barriers   7\n",
                 ["2: 'profile' does not print: global loads 1,024 4.1"])):
            with self.subTest(block=block):
                self.assertEqual(problems("\n" + block, shows), expected)

    def test_name_commands_that_there_are(self):
        for text, expected in (
                ("    ./lab grade 3 --json FILE", []),
                ("    ./lab grade 3 --xml FILE", ["1: ./lab grade has no option --xml"]),
                ("Ask `./lab oracle`.", ["1: there is no command ./lab oracle"])):
            with self.subTest(text=text):
                self.assertEqual(problems(text), expected)


if __name__ == "__main__":
    unittest.main()
