"""Reads a page of the course, and notes which of its figures something vouches for."""

import re

import arithmetic
from published import ROOT

# These texts contain digits but are no figures: targets of links, paths, names of GPUs, years.
_NO_FIGURES = re.compile(
    r"\]\([^)]*\)|<[^>\n]*>|[\w./-]*/[\w./-]*\.(?:md|cu|hpp|json|csv|svg)|GTX? \d+"
    r"|\b(?:\d{1,2} \w+|Technology|University|Republica|project|GTC) (?:19|20)\d\d\b"
    r"|\d{4}-\d\d-\d\d|compute capability \d\.[\dx]|^Sources?: .*$", re.MULTILINE)
_CODE = re.compile(r"^```(?:cpp|sh|cmake)\n.*?^```$", re.MULTILINE | re.DOTALL)
_ORDER = re.compile(r"\b(?:[nmk]|order|rows|cols|columns|seed) (?:=|of) ?[\d,]+")
_SHAPE = re.compile(r"\b[\d,]+ x [\d,]+(?: x [\d,]+)?")
_COMMAND = re.compile(r"(?:^ *(?:\$ )?|`)\./lab ([^`\n]*)", re.MULTILINE)


class Row:
    """A row of a table: its cells by the headers of their columns, and their places in the text. If
    two headers are the same, " (2)" stands behind the second one."""

    def __init__(self, header, line, offset):
        self._cells, self._places = {}, {}
        for name, match in zip(header, re.finditer(r"[^|]+", line[1:-1])):
            self._cells[name] = match[0].strip()
            self._places[name] = (offset + 1 + match.start(), offset + 1 + match.end())
        self.first = next(iter(self._cells.values()))

    def __getitem__(self, column):
        return self._cells[column]

    def place(self, column):
        """Returns where the cell begins and ends."""
        return self._places[column]


class Page:
    """Compares figures with their origins; problems() says what is wrong or unchecked."""

    def __init__(self, path, tilewise):
        self.path = path
        self.text = (ROOT / path).read_text(encoding="utf-8")
        self.tilewise = tilewise
        self.pitfalls_unheard = {}
        self._problems = []
        self._known = set()
        self._shown = []  # places that were compared with a program's output
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        self._figures_text = _NO_FIGURES.sub(blank, _CODE.sub(blank, self.text))
        self._check_equations()

    # The checks of a page call these methods.

    def figures(self, literals, *values):
        """Checks that each figure in a text like "36,799,488 5.5" is the value, rounded to the
        digits that are shown."""
        self._compare(literals, values, arithmetic.is_rounded_to)

    def about(self, literals, *values):
        """Does the same, but zeros at the end of a figure may stand for any digits: 66,900 for
        66,908."""
        self._compare(literals, values, arithmetic.is_about)

    def modelled(self, literals, *rates):
        """Checks rates of kernels. Each is given as (kernel, factor) or (kernel, factor, name of
        the value). Registers are estimated where there is no nvcc; a rate may then be off by a few
        percent."""
        for literal, (kernel, factor, *name) in zip(literals.split(), rates, strict=True):
            value = factor * kernel[name[0] if name else "gflops"]
            self._know(literal)
            near = abs(arithmetic.value_of(literal) / value - 1) < 0.05
            if not (arithmetic.is_rounded_to(literal, value)
                    or near and kernel["registers_from"] != "nvcc"):
                self._problem(self._offset(literal), f"{literal} should be {value:,.7g}")

    def given(self, literals, reason):
        """Accepts figures that the page itself chooses, such as the order of an example."""
        assert reason
        for literal in literals.split():
            self._know(literal)

    def figures_in(self, path, literals):
        """Checks that each figure also stands in another file, such as
        docs/measurements/2026-11-21-model.md."""
        there = set(match[0] for match in arithmetic.NUMBER.finditer(
            re.sub(r"(?<=\d)'(?=\d)", ",", (ROOT / path).read_text(encoding="utf-8"))))
        for literal in literals.split():
            if literal.rstrip("%") not in there:
                self._problem(self._offset(literal), f"{path} does not have {literal}")
            self._know(literal)

    def table(self, header, expected):
        """Checks the table that starts with this header. For each row, expected(row) returns
        {column: value or values}."""
        rows = self.rows(header)
        if not rows:
            self._problem(0, f"there is no table {header}")
        for row in rows:
            for column, values in (expected(row) or {}).items():
                values = values if isinstance(values, (list, tuple)) else [values]
                start, end = row.place(column)
                found = list(arithmetic.NUMBER.finditer(self._figures_text, start, end))
                if len(found) != len(values):
                    self._problem(start, f"{row[column]!r} has {len(found)} figures; "
                                         f"{len(values)} are checked")
                for match, value in zip(found, values):
                    if not arithmetic.is_rounded_to(match[0], value):
                        self._problem(match.start(), f"{match[0]} should be {value:,.6g}")
                    self._known.add(match[0])

    def prints(self, command, line):
        """Checks that the block with this line shows lines that the command prints, in order."""
        self.shows(line, "\n".join(self.tilewise.printed(command)), command)

    def shows(self, line, output, command):
        """Does the same for a command that was run already, and its output."""
        printed = [" ".join(each.split()) for each in output.splitlines()]
        start, end = self._block_with(line)
        at, offset = 0, start
        for shown in self.text[start:end].splitlines(keepends=True):
            words = " ".join(shown.split())
            if words and not words.startswith(("$ ", "./lab ", "lab: ", "[...]")):
                try:
                    at = printed.index(words, at) + 1
                except ValueError:
                    self._problem(offset, f"'{command}' does not print: {words}")
            offset += len(shown)
        self._shown.append((start, end))

    def pitfall_unheard(self, row, reason):
        """Accepts a pitfall that no known mistake makes the grader mention, for this reason."""
        assert reason
        if row not in [each.first for each in self.rows("| mistake | what the grader says |")]:
            self._problem(0, f"a check is for the pitfall '{row}', which is not here")
        self.pitfalls_unheard[row] = reason

    # These methods check what holds for every page.

    def rows(self, header):
        """Returns the rows of the table that begins with this header."""
        found = []
        at = self.text.find("\n" + header)
        if at < 0:
            return found
        offset, names = at + 1, None
        for line in self.text[offset:].splitlines(keepends=True):
            if not line.startswith("|"):
                break
            stripped = line.rstrip()
            if names is None:
                names = []
                for name in stripped[1:-1].split("|"):
                    again = names.count(name.strip())
                    names.append(name.strip() + (f" ({again + 1})" if again else ""))
            elif not stripped.startswith("| ---"):
                found.append(Row(names, stripped, offset))
            offset += len(line)
        return found

    def commands(self):
        """Returns each command of lab that the page names, without ./lab, and its place."""
        return [(match[1].strip(), match.start(1)) for match in _COMMAND.finditer(self.text)]

    def vouch(self, start, end):
        """Accepts the figures from start to end, because something else checks them."""
        self._shown.append((start, end))

    def problems(self):
        """Returns lines like "file:line: what", in the order of the page."""
        exempt = self._shown + [match.span() for pattern in (_ORDER, _SHAPE)
                                for match in pattern.finditer(self._figures_text)]
        exempt += [match.span(1) for match in _COMMAND.finditer(self.text)]
        for match in arithmetic.NUMBER.finditer(self._figures_text):
            digits = re.sub(r"\D", "", match[0])
            if len(digits) < 3 and "." not in match[0]:
                continue
            inside = any(start <= match.start() < end for start, end in exempt)
            if not inside and match[0] not in self._known:
                self._problem(match.start(), f"nothing checks the figure {match[0]}")
        return [f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}: {what}"
                for offset, what in sorted(self._problems)]

    def problem(self, offset, what):
        """Notes what is wrong at a place."""
        self._problem(offset, what)

    # These methods are internal.

    def _problem(self, offset, what):
        self._problems.append((max(offset, 0), what))

    def _offset(self, literal):
        pattern = r"(?<![\w.,])" + re.escape(literal) + r"(?!\w|[.,]\d)"
        found = re.search(pattern, self._figures_text)
        return found.start() if found else -1

    def _know(self, literal):
        if self._offset(literal) < 0:
            self._problem(0, f"a check is for the figure {literal}, which is not here")
        self._known.add(literal.rstrip("%"))

    def _compare(self, literals, values, fits):
        literals = literals.split()
        if len(literals) != len(values):
            self._problem(0, f"{len(values)} values for {' '.join(literals)}")
        for literal, value in zip(literals, values):
            self._know(literal)
            if not fits(literal, value):
                self._problem(self._offset(literal), f"{literal} should be {value:,.7g}")

    def _check_equations(self):
        offset = 0
        for line in self._figures_text.splitlines(keepends=True):
            for left, right, holds in arithmetic.equations(line.strip()):
                if not holds:
                    self._problem(offset, f"this does not hold: {left} = {right}")
                results = arithmetic.NUMBER.findall(right)
                if len(results) == 1:
                    self._known.add(results[0])
            offset += len(line)

    def _block_with(self, line):
        lines = self.text.splitlines(keepends=True)
        wanted = " ".join(line.split())
        for index, each in enumerate(lines):
            if wanted in " ".join(each.split()) and each.startswith(("    ", "  ", "$")):
                first = last = index
                code = lambda i: 0 <= i < len(lines) and (
                    lines[i].startswith("    ") or not lines[i].strip())
                while code(first - 1):
                    first -= 1
                while code(last + 1):
                    last += 1
                return sum(map(len, lines[:first])), sum(map(len, lines[:last + 1]))
        self._problem(0, f"there is no block with the line: {wanted}")
        return 0, 0
