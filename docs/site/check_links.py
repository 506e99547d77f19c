#!/usr/bin/env python3
"""Checks that links within the documentation lead somewhere. Links to other sites are only listed.

Usage: check_links.py markdown ROOT      checks every Markdown page of the course
       check_links.py site FOLDER        checks every HTML page below FOLDER
"""

import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from filter_markdown import CODE, FENCE, HEADING, LINK, slug

# Files that builds and other tools leave in the course's folder, and may change during the search
# for pages.
NOT_OURS = re.compile(r"\..*|build|node_modules")


class HtmlPage(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


class MarkdownPage:
    def __init__(self, path):
        self.anchors, self.links = set(), []
        fence, counts = "", {}
        for line in path.read_text(encoding="utf-8").splitlines():
            mark = FENCE.match(line)
            if fence:
                fence = "" if mark and line.strip() == fence else fence
            elif mark:
                fence = mark[1]
            elif not line.startswith("    "):
                if heading := HEADING.match(line):
                    name = slug(heading[2])
                    counts[name] = counts.get(name, -1) + 1
                    self.anchors.add(name + (f"-{counts[name]}" if counts[name] else ""))
                self.links += [link[3] for link in LINK.finditer(CODE.sub("", line))]
                self.links += re.findall(r'(?:href|src)="([^"]*)"', line)


def broken_links(files, read):
    """Returns a message for each link that leads nowhere, and the links to other sites."""
    pages, broken, elsewhere = {}, [], set()

    def page(path):
        if path not in pages:
            pages[path] = read(path)
        return pages[path]

    for file in files:
        for link in page(file).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme != "javascript":
                    elsewhere.add(link)
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.exists():
                broken.append(f"{file}: {link}: there is no such file")
            elif parts.fragment == "nested-classes":
                pass  # Doxygen makes this link for classes whose nested classes are all private
            elif parts.fragment and target.suffix == file.suffix:
                if unquote(parts.fragment) not in page(target).anchors:
                    broken.append(f"{file}: {link}: {target.name} has no such place")
    return broken, elsewhere


def markdown_files(course):
    for folder, folders, names in os.walk(course):
        folders[:] = [name for name in folders if not NOT_OURS.fullmatch(name)]
        yield from (Path(folder) / name for name in names if name.endswith(".md"))


def main():
    kind, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    if kind == "markdown":
        files, read = sorted(markdown_files(folder)), MarkdownPage
    else:
        files, read = sorted(folder.rglob("*.html")), HtmlPage
    if not files:
        sys.exit(f"{folder} has no page")
    broken, elsewhere = broken_links(files, read)
    print(f"{len(files)} pages; to other sites, not followed:", *sorted(elsewhere), sep="\n  ")
    if broken:
        sys.exit("\n".join(["Broken links:"] + broken))


if __name__ == "__main__":
    main()
