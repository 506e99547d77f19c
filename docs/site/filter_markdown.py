#!/usr/bin/env python3
"""Prints a Markdown page, which is written for GitHub, too, in a form that Doxygen understands.

Usage: filter_markdown.py ROOT PAGE

Headings get the names that GitHub gives them. The name of the page stands before each, because in
Doxygen no two headings may have the same name. Parts to unfold stay HTML. Links to pages and
headings become references, and links to files that have no page become plain text. GitHub's
formulas become Doxygen's.
"""

import os
import re
import sys
from pathlib import Path

# Doxygen makes pages of these files, too: see FILE_PATTERNS and INPUT in Doxyfile.in.
SHOWN = re.compile(r"(labs|common|grading)/.*\.hpp|labs/.*\.cu")
NOT_SHOWN = re.compile(r"solutions/")

FENCE = re.compile(r" {0,3}(```+|~~~+)\s*(\w*)")
HEADING = re.compile(r"(#{1,6}) +(.*?) *#*$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
FOLDED = re.compile(r"\s*</?(details|summary)\b")
INLINE_FORMULA = re.compile(r"\$`(.+?)`\$")


def slug(heading):
    """Returns the name that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def page_name(path):
    """Returns "decisions" for docs/decisions/README.md, and "stage_03_shared_memory" for
    labs/03_shared_memory/README.md."""
    parts = list(path.with_suffix("").parts)
    if parts[-1] == "README" and len(parts) > 1:
        parts.pop()
    if parts[0] == "docs":
        parts.pop(0)
    if parts[0] == "labs":
        parts[0] = "stage"
    return re.sub(r"\W", "_", "_".join(parts)).lower()


def bold_and_code(line):
    """Returns the text of a summary as HTML."""
    line = re.sub(r"`([^`]*)`", r"<code>\1</code>", line)
    return re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", line)


class Page:
    def __init__(self, root, path):
        self.root, self.path, self.slugs = root, path.relative_to(root), {}

    def heading(self, line):
        marks, text = HEADING.match(line).groups()
        if len(marks) == 1:
            title = f"# {self.links(text)} {{#{page_name(self.path)}}}"
            return title + ("\n\n[TOC]" if self.is_long else "")
        name = slug(text)
        repeated = self.slugs[name] = self.slugs.get(name, -1) + 1
        name += f"-{repeated}" if repeated else ""
        return f"{marks} {self.links(text)} {{#{page_name(self.path)}--{name}}}"

    def link(self, match):
        image, text, target = match.groups()
        if image or re.match(r"[a-z]+:|@ref", target):
            return match[0]
        path, _, anchor = target.partition("#")
        file = self.path if not path else Path(os.path.normpath(self.path.parent / path))
        if file.suffix == ".md" and not NOT_SHOWN.match(str(file)):
            label = page_name(file) + (f"--{anchor}" if anchor else "")
            return f"[{text.replace('`', '')}](@ref {label})"  # Doxygen would show backticks here
        if SHOWN.fullmatch(str(file)):
            return f"[{text.replace('`', '')}](@ref {file})"
        return text

    def links(self, line):
        # Links in code stay as they are.
        pieces, end = [], 0
        for code in CODE.finditer(line):
            inside_link = any(l.start() < code.start() < l.end() for l in LINK.finditer(line))
            if inside_link:
                continue
            pieces += [LINK.sub(self.link, line[end : code.start()]), code[0]]
            end = code.end()
        return "".join(pieces) + LINK.sub(self.link, line[end:])

    def filtered(self, text):
        # The front page needs no table of contents, because it has the navigation beside it.
        sections = len(re.findall(r"^## ", text, re.MULTILINE))
        self.is_long = sections >= 4 and str(self.path) != "README.md"
        lines, fence, formula = [], "", False
        for line in text.splitlines():
            mark = FENCE.match(line)
            if fence:
                if mark and line.strip() == fence:
                    line, fence, formula = ("\\f]" if formula else line), "", False
            elif mark:
                fence, formula = mark[1], mark[2] == "math"
                line = "\\f[" if formula else line
            elif HEADING.match(line):
                line = self.heading(line)
            elif FOLDED.match(line):
                # Doxygen would end the folded part at the first blank line.
                line = f"\\htmlonly[block]\n{bold_and_code(line)}\n\\endhtmlonly"
            elif not line.startswith("    "):
                line = self.links(INLINE_FORMULA.sub(r"\\f$\1\\f$", line))
            lines.append(line)
        return "\n".join(lines) + "\n"


def main():
    root, path = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    sys.stdout.write(Page(root, path).filtered(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
