"""Looks up figures in the published documents, the GPU profiles and our own measurements."""

import csv
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
_MODEL = ROOT / "common" / "model" / "testdata"


def _rows(file):
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _one(rows, where, what):
    found = [row for row in rows if all(row[key] == str(value) for key, value in where.items())]
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows of {what} have {where}")
    return found[0]


GPUS = json.loads((ROOT / "common" / "gpu" / "gpus.json").read_text(encoding="utf-8"))


def gpu(name):
    """Returns a GPU's profile."""
    return GPUS[name]


def peak(name, lanes="fp32_lanes_per_sm"):
    """Returns the GFLOPS that a GPU's arithmetic can reach; a multiply-add counts as two."""
    card = gpu(name)
    return card["sms"] * card[lanes] * 2 * card["clock_mhz"] / 1000


def measured(document, function, n, a=None, b=None, c=None, k=None):
    """Returns the GFLOPS that a document measured; a, b and c are as in model_measurements.csv."""
    where = {"document": document, "function": function, "n": n}
    for key, value in {"a": a, "b": b, "c": c, "k": k}.items():
        if value is not None:
            where[key] = value
    row = _one(_rows(_MODEL / "model_measurements.csv"), where, "model_measurements.csv")
    return float(row["operations"]) / float(row["measured_ms"]) / 1e6


def put2025(n, block, rx, ry, column="gflops"):
    """Returns a figure of put2025's table."""
    where = {"n": n, "block": block, "rx": rx, "ry": ry}
    return float(_one(_rows(_MODEL / "put2025_gtx1080_rx_ry.csv"), where, "put2025")[column])


def course2025(results, tile, n):
    """Returns the GFLOPS of course2025's kernels with results far apart."""
    where = {"results_per_thread": results, "block": tile, "n": n}
    file = ROOT / "docs" / "handouts" / "course2025_gtx1080_strided.csv"
    return float(_one(_rows(file), where, file.name)["gflops"])


def put2014_occupancy(version, block, column):
    """Returns a figure of put2014's table of occupancy."""
    where = {"version": version, "block": block}
    return float(_one(_rows(_MODEL / "put2014_gt240_occupancy.csv"), where, "put2014")[column])


def published(document, what):
    """Returns a figure of published.csv."""
    where = {"document": document, "what": what}
    file = ROOT / "docs" / "handouts" / "published.csv"
    return float(_one(_rows(file), where, file.name)["value"])


def minimum(stage, test):
    """Returns the fractions that a test of speed demands: of_reference, of_peak, of_model."""
    file = ROOT / "grading" / "stages" / stage / "stage.json"
    tests = json.loads(file.read_text(encoding="utf-8"))["tests"]
    return next(each["minimum"] for each in tests if each["test"] == test)


def in_source(path, pattern):
    """Returns the number that the pattern's group finds in a file of the repository."""
    found = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"))
    if not found:
        raise LookupError(f"{path} has nothing like {pattern}")
    return float(found[1].replace("'", ""))
