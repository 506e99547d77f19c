"""Tests what a translation may not lose."""
import tempfile
import unittest
from pathlib import Path

from update import broken, entries, placeholders, texts_in, texts_of_pages


class Placeholders(unittest.TestCase):
    def test_are_told_by_argument_and_form(self):
        for text, expected in [("none", []), ("{} of {}", [(0, ""), (1, "")]), ("{1} de {0}", [(0, ""), (1, "")]),
                               ("{:.3g} and {{braces}}", [(0, ":.3g")]), ("{0} {0}", [(0, "")])]:
            self.assertEqual(placeholders(text), expected, text)


class Translations(unittest.TestCase):
    def test_of_messages_keep_their_placeholders(self):
        for english, other, is_fine in [("{} of {}", "{} de {}", True), ("{} of {}", "{1}, {0}", True),
                                        ("{} of {}", "de {}", False), ("{:.1f}%", "{:.2f}%", False),
                                        ("one", "uno {}", False), ("{} is", "{", False)]:
            self.assertEqual(not broken(english, other, False), is_fine, other)

    def test_of_texts_keep_what_is_typed_and_clicked(self):
        for english, other, is_fine in [
                ("Run `lab` now", "Ahora ejecuta `lab`", True), ("Run `lab`", "Ejecuta lab", False),
                ("[here](a.md)", "[aquí](a.md)", True), ("[here](a.md)", "[aquí](b.md)", False),
                ("text\n</details>\n", "texto\n", False), ("    ./lab grade 1\n", "    ./lab evalúa 1\n", False),
                ("<summary>f: Idea</summary>", "<summary>f: Idea</summary>", True),
                ("<summary>f: Idea</summary>", "<summary>g: Idea</summary>", False)]:
            self.assertEqual(not broken(english, other, True), is_fine, other)


class Catalogues(unittest.TestCase):
    def test_are_read_with_their_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            catalogue = Path(folder) / "xx.po"
            catalogue.write_text('msgid ""\nmsgstr "Language: xx\\n"\n\n#, fuzzy\n#| msgid "old"\nmsgid "a"\nmsgstr "b"\n'
                                 '\nmsgid ""\n"two "\n"parts\\n"\nmsgstr ""\n')
            self.assertEqual(entries(catalogue), [("a", "b", True), ("two parts\n", "", False)])

    def test_hold_what_a_stage_asks(self):
        stage = {"tests": [{"test": "A.B"}], "predict": [{"question": "how?", "choices": ["x", "y"], "call": "f()"}]}
        self.assertEqual(texts_in(stage), ["how?", "x", "y"])

    def test_hold_what_pages_say(self):
        said = texts_of_pages()
        self.assertIn("Ridge point:", said)  # tr()
        self.assertTrue(any(text.startswith("{} {} / {} = {} operations a byte") for text in said))  # told()
        self.assertIn("previous stage", said)  # marked()


if __name__ == "__main__":
    unittest.main()
