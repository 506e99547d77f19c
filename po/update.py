#!/usr/bin/env python3
"""Brings the catalogues of all languages, and the translated texts, up to date with the sources.

    python3 po/update.py            writes them. Messages whose English changed are marked fuzzy;
                                    users see them in English
    python3 po/update.py --check    writes nothing. If something is wrong or not up to date, it says
                                    what, and exits with 1

It needs GNU gettext and po4a. docs/translating.md tells the rest.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("xgettext", "msgmerge", "msgattrib", "po4a")
SKIPPED = 77  # the exit status by which CTest knows a skipped test
DOCUMENTS = ("first-hour", "glossary")
MADE_BY = "python3 po/update.py"
# A learner sees these entries of stage.json.
QUESTIONS = ("question", "reason", "choices", "what", "accesses", "questions")
# The messages of this folder go to browsers with each page, so it has a catalogue of its own.
PAGES = "tools/page"


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def languages():
    """Returns the languages; each has a catalogue of the tools' messages."""
    return sorted(file.stem for file in (ROOT / "po").glob("*.po") if "." not in file.stem)


def sources(folder):
    """Returns the C++ sources of a folder that have messages for people."""
    files = [path for path in (ROOT / folder).rglob("*.[ch]pp") if not path.stem.endswith("_test")]
    return sorted(str(path.relative_to(ROOT)) for path in files if re.search(r"\b(tr|marked)\(", path.read_text()))


def texts_in(value, name=""):
    """Returns the strings of a stage.json that a learner sees."""
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in texts_in(item, key)]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item, name)]
    return [value] if name in QUESTIONS and isinstance(value, str) else []


def texts_of_pages():
    """Returns the messages in the TypeScript of pages. xgettext would confuse them with types and
    tags."""
    literal = re.compile(r'\b(?:tr|told|marked)\(\s*("(?:[^"\\\n]|\\.)*")')
    files = sorted((ROOT / PAGES / "src").rglob("*.ts*"))
    return [json.loads(text) for file in files for text in literal.findall(file.read_text())]


def write_template(pot, files, texts=()):
    """Writes a template with the messages of sources, and with other texts that people see."""
    with tempfile.TemporaryDirectory() as folder:
        shown = Path(folder) / "texts.cpp"
        if texts:
            shown.write_text("".join(f"tr({json.dumps(text, ensure_ascii=False)});\n" for text in texts))
            files = [*files, str(shown)]
        run("xgettext", "--from-code=UTF-8", "--language=C++", "--keyword", "--keyword=tr:1", "--keyword=marked:1",
        "--flag=tr:1:no-c-format", "--flag=marked:1:no-c-format", "--no-location",
            "--force-po", "--package-name=Tilewise", "--no-wrap", "--output", pot, *files)


def merge(pot, catalogue):
    """Gives a catalogue the messages of the template, and keeps its translations of them."""
    if not catalogue.exists():
        run("msginit", "--no-translator", "--locale", catalogue.name.split(".")[-2], "--no-wrap", "--input", pot,
            "--output-file", catalogue)
    run("msgmerge", "--quiet", "--update", "--backup=none", "--no-wrap", "--previous", catalogue, pot)
    run("msgattrib", "--no-obsolete", "--no-wrap", "--output-file", catalogue, catalogue)


def stages(root):
    return sorted(path.parent for path in (root / "grading/stages").glob("*/stage.json"))


def update_messages(root, scratch):
    in_stages = "grading/stages/"
    common = [file for folder in ("common", "grading", "tools") for file in sources(folder)
              if file.count("/") < 3 or not file.startswith(in_stages)]
    for language in languages():
        pot = scratch / "messages.pot"
        write_template(pot, common)
        merge(pot, root / f"po/{language}.po")
        for stage in stages(root):
            asked = texts_in(json.loads((stage / "stage.json").read_text()))
            write_template(pot, sources(stage.relative_to(root)), asked)
            catalogue = stage / f"{language}.po"
            if catalogue.exists():
                merge(pot, catalogue)
        catalogue = root / PAGES / f"{language}.po"
        if catalogue.exists():
            write_template(pot, [], texts_of_pages())
            merge(pot, catalogue)


def texts(root):
    """Returns the English texts, each with the path of its catalogue, without the language."""
    handouts = [(root / f"labs/{stage.name}/README.md", stage / "handout") for stage in stages(root)]
    return handouts + [(root / f"docs/{name}.md", root / f"po/{name}") for name in DOCUMENTS]


def update_texts(root, scratch):
    for english, stem in texts(root):
        known = [language for language in languages() if Path(f"{stem}.{language}.po").exists()]
        if not known:
            continue
        config = scratch / "po4a.cfg"
        config.write_text(f"""[po4a_langs] {' '.join(known)}
[po4a_paths] {scratch}/text.pot $lang:{stem}.$lang.po
[options] --master-charset UTF-8 --localized-charset UTF-8 --keep 0 --porefs none --wrap-po no --package-name Tilewise
[type: text] {english} $lang:{english.with_suffix('')}.$lang.md opt:"--option markdown --option neverwrap"
""")
        run("po4a", "--quiet", "--no-backups", config)
        (scratch / "text.pot").unlink()
        for language in known:
            run("msgattrib", "--no-obsolete", "--no-wrap", "--output-file", f"{stem}.{language}.po",
                f"{stem}.{language}.po")


def finish_texts(root):
    """Lets links lead to translations where there are any, and makes one of the several empty lines
    that po4a writes between items."""
    for text in translated_texts(root):
        language = text.suffixes[-2]

        def to_translation(match, text=text, language=language):
            target = text.parent / f"{match[1]}{language}.md"
            return f"]({match[1]}{language}.md" if target.exists() else match[0]

        content = re.sub(r"\]\(([^)#:]+?)\.md(?=[)#])", to_translation, text.read_text())
        text.write_text(re.sub(r"\n{3,}", "\n\n", content))


def catalogues(root):
    return sorted([*root.glob("po/*.po"), *root.glob("grading/stages/*/*.po"), *root.glob(f"{PAGES}/*.po")])


def translated_texts(root):
    return [english.with_suffix(f".{language}.md") for english, _ in texts(root) for language in languages()
            if english.with_suffix(f".{language}.md").exists()]


# --- What a catalogue says --------------------------------------------------------------------

def entries(catalogue):
    """Returns (English, translation, whether it is fuzzy) for each message. The header, which has
    no English, is left out."""
    found = []
    for block in re.split(r"\n\n+", catalogue.read_text().strip()):
        parts = {"msgid": "", "msgstr": ""}
        current = None
        for line in block.splitlines():
            if line.startswith(("msgid ", "msgstr ")):
                current = line.split(" ", 1)[0]
            elif not line.startswith('"'):
                current = None
            if current:
                parts[current] += json.loads(line[line.index('"'):], strict=False)
        found.append((parts["msgid"], parts["msgstr"], "fuzzy" in "".join(re.findall(r"^#,.*", block, re.M))))
    return [entry for entry in found if entry[0]]


def placeholders(text):
    """Returns fmt's placeholders, each with the number of its argument: [(0, ''), (1, ':.3g')]."""
    fields = re.findall(r"\{(\d*)((?::[^{}]*)?)\}", re.sub(r"\{\{|\}\}", "", text))
    return sorted({(int(number) if number else i, form) for i, (number, form) in enumerate(fields)})


# A reader types these parts of a text, clicks them, or looks for their names, so a translation must
# keep them.
KEPT = {
    "code": re.compile(r"`[^`\n]+`"),
    "links": re.compile(r"\]\(([^)\s]+)\)"),
    "HTML": re.compile(r"</?(?:details|summary|code|br|sub|sup)>"),
    "commands": re.compile(r"^ *\$? *\./lab .*$", re.M),
    "names of hints": re.compile(r"(?<=<summary>)\w+(?=: )"),
}


def broken(english, other, is_text):
    """Returns what a translation has lost, or an empty text if it is fine."""
    if not is_text:
        return "" if placeholders(english) == placeholders(other) else "its placeholders"
    for what, pattern in KEPT.items():
        if set(pattern.findall(english)) != set(pattern.findall(other)):
            lost = sorted(set(pattern.findall(english)) ^ set(pattern.findall(other)))
            return f"{what}: {', '.join(lost)}"
    return ""


def is_of_a_text(catalogue):
    return "." in catalogue.stem


def complaints_about(root):
    for catalogue in catalogues(root):
        name = catalogue.relative_to(root)
        for english, other, is_fuzzy in entries(catalogue):
            lost = "" if is_fuzzy or not other else broken(english, other, is_of_a_text(catalogue))
            if lost:
                yield f"{name}: the translation of {english[:70]!r} lost or changed {lost}"


def report(root):
    for catalogue in catalogues(root):
        all_of_it = entries(catalogue)
        fuzzy = sum(1 for _, _, is_fuzzy in all_of_it if is_fuzzy)
        empty = sum(1 for _, other, is_fuzzy in all_of_it if not other and not is_fuzzy)
        if fuzzy or empty:
            print(f"{catalogue.relative_to(root)}: {len(all_of_it) - fuzzy - empty} of {len(all_of_it)} translated, "
                  f"{fuzzy} fuzzy, {empty} empty; these are shown in English")


# --- Whether all is up to date ----------------------------------------------------------------

def copy_of_the_course(folder):
    """Copies the files that an update reads and writes into another folder."""
    for path in [*catalogues(ROOT), *translated_texts(ROOT), *(english for english, _ in texts(ROOT)),
                 *ROOT.glob("grading/stages/*/stage.json")]:
        place = folder / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


def stale(copy):
    """Yields what an update would change, except for marks and order."""
    for path in catalogues(copy):
        name = path.relative_to(copy)
        if {english for english, _, _ in entries(path)} != {english for english, _, _ in entries(ROOT / name)}:
            yield f"{name} has not the messages of today"
    for path in translated_texts(copy):
        name = path.relative_to(copy)
        if not (ROOT / name).exists() or path.read_text() != (ROOT / name).read_text():
            yield f"{name} is not what its catalogue makes of the English text"


def update(root):
    with tempfile.TemporaryDirectory() as scratch:
        update_messages(root, Path(scratch))
        update_texts(root, Path(scratch))
        finish_texts(root)


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"Skipped: {', '.join(missing)} not found; apt-get install gettext po4a")
        return SKIPPED
    if sys.argv[1:] != ["--check"]:
        update(ROOT)
        report(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        copy_of_the_course(copy)
        update(copy)
        problems = [*stale(copy), *complaints_about(ROOT)]
    report(ROOT)
    for problem in problems:
        print(problem)
    if problems:
        print(f"What is not up to date, `{MADE_BY}` brings up to date; nobody need speak the language for that.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
