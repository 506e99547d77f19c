"""Checks the figures of labs/11_warp_tiles/README.md, and says where each comes from."""

from published import gpu, in_source, minimum, peak

H200 = "docs/measurements/2026-11-23-warp-tiles-h200.md"


def check(page):
    page.given("1024 2048 4096 8192", "orders of products")
    page.figures("131 132", gpu("h200")["sms"] - 1, gpu("h200")["sms"])

    page.figures_in(H200, "39 6,239 9,077 9,734 16,402 37,104 33,977 39,063 47,782 53,575 50,261")
    rates = {"one block (at n = 1024)": 39, "one result a thread": 6239,
             "tiles in shared memory": 9077, "the next tile fetched ahead": 9734,
             "2 x 2 results a thread": 16402, "8 x 8 results a thread": 37104,
             "one operand in registers (rank-1)": 33977, "vectors: `matmul_vectorized`": 39063,
             "warp tiles: `matmul_warp_tiles`": 47782, "copies: `matmul_async`": 53575,
             "cuBLAS, FP32": 50261}
    page.table("| stage | kernel | GFLOPS |",
               lambda row: {"GFLOPS": rates[row["kernel"]] if row["kernel"] in rates else [],
                            "of cuBLAS": 100 * rates[row["kernel"]] / 50261})
    page.about("66,900", peak("h200"))
    page.figures("65,600", 1000 * 65.6)  # H200: 65.6 TFLOPS

    page.figures("66,908 1.98 128", 132 * 128 * 2 * 1.98, 1.98, 128)
    page.figures("80% 94% 95.5%", 100 * 64 / 80, 100 * 64 / 68, 100 * 128 / 134)
    page.figures("134 132", 128 + 6, 128 + 4)
    page.figures("512", 32 * 16)
    n = 4096
    page.figures("3.0 3.3", (2 + 4) / 2, (2 * 2 + 4 * 4) / 6)
    page.figures("402,653,184 335,544,320", n**3 / 2048 * 12, n**3 / 4096 * 20)
    page.figures("144", 16 + 128)
    page.given("256", "blocks of cuBLAS's kernel, threads of ours, columns of a block")
    page.figures("16 96", 16, 32 + 64)

    page.given("1,122 216", "nvcc 13.0.88 for sm_90")
    page.figures("50,720 52,710 48,710 51,360 45,350 53,120 50,870", *(
        1000 * each for each in (50.72, 52.71, 48.71, 51.36, 45.35, 53.12, 50.87)))
    counted = {"vectorized": (68.3, 88.6), "warp tiles": (84.7, 87.3), "async": (91.1, 91.2),
               "cuBLAS": (89.5, 88.4)}
    page.figures_in(H200, "68.3% 84.7% 91.1% 89.5% 88.6% 87.3% 91.2% 88.4%")
    page.figures("60.5% 73.9% 83.1% 79.1%",
                 *(busy * useful / 100 for busy, useful in counted.values()))
    page.figures("3.88 512", 512 / 132, n * n / (128 * 256))
    page.figures("3%", 100 * (1 - 512 / 132 / 4))
    page.given("670 695 700 1,980", "H200: watts and MHz of the page of measurements")

    page.prints("profile 11 --call 'matmul_vectorized(n=1024)'",
                "global loads               131,072         2,097,152     16.0    100.0%")
    page.prints("profile 11 --call 'matmul_warp_tiles(n=1024)'",
                "once merged            2,097,152         6,291,456      3.0")
    page.figures("33,554,432 2,097,152", 1024**3 / 32, 1024**3 / 32 / 16)

    grader = "grading/stages/11_warp_tiles/grader.cpp"
    page.figures("10 1.75 1.4", in_source(grader, r"enough = ([\d.]+)"),
                 in_source(grader, r"slack = (1\.75)"), in_source(grader, r"slack = (1\.4)"))
    least = [minimum("11_warp_tiles", f"{suite}.ReachesMinimumGflops")
             for suite in ("MatmulWarpTiles", "MatmulAsync")]
    page.figures("80% 72%", *(100 * each["of_reference"] for each in least))
    page.figures("78% 69%", 100 * 37104 / 47782, 100 * 37104 / 53575)
    page.figures("85% 93%", *(100 * each["of_model"] for each in least))

    page.figures("128 255 160 4,096", 8 * 16, 2**8 - 1, 32 + 128, 64 * 64)
    page.given("52,000", "an example")
    page.figures("65,536 384 1,536 42.67 1,219", 2 * 128 * 256, 128 + 256, 384 * 4, 65536 / 1536,
                 52000 / (65536 / 1536))
    page.given("4,800", "GB/s of DRAM, data sheet of the H200")
    page.figures("90% 92%", 100 * 1024 / (1024 * 1.111), 100 * 128 / 139)
