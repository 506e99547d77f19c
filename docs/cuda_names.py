#!/usr/bin/env python3
"""Writes and checks docs/cuda-names.md, the page that lists the names of the CUDA Toolkit, and says
which of them the simulator has.

    cuda_names.py
        Checks that the page agrees with the simulator's headers. This needs no toolkit.
    cuda_names.py --write
        Writes the page again. Do this after a change of the simulator's headers.
    cuda_names.py --toolkit DIR --write
        Reads the headers of a toolkit first; DIR is its folder include. Only their names are kept,
        in common/simt/cuda_names.json.

The builder uses the same list of names (grading/builder): when a compiler does not know a name, it
tells from the list whether CUDA has this name and the simulator lacks it.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / "common/simt/cuda_names.json"
PAGE = ROOT / "docs/cuda-names.md"
FACADE = ROOT / "common/simt/include"
MATHEMATICS = ROOT / "common/simt/device_functions.hpp"
OF_THE_DRIVER = [ROOT / "common/simt/program" / name for name in ("driver.cpp", "modules.cpp", "run_time_compilation.cpp")]

# These headers come with a toolkit, but programs do not use them: headers of profilers, of other
# products, and internal ones.
NO_HEADERS = re.compile(r"^(generated_|cudnn|cupti|nccl|nvperf|nvtx|fatbinary|cudart_platform|.*_meta\.h$|.*\.hpp$)")
# Headers declare these names for their own use.
NO_NAMES = re.compile(r"[A-Z_0-9]+$|operator$|.*(_impl|_internal|_helper|_getter|_base|_scheme|_params|_contiguous|_async_copy)$"
                      r"|check_|coalesced_(reduce|inc)|convert_|find_best|get_|pick_|build_mask|copy|inline_copy|internal_"
                      r"|is_valid|multi_warp|redux$|group_size$|__assert|__nv(?!_)|__internal|__cuda_|__builtin|__launch"
                      r"|__align|__attribute|__device|__host|_[a-z]|[A-Z]|.*_enum$|__half_raw|.*_st$|.*_raw$|.*_rtn?$")
# The interfaces in C. The simulator has, or refuses, each of their functions.
OF_C = ("driver functions", "NVRTC functions")
# Kernels may also call these functions of <cmath> and <cstdlib>, which device_functions.hpp does
# not list.
OF_THE_HOST = {"abs", "labs", "llabs", "isnan", "isinf", "isfinite", "signbit", "max", "min"}


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    return re.sub(r"^\s*#[^\n]*(?:\\\n[^\n]*)*", "", text, flags=re.MULTILINE)


class Toolkit:
    """Finds the names that the headers in a toolkit's folder declare."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def text(self, *patterns):
        files = [file for pattern in patterns for file in sorted(self.folder.glob(pattern))]
        return "\n".join(without_comments(file.read_text(encoding="utf-8", errors="replace")) for file in files)

    def version(self):
        text = (self.folder / "cuda_runtime_api.h").read_text(encoding="utf-8", errors="replace")
        number = int(re.search(r"#define\s+CUDART_VERSION\s+(\d+)", text)[1])
        return f"{number // 1000}.{number % 1000 // 10}"

    def headers(self):
        names = {file.name for file in self.folder.glob("*.h") if not NO_HEADERS.match(file.name)}
        names |= {f"cooperative_groups/{file.name}" for file in self.folder.glob("cooperative_groups/*.h")}
        libraries = self.folder / "cccl"
        libraries = libraries if libraries.is_dir() else self.folder
        names |= {f"cuda/{file.name}" for file in libraries.glob("cuda/*") if file.is_file()}
        return names | {f"{name}/" for name in ("cub", "cuda/std", "thrust", "nv") if (libraries / name).is_dir()}

    def runtime_functions(self):
        text = self.text("cuda_runtime_api.h", "cuda_runtime.h", "cuda_profiler_api.h")
        return set(re.findall(r"(?:CUDARTAPI|cudaError_t|__host__[\w\s*]*?)\s+\*?(cuda[A-Z]\w*)\s*\(", text))

    def interface(self, header, words):
        """Returns the functions of a C interface by the names that linkers know. Many names that
        programs use are macros, which stand for a name with a version."""
        raw = (self.folder / header).read_text(encoding="utf-8", errors="replace")
        known = dict(re.findall(r"^\s*#define\s+(cu[A-Z]\w*)\s+(?:__CUDA_API_PT[DS][SZ]\()?(cu\w+)\)?$", raw, re.MULTILINE))
        names = set(re.findall(words, without_comments(raw)))
        return {known.get(name, name) for name in names if not name.endswith(("_ptds", "_ptsz"))}

    def types(self):
        text = self.text("driver_types.h", "surface_types.h", "texture_types.h", "vector_types.h", "device_types.h",
                         "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuComplex.h")
        found = set(re.findall(r"\b(?:struct|enum|union)\s+(?:__\w+__(?:\(\d+\))?\s+)*([a-zA-Z]\w*|__half\w*|__nv_\w+)\s*\{", text))
        found |= set(re.findall(r"typedef[^;{}]*?\b(\w+)\s*;", text))
        return {name for name in found if not re.match(r"CU[a-z]|__(?!half|nv_)", name)} | {"dim3"}

    def device_functions(self):
        text = self.text("crt/device_functions.h", "crt/math_functions.h", "crt/device_double_functions.h",
                         "crt/common_functions.h", "crt/sm_*_rt.h", "sm_*.h", "device_atomic_functions.h",
                         "texture_indirect_functions.h", "surface_indirect_functions.h", "vector_functions.h",
                         "cuda_fp16.h", "cuda_bf16.h", "cuda_pipeline_primitives.h", "cuda_awbarrier_primitives.h")
        declared = re.findall(
            r"(?:__device__|__DEVICE_FUNCTIONS_DECL__|__SM_\w+_DECL__|__DEVICE_\w+_DECL__|__CUDA_\w+_DECL\w*__|"
            r"_PIPELINE_QUALIFIER|_AWBARRIER_QUALIFIER|__TEXTURE_\w+_DECL__|__SURFACE_\w+_DECL__|__MATH_FUNCTIONS_DECL__)"
            r"([^;{}]*?)\b(\w+)\s*\(", text)
        return {name for _, name in declared}

    def cooperative_groups(self):
        text = self.text("cooperative_groups.h", "cooperative_groups/*.h", "cooperative_groups/details/reduce.h",
                         "cooperative_groups/details/scan.h", "cooperative_groups/details/async.h",
                         "cooperative_groups/details/partitioning.h", "cooperative_groups/details/invoke.h",
                         "cooperative_groups/details/coalesced_*.h")
        names = set(re.findall(r"_CG_(?:STATIC_)?QUALIFIER\b[^;{}()]*?\b([a-z]\w*)\s*\(", text))
        names |= set(re.findall(r"^(?:\s*template\s*<[^>]*>)?\s*class\s+([a-z]\w*)\s*(?::|\{)", text, re.MULTILINE))
        return names

    def constants(self):
        text = (self.folder / "driver_types.h").read_text(encoding="utf-8", errors="replace")
        defined = re.findall(r"^#define\s+(cuda[A-Z]\w*)\s", text, re.MULTILINE)
        return set(re.findall(r"^\s*(cuda[A-Z]\w*)\s*(?:=|,)", without_comments(text), re.MULTILINE)) | set(defined)

    def all(self):
        kinds = {"headers": self.headers(), "run-time functions": self.runtime_functions(), "types": self.types(),
                "driver functions": self.interface("cuda.h", r"CUresult\s+CUDAAPI\s+(cu\w+)")
                | self.interface("cudaEGL.h", r"CUresult\s+CUDAAPI\s+(cu\w+)"),
                "NVRTC functions": self.interface("nvrtc.h", r"nvrtcResult\s+(nvrtc\w+)"),
                "device functions": self.device_functions(), "cooperative groups": self.cooperative_groups(), "constants": self.constants()}
        return {kind: names if kind == "headers" else {name for name in names if not NO_NAMES.match(name)}
                for kind, names in kinds.items()}


class Simulator:
    """Finds the names that the simulator's own headers declare. A compiler reads the headers,
    because macros make many of the names."""

    def __init__(self):
        headers = sorted(file for file in FACADE.rglob("*") if file.suffix == ".h" or file.parent.name == "cuda")
        self.headers = {str(file.relative_to(FACADE)) for file in headers}
        # Headers that wrap a header of the toolkit, or of OpenGL, declare nothing without it.
        headers = [file for file in headers if "thrust" not in file.parts and file.name not in ("curand.h", "curand_kernel.h", "nvrtc.h", "cuda_gl_interop.h", "cudaEGL.h")]
        defined = re.findall(r"^\s*#define (\w+)", "\n".join(file.read_text(encoding="utf-8") for file in FACADE.rglob("*.h*")), re.MULTILINE)
        self.words = self.declared(headers) | set(defined)
        # The simulator's headers do not declare the C library. These are its functions that kernels
        # may call.
        functions = set(re.findall(r'"(\w+)"', MATHEMATICS.read_text(encoding="utf-8")))
        self.words |= functions | {f"{name}f" for name in functions} | OF_THE_HOST
        self.groups = self.declared(file for file in headers if "cooperative_groups" in str(file))
        refusals = (FACADE / "tilewise/launch_by_structure.hpp").read_text(encoding="utf-8")
        self.of_the_driver = {name for file in OF_THE_DRIVER
                              for name in re.findall(r"^(?:DRIVER|NVRTC) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)}
        self.refused = set(re.findall(r"TILEWISE_NOT_SIMULATED\((cuda\w+)\)", refusals))

    @staticmethod
    def declared(headers):
        """Returns the words of the simulator's headers as the compiler sees them."""
        text = "".join(f'#include "{file.relative_to(FACADE)}"\n' for file in headers)
        command = [os.environ.get("CXX", "c++"), "-std=c++17", "-E", "-x", "c++", "-I", str(FACADE), "-"]
        seen, own = [], False
        for line in subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines():
            if line.startswith("# "):
                own = str(FACADE) in line
            elif own:
                seen.append(line)
        return set(re.findall(r"\w+", "\n".join(seen)))

    def has(self, kind, name):
        if kind == "headers":
            return name in self.headers
        if kind in OF_C:
            return name in self.of_the_driver
        return name not in self.refused and name in (self.groups if kind == "cooperative groups" else self.words)


def listed(names):
    return ", ".join(f"`{name}`" for name in names) if names else "nothing"


def page(data):
    simulator = Simulator()
    text = [f"""# What the simulator has of CUDA

Names of the CUDA Toolkit {data['toolkit']}, and which of them the simulator has. What it lacks, the grader tells by name;
`./lab grade --backend cuda` takes all of them, on a machine with a GPU and the toolkit. `docs/cuda_names.py` writes this
page from the simulator's headers and a list of names, and a test compares them. What is refused compiles, and says so when
it is called: it is of other devices and processes, of graphics, or of code that is loaded while a program runs.

| | of the toolkit | in the simulator |
| --- | --- | --- |"""]
    chapters = []
    for kind, names in data["names"].items():
        there = [name for name in names if simulator.has(kind, name)]
        refused = [name for name in names if name in simulator.refused or kind in OF_C and name not in there]
        lacking = [name for name in names if not simulator.has(kind, name) and name not in refused]
        text.append(f"| {kind} | {len(names):,} | {len(there):,} |")
        rest = "those of what is lacking above" if kind == "constants" else listed(lacking)
        chapters.append(f"\n## {kind[0].upper()}{kind[1:]}\n\n**There:** {listed(there)}.\n\n**Lacking:** {rest}.")
        if kind in OF_C:
            chapters[-1] = f"\n## {kind[0].upper()}{kind[1:]}\n\n**There:** {listed(there)}.\n\nAll others are refused."
        elif refused:
            chapters[-1] += f"\n\n**Refused**, with `cudaErrorNotSupported` and a message: {listed(refused)}."
    return "\n".join(text + chapters) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolkit", metavar="DIR", help="headers of a CUDA Toolkit")
    parser.add_argument("--write", action="store_true", help="write what is out of date")
    arguments = parser.parse_args()
    if arguments.toolkit:
        toolkit = Toolkit(arguments.toolkit)
        data = {"toolkit": toolkit.version(), "names": {kind: sorted(names) for kind, names in toolkit.all().items()}}
        text = json.dumps(data, indent=0) + "\n"
        if arguments.write:
            NAMES.write_text(text, encoding="utf-8")
    data = json.loads(NAMES.read_text(encoding="utf-8"))
    written = page(data)
    if arguments.write:
        PAGE.write_text(written, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != written:
        sys.exit(f"{PAGE.relative_to(ROOT)} is not what the simulator's headers say: run python3 docs/cuda_names.py --write")


if __name__ == "__main__":
    main()
