"""Reads figures as pages print them, and checks equations between them."""

import ast
import math
import operator
import re

NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?!\w|[.,]\d)")

_INTEGER_DIVISION = re.compile(r"\([\d,]+ \+ [\d,]+\) / [\d,]+")  # ceil(n / b) as written in C++

# Words that may stand between the numbers of an equation.
UNITS = re.compile(
    r"GB/s|FLOP per byte|FLOP per access|G floats a second|multiply-adds|multiply-add"
    r"|\b(?:FLOP|GFLOPS|GFLOP|GHz|bytes|byte|SMs|SM|blocks|threads|warps|lanes|passes|pass|cycles"
    r"|steps|tiles|products|KiB|floats|elements|wavefronts|sectors|registers|of|a side)\b")

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.Div: operator.truediv, ast.Pow: operator.pow, ast.Mod: operator.mod,
              ast.USub: operator.neg}


def value_of(literal):
    """Returns the value of "1,024", "62.5%" or "1.1e-16"."""
    return float(literal.replace(",", "").rstrip("%"))


def is_rounded_to(literal, value):
    """Tells whether the literal is the value, rounded to the digits that it shows."""
    mantissa, _, exponent = literal.replace(",", "").rstrip("%").partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - decimals)
    return abs(value_of(literal) - value) <= unit * (0.5 + 1e-6)


def is_about(literal, value):
    """Does the same as is_rounded_to(), but zeros at the end of a whole number may stand for any
    digits."""
    if "." in literal:
        return is_rounded_to(literal, value)
    digits = literal.replace(",", "").rstrip("%")
    zeros = len(digits) - len(digits.rstrip("0"))
    return abs(value_of(literal) - value) <= 10.0 ** zeros * (0.5 + 1e-6)


def _evaluate(node):
    if isinstance(node, ast.Expression):
        return _evaluate(node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_evaluate(node.operand))
    raise ValueError("not arithmetic")


def arithmetic(text):
    """Returns the value of "12 * 1.470" or "64 x 64 / 2"; None if the text is anything else."""
    text = UNITS.sub(" ", text)
    text = re.sub(r"(?<=\d) x (?=\d)", " * ", text)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text).replace("^", "**").replace(" mod ", " % ")
    try:
        value = _evaluate(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


_TOKEN = re.compile(r"\s+|" + NUMBER.pattern + r"|\*\*|[-+*/^()%]|\bmod\b|\bx\b|" + UNITS.pattern)


def _last_expression(text):
    """Returns the longest arithmetic at the end of a text, and its value."""
    starts = []
    for match in re.finditer(r"(?<![\w.,])[\d(]", text):
        starts.append(match.start())
    for start in starts:
        before = text[:start].rstrip()
        if before.endswith(tuple("*/^+-(")) or re.search(r"(?:\bmod|[\d)a-z] x)$", before):
            continue  # this is the middle of a larger expression
        value = arithmetic(text[start:])
        if value is not None:
            return text[start:], value
    return None


def _first_expression(text):
    """Returns the longest arithmetic at the start of a text, and its value."""
    end, pieces = 0, []
    while match := _TOKEN.match(text, end):
        end = match.end()
        pieces.append(end)
    for end in reversed(pieces):
        piece = text[:end].strip()
        value = arithmetic(piece)
        if value is not None and piece:
            return piece, value
    return None


def equations(text):
    """Yields (left text, right text, holds) for each "arithmetic = number" in a text."""
    for sign in re.finditer(r"(?<![<>=!])=(?!=)", text):
        left = _last_expression(re.split(r"(?<![<>=!])=(?!=)|: |; |\|", text[:sign.start()])[-1])
        right = _first_expression(re.split(r"(?<![<>=!])=(?!=)|\|", text[sign.end():])[0])
        if left is None or right is None:
            continue
        number = NUMBER.search(right[0])
        alone = number is not None and arithmetic(number[0]) == right[1]
        if alone and not re.search(r"[-+*/^x%]|mod", UNITS.sub("", left[0])):
            continue  # "1 access = 0.25 FLOP" is not arithmetic
        if alone and "." not in number[0] and _INTEGER_DIVISION.fullmatch(left[0].strip()):
            holds = value_of(number[0]) == left[1] // 1
        elif alone:
            holds = is_rounded_to(number[0], left[1])
        elif NUMBER.fullmatch(left[0].strip()):
            holds = is_rounded_to(left[0].strip(), right[1])
        else:
            holds = math.isclose(left[1], right[1], rel_tol=5e-3)
        yield left[0].strip(), right[0], holds
