"""Checks the figures of labs/08_dgemm_dtrsm/README.md, and says where each comes from."""

import math

from published import gpu, in_source, measured, minimum, peak, published

MEASURED = "docs/measurements/2026-11-21-dgemm-dtrsm-h200.md"
INSIDE_CUBLAS = "docs/measurements/2026-11-23-cublas-h200.md"
NOTES = "solutions/08_dgemm_dtrsm/NOTES.md"


def p100(what):
    return published("fing2020", what)


def check(page):
    page.given("46,341 512 1024 4096", "orders of matrices")
    page.figures("1.1e-16 6.0e-8", 2.0**-53, 2.0**-24)
    cards = {"GTX 1080": "gtx1080", "P100": "p100", "H200": "h200"}

    def rates(row):
        name = cards[row.first]
        card, double = gpu(name), peak(name, "fp64_lanes_per_sm")
        return {"SMs": card["sms"],
                "FP32 and FP64 lanes an SM": [card["fp32_lanes_per_sm"], card["fp64_lanes_per_sm"]],
                "GHz": card["clock_mhz"] / 1000, "FP32, GFLOPS": peak(name), "FP64, GFLOPS": double,
                "ratio": [1, peak(name) / double], "GB/s": card["dram_gb_s"],
                "FP64 FLOP per byte": double / card["dram_gb_s"]}

    page.table("| GPU | SMs | FP32 and FP64", rates)
    page.figures("0.25 0.125", 2 / 8, 2 / 16)
    page.figures("8,192 16,384", 2 * 32 * 32 * 4, 2 * 32 * 32 * 8)
    page.figures("128", 32 * 4)
    page.figures("640 9,600 5,576", 320 * 2, 4800 * 2, 132 * 64 / 3 * 1.98)
    page.figures("8 10.7", 64 * 64 / (4 * 128), 64 * 128 / (4 * 192))

    def tiles(row):
        n = int(row.first.split()[0])
        rate = lambda name: measured("fing2020", f"fing2020_dgemm_{name}", n, k=n)
        return {"global, GFLOPS": rate("global"), "shared, GFLOPS": rate("shared"),
                "": rate("shared") / rate("global")}

    page.table("| m x n x k | global, GFLOPS |", tiles)
    page.figures("23%", 100 * measured("fing2020", "fing2020_dgemm_shared", 4096, k=4096)
                 / peak("p100", "fp64_lanes_per_sm"))

    page.figures("0.0745 0.0748 0.0414", p100("dtrsm_32 shared by columns n 4096"),
                 p100("dtrsm_32 shuffle by columns n 4096"), p100("dtrsm_32 shared by rows n 4096"))
    page.figures("1.8", p100("dtrsm_32 shared by columns n 4096")
                 / p100("dtrsm_32 shared by rows n 4096"))
    page.figures_in(NOTES, "0.0089 0.0057 2.317 1.199 1.733 14.48 4.080 2.726")

    page.table("| m | 64 |", lambda row: {
        m: 100 * (1 - 32 / int(m)) for m in ("64", "512", "4096")})
    page.figures("549 2,196", gpu("p100")["dram_gb_s"], 549 * 4)

    def stores(row):
        sweep = row.first == "sweep"
        leaf = 32 if sweep else int(row.first.split()[-1])
        return {"launches": [4096 / leaf, 4096 / leaf - 1],
                "stores an element": 1 + (4096 / 32 - 1) / 2 if sweep
                                     else 1 + math.log2(4096 / leaf) / 2,
                "largest product, k": 32 if sweep else 2048,
                "FLOP per byte of C": 2 * (32 if sweep else 2048) / 16}

    page.table("| m = 4096 | launches |", stores)
    for n in (512, 4096):
        page.figures({512: "115.2 14.06 7.18", 4096: "143.6 79.2 32.4"}[n],
                     *(p100(f"dtrsm {way} m 4096 n {n}")
                       for way in ("sweep", "recursion", "cublas")))
    for n, shown in ((512, "158.4 65.4 46.1"), (4096, "289.5 218.2 117.8")):
        page.figures(shown, *(p100(f"dtrsm {way} total m 4096 n {n}")
                              for way in ("sweep", "recursion", "cublas")))
    page.figures("134,217,728 16,777,216 167,772,160 3.9", 4096**2 * 8, 4096 * 512 * 8,
                 (4096**2 + 2 * 4096 * 512) * 8, (4096**2 + 2 * 4096 * 512) * 8 / 43.3e6)
    page.figures("158.44 115.181", p100("dtrsm sweep total m 4096 n 512"),
                 p100("dtrsm sweep m 4096 n 512"))
    page.given("0.0842 0.0856 0.1467 0.7244 0.0932 99.98 99.91 160.65 159.52 83.24 128.57 0.5534 "
               "0.9087 100", "fing2020, tables 16 to 23, 9 and 10")
    page.given("102", "a sum of the page's own")
    columns = page.tilewise.counters("8", "dtrsm_32_shared(n=4096)", "p100",
                                     "grading/stages/08_dgemm_dtrsm/beside/published")
    page.figures("25.0%", columns["global_store_efficiency_pct"])
    page.figures("128 256", 4 * 32, 32 * 8)
    page.figures("1.2e-7", 2.0**30 * 2.0**-53)
    page.figures("5.7e-14", 512 * 2.0**-53)
    page.figures("65,535", 2**16 - 1)

    gemm = {name: page.tilewise.counters("8", f"dgemm_{name}(m=256, n=256, k=512)")
            for name in ("global", "shared")}
    page.prints("profile 8 --call 'dgemm_global(m=256, n=256, k=512)'",
                "global loads             2,097,152         9,437,184      4.5     91.7%")
    page.prints("profile 8 --call 'dgemm_shared(m=256, n=256, k=512)'",
                "bank conflicts           1,048,576")
    page.figures("91.7%", p100("dgemm global efficiency of loads"))
    page.figures("256 288", 32 * 8, 9 * 32)
    page.figures("1,048,576", gemm["shared"]["global_load_sectors"])
    page.figures("1,048,576", 256 * 256 * 512 / 32)
    page.figures("3,145,728 4,194,304", gemm["shared"]["shared_load_wavefronts_merged"],
                 gemm["shared"]["shared_load_wavefronts"])

    solvers = {name: page.tilewise.counters("8", f"dtrsm_32_{name}(n=512)")
               for name in ("shared", "shuffle")}
    counters = {"sectors stored": "global_store_sectors", "shuffles": "shuffles",
                "barriers, each counted for each warp": "barriers"}
    page.table("| | shared | shuffle |", lambda row: {
        name: solvers[name][counters[row.first]] for name in solvers})
    page.figures("31 7", *(len(page.tilewise.kernels("8", f"dtrsm_{name}(m=512, n=512)"))
                           for name in ("blocked", "recursive")))

    page.figures("8,390,656 2048", 2048 * 4096 + 2048, 4096 / 2)
    page.figures("0.5 277 137.4", 2 * 4096**3 / peak("gtx1080", "fp64_lanes_per_sm") / 1e9,
                 peak("gtx1080", "fp64_lanes_per_sm"), 2 * 4096**3 / 1e9)
    page.figures("15", 2 * 4096**3 / peak("gtx1080") / 1e6)
    page.figures("496 528 1,024 0.8%", sum(range(32)), 496 + 32, 32 * 32, 100 * 32 / 4096)

    of_dgemm = minimum("08_dgemm_dtrsm", "DgemmShared.ReachesMinimumGflops")
    of_dtrsm = minimum("08_dgemm_dtrsm", "DtrsmOfAnyOrder.ReachesMinimumGflops")
    dgemm = "grading/stages/08_dgemm_dtrsm/dgemm.cpp"
    dtrsm = "grading/stages/08_dgemm_dtrsm/dtrsm.cpp"
    page.figures("100% 0.917", 100, 264 / 288)
    page.figures("1.75 16.5 4.95", in_source(dtrsm, r"slack = ([\d.]+)"), 1 + (1024 / 32 - 1) / 2,
                 in_source(dtrsm, r"stored > ([\d.]+)") * (1 + math.log2(1024 / 32) / 2 + 1))
    page.figures("1.5 18%", in_source(dgemm, r"slack_of_loads = ([\d.]+)"),
                 100 * of_dgemm["of_reference"])
    page.figures("15% 85%", 100 * of_dtrsm["of_reference"], 100 * of_dgemm["of_model"])
    page.modelled("271 230 213", *(
        (page.tilewise.counters("8", f"dgemm_{name}(m=1024, n=1024, k=1024)"), factor)
        for name, factor in (("shared", 1), ("shared", of_dgemm["of_model"]), ("global", 1))))
    page.figures_in(MEASURED, "22,789 33,454")
    page.figures_in(INSIDE_CUBLAS, "12.5")
    page.about("1.66 1.89", 1.655, 1.655 + 0.231)
