"""Checks that docs/glossary.md has no term too many, and none too few."""

import re

from published import ROOT

PATH = "docs/glossary.md"
# Which term explains each word in the names of counters and modelled values, in the JSON of lab
# profile.
OF_COUNTERS = {"global": "Global memory", "load": None, "store": None, "requests": "Request",
               "sectors": "Sector", "transactions": "Transaction", "bytes": None, "lane": "Lane",
               "shared": "Shared memory", "wavefronts": "Wavefront", "merged": "Once merged",
               "bank": "Bank", "conflicts": "Bank conflict", "atomic": "Atomic",
               "constant": "Constant", "passes": "Pass",
               "divergent": "Divergence", "barriers": "Barrier", "shuffles": "Shuffle",
               "efficiency": "Efficiency", "pct": None, "ms": None, "gflops": "GFLOPS", "gb": None,
               "s": None, "limiter": "Limiter", "occupancy": "Occupancy", "registers": "Register",
               "per": None, "thread": "Thread", "from": None, "parts": None,
               "spilled": "Spill", "words": None, "tensor": "Tensor core", "instructions": None,
               "half": None, "tf32": None, "double": None, "integer": None, "products": None}


def check(page):
    page.given("1024 256 128 6.1", "sizes and generations that its explanations name")
    terms = re.findall(r"^- \*\*(.+?)\*\*: ", page.text, re.MULTILINE)
    for term in {term for term in terms if terms.count(term) > 1}:
        page.problem(page.text.index(f"**{term}**"), f"{term} is explained twice")

    used = "".join(file.read_text(encoding="utf-8") for pattern in
                   ("labs/*/README.md", "docs/first-hour.md", "grading/profile/*.cpp",
                    "grading/examiner/*.cpp", "grading/bench/*.cpp")
                   for file in ROOT.glob(pattern)).lower().replace("_", " ")
    for term in terms:
        stem = term.lower().removesuffix("s").removesuffix("ing")
        if stem not in used:
            page.problem(page.text.index(f"**{term}**"), f"nothing uses the term {term}")

    kernel = page.tilewise.profiled(
        "profile 3 --call 'matmul_shared(n=528, tile=16)'")[2]["kernels"][0]
    for name in [*kernel["counters"], *kernel["modelled"]]:
        for word in name.split("_"):
            if word not in OF_COUNTERS:
                page.problem(0, f"the counter {name} has the word {word}, which is new here")
            elif OF_COUNTERS[word] and OF_COUNTERS[word] not in terms:
                page.problem(0, f"the counter {name} has a word that lacks here: {word}")

    for line in re.findall(r"^- .*$", page.text, re.MULTILINE):
        if not re.search(r" \(stage [1-9]\d?\)$", line):
            page.problem(page.text.index(line), "the stage that brings the term is missing")
