#!/usr/bin/env python3
"""Tests the simulator with others' suites: suites.py [OPTIONS] TILEWISE SUITE FOLDER [PATTERN].

SUITE is one of sanitizer, gpuverify, samples, sgemm, polybench and rodinia. FOLDER is a copy of the
suite, which is only read; nothing is fetched. Each program is compiled as `tilewise check` compiles
it, and run. A line for each program says what came of it, and the last line counts these results.
"""

import argparse
import concurrent.futures
import functools
import json
import math
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

# The limits are in seconds of processor time, which on a busy machine says more than the clock. A
# program that only waits is ended by the clock, after WAITS times its limit.
COMPILE_S, WAITS = 600, 10
TIME_IS_UP = "CPU time limit exceeded"  # a program says this of a kernel that took too long
FOUND = 99  # a program exits with this if something was found in it


class Case:
    """A program: its files, how they are compiled, and what is known of it."""

    def __init__(self, name, files, options=(), arguments=(), folder=None, faulty=None, texts=None,
                 modules=()):
        self.name = name
        self.files = files  # paths, or names in `texts`
        self.options = list(options)
        self.arguments = arguments  # None: it is only compiled
        self.folder = folder  # the program runs here
        self.faulty = faulty  # whether a finding is expected; None: its own exit status decides
        self.texts = texts or {}  # files that are generated beside it
        # Pairs of name and source: modules that are compiled and that the program loads. A file
        # without a source only has to be there. If there are modules, the program runs in their
        # folder, which has links to everything in its own.
        self.modules = modules


class Outcome:
    def __init__(self, kind, detail=""):
        self.kind = kind
        self.detail = detail


def run(words, folder, seconds, environment=None):
    """Returns the exit status, standard output and standard error; None as the status if the time
    was over."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=WAITS * seconds, preexec_fn=limit,
                              env={**os.environ, **(environment or {})}, errors="replace")
        ended = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return None if ended else done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        text = lambda output: (output or b"").decode(errors="replace")
        return None, text(late.stdout), text(late.stderr)


def first_error(said):
    """Returns the line with the compiler's first complaint."""
    for line in said.splitlines():
        if "error:" in line or "undefined reference" in line or "No such file" in line:
            return line.strip()
    return said.strip().splitlines()[0] if said.strip() else "says nothing"


def findings(said):
    return [line[len("tilewise: "):] for line in said.splitlines()
            if re.match(r"tilewise: (.*: [a-z-]+: |crash: .* in (?!host code))", line)
            and not line.endswith("times in all") and TIME_IS_UP not in line]


def try_case(tilewise, case, seconds, fast):
    flavour = ["--fast"] if fast else []
    with tempfile.TemporaryDirectory(prefix="suite-") as scratch:
        for name, text in case.texts.items():
            (pathlib.Path(scratch) / name).write_text(text)
        program = pathlib.Path(scratch) / "program"
        files = [str(pathlib.Path(scratch) / f) if f in case.texts else str(f) for f in case.files]
        status, out, said = run([tilewise, "check", *flavour, "-o", program, *case.options, *files], scratch, COMPILE_S)
        if status != 0:
            return Outcome("does not compile", first_error(said + out))
        folder = case.folder or scratch
        if case.modules:
            folder = pathlib.Path(scratch) / "folder"
            folder.mkdir()
            for entry in case.folder.iterdir():
                (folder / entry.name).symlink_to(entry)
        for name, source in case.modules:
            if source is None:
                (folder / name).touch()
                continue
            status, out, said = run([tilewise, "check", *flavour, "-fatbin", "-o", folder / name, *case.options, str(source)],
                                    scratch, COMPILE_S)
            if status != 0:
                return Outcome("does not compile", first_error(said + out))
        if case.arguments is None:
            return Outcome("compiles")
        environment = {"TILEWISE_ERROR_EXITCODE": str(FOUND)}
        status, out, said = run([program, *case.arguments], folder, seconds, environment)
        found = findings(said)
        if found:
            return Outcome("found" if case.faulty is not False else "false alarm", " | ".join(found[:3]))
        if status is None or TIME_IS_UP in said:
            return Outcome("takes too long")
        if case.faulty:
            return Outcome("missed")
        if status == 2 and case.faulty is None and re.search(r"[Ww]aiv", out):
            return Outcome("waived", out.strip().splitlines()[-1])
        wrong = re.search(r"Non-Matching.*: ([1-9]\d*)", out)
        if wrong:
            return Outcome("fails", wrong.group(0))
        if status != 0:
            last = (said.strip().splitlines() or out.strip().splitlines() or [""])[-1]
            return Outcome("fails", f"exit status {status}: {last}")
        return Outcome("right")


def sanitizer(folder):
    """compute-sanitizer-samples: each demo has a fault that the tool in its name finds."""
    for file, options in [("Memcheck/memcheck_demo.cu", []), ("Racecheck/block_error.cu", []),
                          ("Racecheck/warp_error.cu", []), ("Initcheck/memset_error.cu", []),
                          ("Synccheck/divergent_threads.cu", []), ("Synccheck/illegal_syncwarp.cu", []),
                          ("Suppressions/suppressions_demo.cu", []),
                          ("Suppressions/suppressions_initcheck_demo.cu", [])]:
        yield Case(file, [folder / file], options, faulty=True)


# Defines the words by which GPUVerify's tests speak to the verifier, and includes what its headers
# declare.
GPUVERIFY_WORDS = """
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <assert.h>
#include <vector>
#define __requires(...) ((void)0)
#define __ensures(...) ((void)0)
#define __requires_fresh(...) ((void)0)
#define __global_requires(...) ((void)0)
#define __global_ensures(...) ((void)0)
#define __invariant(...) ((void)0)
#define __global_invariant(...) ((void)0)
#define __function_wide_invariant(...) ((void)0)
#define __function_wide_candidate_invariant(...) ((void)0)
#define __candidate_invariant(...) ((void)0)
#define __candidate_global_invariant(...) ((void)0)
#define __barrier_invariant(...) ((void)0)
#define __barrier_invariant_1(...) ((void)0)
#define __barrier_invariant_2(...) ((void)0)
#undef __assert
#ifdef HAS_NO_ASSERTIONS
#define __assert(...) ((void)0)
#else
#define __assert(...) assert((__VA_ARGS__))
#endif
#define __implies(a, b) (!(a) || (b))
#define __global_assert(...) ((void)0)
#define __assume(...) ((void)0)
#define __requires_fresh_array(...) ((void)0)
#define __axiom(...)
#define __non_temporal_loads_begin() ((void)0)
#define __non_temporal_loads_end() ((void)0)
"""


def extents(text):
    """Returns the extents of the grid and of the block. A block with more threads than a GPU allows
    is made smaller."""
    values = []
    for name in ["gridDim", "blockDim"]:
        value = re.search(r"--%s=\[?([\d, ]+)" % name, text)
        values.append([int(word) for word in (value.group(1) if value else "1").split(",")])
    block = values[1]
    while math.prod(block) > 1024:
        block[block.index(max(block))] //= 2
    return [", ".join(map(str, each)) for each in values]


# For these tests a run must not agree with the verifier: it cannot show the fault, or it shows a
# fault where the verifier sees none. The text says why.
GPUVERIFY_OTHERWISE = {
    "misc/fail/miscfail7": "is about a null pointer, and the driver gives none",
    "globalarray/fail": "is about a host that changes __constant__ memory, and the driver does not",
    "atomics/pointer_add": "names a variable of the host in a kernel",
    "annotation_tests/test_axiom": "takes an axiom of the verifier's for the block's size",
    "reduced_strength_with_requires": "demands values of its arguments that the driver does not know",
    "ctimeslid": "has 64 KiB of static shared memory, more than any GPU",
    "misc/pass/misc1": "reads shared memory that nothing has written",
    "scope": "reads shared memory that nothing has written",
    "pointertests/test_copy_between_memory_spaces": "reads shared memory that nothing has written",
    "memcpy/arrayofstruct": "copies a structure of the thread's own that nothing has set",
    "warpsync/2d": "takes a warp's lanes to run in step, which no GPU since Volta promises",
    "warpsync/intragroup_scan": "takes a warp's lanes to run in step",
    "warpsync/scan_warp": "takes a warp's lanes to run in step",
    "warpsync/shuffle": "takes a warp's lanes to run in step",
    # On every GPU that element then holds that value, whichever thread came last.
    "loop_unwind": "is about threads that store the same value in one element",
    "memcpy/fail_overstep": "is about threads that store the same value in one element",
    "memcpy/notexactdiv": "is about threads that store the same value in one element",
}


def gpuverify(folder):
    """GPUVerify's testsuite/CUDA: kernels without a main(), with their launch in a comment."""
    for file in sorted((folder / "testsuite" / "CUDA").rglob("*.cu")):
        text = file.read_text(errors="replace")
        head = [line for line in text.splitlines()[:4]]
        verdict = next((line for line in head if re.match(r"//\s*(pass|xfail)", line, re.I)), None)
        if verdict is None or "CLANG_ERROR" in verdict or "BUGLE_ERROR" in verdict:
            continue
        plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
        kernels = re.findall(r"__global__\s+(?:\w+\s+)*?(?:void|static)\s+(\w+)\s*\(([^)]*)\)\s*{", plain)
        # Functions without a body, and kernels that take pointers to functions, cannot be run.
        if re.search(r"\(\s*\*|\bfunc\w*_t\b|nondet\(|^\s*(extern )?(\"C\" )?__device__[^;{]*\);", plain, re.M):
            continue
        main = ["#define TILEWISE_SUITE", GPUVERIFY_WORDS, f'#include "{file}"', "template <class T> struct Given {",
                "  static T value(int wanted) { if constexpr (std::is_arithmetic_v<T>) return T(wanted);",
                "    else { void* memory; cudaMalloc(&memory, 1 << 24); cudaMemset(memory, 0, 1 << 24); T value; char* byte = (char*)&value;",
                "      for (size_t i = 0; i < sizeof value; ++i) byte[i] = ((char*)&memory)[i % sizeof memory]; return value; } } };",
                "template <class T> struct Given<T*> { static T* value(int) {",
                "    using Plain = std::remove_cv_t<T>; constexpr size_t n = 1 << 20;",
                "    constexpr size_t bytes = [] { if constexpr (std::is_void_v<T>) return size_t(4); else return sizeof(Plain); }();",
                "    std::vector<char> host(n * bytes);",
                "    if constexpr (std::is_arithmetic_v<Plain>) for (size_t i = 0; i < n; ++i) ((Plain*)host.data())[i] = Plain(i % 7);",
                "    else if constexpr (bytes < sizeof(void*)) for (size_t i = 0; i < n * bytes; ++i) host[i] = char(i % 7);",
                "    void* device; cudaMalloc(&device, n * bytes); cudaMemcpy(device, host.data(), n * bytes, cudaMemcpyHostToDevice);",
                "    return (T*)device; } };",
                "template <class... P> void tilewise_launch(void (*kernel)(P...), const std::vector<int>& wanted) { int i = 0;",
                f"  std::tuple<P...> given{{Given<P>::value(wanted[i++])...}};",
                "  std::apply([&](auto... each) { kernel<<<dim3(%s), dim3(%s)>>>(each...); }, given); }" % tuple(extents(text)),
                "int main() {"]
        for kernel, parameters in kernels:
            wanted = []
            for parameter in parameters.split(","):
                name = re.search(r"(\w+)\s*(\[[^\]]*\])?\s*$", parameter)
                known = re.search(r"(?:__requires\(|//)\s*%s\s*==?\s*(\d+)" % (name.group(1) if name else "?"), text)
                wanted.append(known.group(1) if known else "16")
            main.append(f"  tilewise_launch({kernel}, {{{', '.join(wanted) or '0'}}});")
        main.append("  return cudaDeviceSynchronize() != cudaSuccess; }")
        options = re.findall(r"-D\S+", "\n".join(head))
        if re.search(r"__(other|no_|read|write|return_val|enabled|uniform|distinct|all|at_most)", plain):
            options.append("-DHAS_NO_ASSERTIONS")  # only a verifier knows these words
        name = str(file.parent.relative_to(folder / "testsuite" / "CUDA"))
        faulty = not re.match(r"//\s*pass", verdict, re.I)
        if name in GPUVERIFY_OTHERWISE:
            faulty = not faulty
        yield Case(name, ["driver.cu"], ["-include", "tuple", *options, "-I", str(file.parent)], faulty=faulty,
                   texts={"driver.cu": "\n".join(main)})


# A word in a sample's CMakeLists.txt tells which other packages it needs, by pkg-config's names. In
# Debian these are in freeglut3-dev and libglew-dev, libegl-dev, libvulkan-dev and libglfw3-dev, and
# libopenmpi-dev. Most samples draw only if they get no arguments.
SAMPLE_PACKAGES = {"GLUT": "glew glut glu gl", "find_package(EGL)": "egl", "find_package(Vulkan)": "vulkan glfw3",
                   "find_package(MPI)": "ompi-cxx"}


# A sample's CMake copies the first header from the toolkit, and the sample looks for it beside
# itself. The second header marks a folder as the toolkit's. Both files may be empty, because the
# simulator has its own headers.
COPIED_HEADERS = ["cooperative_groups.h", "cuda_runtime.h"]


@functools.cache
def of_package(names):
    """Returns options for a compiler; none if a package is not installed."""
    try:
        said = subprocess.run(["pkg-config", "--cflags", "--libs", *names.split()], capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return [word for word in shlex.split(said.stdout) if word != "-pthread"]


def samples(folder):
    """cuda-samples: each checks its own result, and its CMakeLists.txt says how to compile it."""
    known = json.loads((folder / "test_args.json").read_text())
    for part in ["0_Introduction", "2_Concepts_and_Techniques", "3_CUDA_Features", "5_Domain_Specific",
                 "6_Performance"]:
        for lists in sorted((folder / "Samples" / part).glob("*/CMakeLists.txt")):
            place, name, text = lists.parent, lists.parent.name, lists.read_text()
            added = re.search(r"add_executable\(\s*\S+\s+([^)]*)\)", text)
            files = [place / word for word in (added.group(1).split() if added else []) if "$" not in word]
            files = [f for f in files if f.suffix in (".cu", ".cpp", ".c", ".cc")]
            if not files:
                files = sorted(place.glob("*.cu")) + sorted(place.glob("*.cpp"))
            facts = known.get(name, {})
            arguments = facts.get("args") or (facts.get("runs") or [{}])[0].get("args", [])
            options = ["-I", str(folder / "Common"), "-I", str(place), "-I", str(place / "inc")]
            if "OpenMP" in text:
                options += ["-Xcompiler", "-fopenmp"]
            for word, package in SAMPLE_PACKAGES.items():
                if word in text:
                    options += of_package(package)
            modules = re.findall(r'CUDA_FATBIN_FILE "\$\{CMAKE_CURRENT_BINARY_DIR\}/([^"]+)"', text)
            sources = re.findall(r'CUDA_KERNEL_SOURCE "\$\{CMAKE_CURRENT_SOURCE_DIR\}/([^"]+)"', text)
            yield Case(f"{part}/{name}", files, options, arguments, place,
                       modules=[(module, place / source) for module, source in zip(modules, sources)] +
                       [(header, None) for header in COPIED_HEADERS if "/cooperative_groups.h" in text])


SGEMM_DRIVER = """
#include <runner.cuh>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int, char** argv) {
  const int n = 256;
  std::vector<float> A(n * n), B(n * n), C(n * n), got(n * n);
  for (auto* matrix : {&A, &B, &C}) for (float& x : *matrix) x = float(rand() % 100) / 50 - 1;
  float *dA, *dB, *dC;
  cudaMalloc((void**)&dA, n * n * 4); cudaMalloc((void**)&dB, n * n * 4); cudaMalloc((void**)&dC, n * n * 4);
  cudaMemcpy(dA, A.data(), n * n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), n * n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dC, C.data(), n * n * 4, cudaMemcpyHostToDevice);
  run_kernel(atoi(argv[1]), n, n, n, 0.5f, dA, dB, 3.0f, dC, cublasHandle_t{});
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  cudaMemcpy(got.data(), dC, n * n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += double(A[i * n + k]) * B[k * n + j];
    if (!(std::fabs(0.5 * sum + 3.0 * C[i * n + j] - got[i * n + j]) < 1e-3)) { printf("C[%d][%d] is wrong\\n", i, j); return 1; }
  }
  return 0;
}
"""
# The simulator has no cuBLAS. These declarations let the program compile; kernel 0, which calls
# cuBLAS, is not run.
CUBLAS = """
#pragma once
struct cublasContext; using cublasHandle_t = cublasContext*; using cublasStatus_t = int;
enum { CUBLAS_OP_N, CUBLAS_OP_T, CUDA_R_32F, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_16BF,
       CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT_TENSOR_OP, CUBLAS_GEMM_DEFAULT };
template <class... T> int cublasGemmEx(T...) { return 1; }
template <class... T> int cublasSgemm(T...) { return 1; }
"""


def sgemm(folder):
    """SGEMM_CUDA: kernels 1 to 12 on a matrix of order 256, compared with a sum in double."""
    for number in range(1, 13):
        yield Case(f"kernel {number}", ["driver.cu", folder / "src" / "runner.cu"],
                   ["-I", ".", "-I", str(folder / "src")], [str(number)],
                   texts={"driver.cu": SGEMM_DRIVER, "cublas_v2.h": CUBLAS})


def polybench(folder):
    """PolyBench (CUDA) with its smallest data. Each compares the GPU's result with the CPU's."""
    for file in sorted((folder / "CUDA").rglob("*.cu")):
        yield Case(file.stem, [file], ["-DMINI_DATASET", "-DPOLYBENCH_USE_SCALAR_LB", "-DRUN_ON_CPU", "-I", str(folder / "CUDA" / "utilities"),
                                       "-I", str(file.parent)])


def numbers(count, per_line=1):
    return "".join(f"{(i * 37 % 97) / 10:.2f}" + (" " if (i + 1) % per_line else "\n") for i in range(count))


# Rodinia's programs: name, sources, arguments, and the files of data that these need. A program
# without arguments is only compiled, because its data would be a film, a genome or a mesh.
RODINIA = [
    ("backprop", "backprop.c facetrain.c imagenet.c backprop_cuda.cu", "1024", {}),
    ("bfs", "bfs.cu", "graph.txt", {"graph.txt": "64\n" + "".join(f"{2 * i} 2\n" for i in range(64)) + "\n0\n\n128\n" + "".join(
        f"{(i * 5 + 1) % 64} 1\n{(i + 1) % 64} 1\n" for i in range(64))}),
    ("gaussian", "gaussian.cu", "-s 16", {}),
    ("hotspot", "hotspot.cu", "64 2 2 t p out", {"t": numbers(4096), "p": numbers(4096)}),
    ("hotspot3D", "3D.cu", "64 8 4 p t out", {"t": numbers(32768), "p": numbers(32768)}),
    ("kmeans", "cluster.c getopt.c kmeans.c kmeans_clustering.c kmeans_cuda.cu rmse.c", "-o -i data",
     {"data": "".join(f"{i} " + numbers(34, 34) for i in range(100))}),
    ("lavaMD", "main.c kernel/kernel_gpu_cuda_wrapper.cu util/num/num.c util/timer/timer.c util/device/device.cu", "-boxes1d 2", {}),
    ("lud", "cuda/lud.cu cuda/lud_kernel.cu common/common.c", "-s 64 -v", {}),
    ("nn", "nn_cuda.cu", "list -r 5 -lat 30 -lng 90",
     {"list": "db.db\n", "db.db": "".join(f"1950  3 19  0  9 TONY       {28 + i % 9}.0 {79 + i % 7}.6  80  1012\n" for i in range(100))}),
    ("nw", "needle.cu", "64 10", {}),
    ("particlefilter naive", "ex_particle_CUDA_naive_seq.cu", "-x 32 -y 32 -z 3 -np 100", {}),
    ("particlefilter float", "ex_particle_CUDA_float_seq.cu", "-x 32 -y 32 -z 3 -np 100", {}),
    ("pathfinder", "pathfinder.cu", "1000 20 5", {}),
    ("srad/srad_v2", "srad.cu", "128 128 0 31 0 31 0.5 2", {}),
    ("streamcluster", "streamcluster_cuda_cpu.cpp streamcluster_cuda.cu", "4 8 16 256 256 100 none out 1", {}),
    ("srad/srad_v1", "main.cu", None, {}),
    ("b+tree", "main.c kernel/kernel_gpu_cuda_wrapper.cu kernel/kernel_gpu_cuda_wrapper_2.cu util/timer/timer.c util/num/num.c util/cuda/cuda.cu", None, {}),
    ("cfd", "euler3d.cu", None, {}),
    ("cfd double", "euler3d_double.cu", None, {}),
    ("dwt2d", "main.cu dwt.cu components.cu dwt_cuda/fdwt53.cu dwt_cuda/fdwt97.cu dwt_cuda/common.cu dwt_cuda/rdwt97.cu dwt_cuda/rdwt53.cu", None, {}),
    ("heartwall", "main.cu AVI/avilib.c AVI/avimod.c", None, {}),
    ("huffman", "main_test_cu.cu stats_logger.cpp vlc_kernel_sm64huff.cu scan.cu pack_kernels.cu cpuencode.cpp", None, {}),
    ("hybridsort", "bucketsort.cu mergesort.cu main.cu", None, {}),
    ("leukocyte", "CUDA/find_ellipse_kernel.cu", None, {}),
    ("mummergpu", "src/mummergpu.cu", None, {}),
    ("myocyte", "main.cu", None, {}),
]


def rodinia(folder):
    """Rodinia (CUDA) with very little data. A run shows only that a program ends."""
    for name, sources, arguments, data in RODINIA:
        place = folder / "cuda" / name.split(" ")[0]
        files = [place / source for source in sources.split()]
        options = [word for sub in ["", "common", "AVI", "src", "../util", "../../common"] for word in ("-I", str(place / sub))]
        if arguments is None:
            options.append("-c")
        for file in files if arguments is None else [None]:
            title = f"{name}: {file.name}" if file else name
            yield Case(title, [file] if file else files, options, None if file else shlex.split(arguments),
                       texts=data)


SUITES = {f.__name__: f for f in [sanitizer, gpuverify, samples, sgemm, polybench, rodinia]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilewise")
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pattern", nargs="?", default="", help="of the names of programs")
    parser.add_argument("--seconds", type=int, default=150, metavar="N", help="of a processor, for each program (150)")
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), metavar="N", help="programs (one a processor)")
    parser.add_argument("--fast", action="store_true", help="without the checks, as by `lab check --fast`")
    words = parser.parse_args()
    tilewise = str(pathlib.Path(words.tilewise).resolve())
    pattern = re.compile(words.pattern)
    cases = [case for case in SUITES[words.suite](words.folder.resolve()) if pattern.search(case.name)]
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=words.at_once) as pool:
        tried = pool.map(lambda case: try_case(tilewise, case, words.seconds, words.fast), cases)
        for case, outcome in zip(cases, tried):
            print(f"{outcome.kind}\t{case.name}\t{outcome.detail}", flush=True)
            counts[outcome.kind] = counts.get(outcome.kind, 0) + 1
    print(f"{len(cases)} tried: " + ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
