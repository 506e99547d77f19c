"""Checks the figures of labs/02_multi_block_grid/README.md, and says where each comes from."""

from published import gpu, in_source, measured, minimum, peak, published


def check(page):
    page.given("1000 528 127", "orders that the page takes for examples")
    page.figures("1,048,576 1,000,000 48,576 4.6%", 1024**2, 1000**2, 1024**2 - 1000**2,
                 100 * (1 - 1000**2 / 1024**2))
    page.figures("2304 1369 59%", 48**2, 37**2, 100 * 37**2 / 48**2)
    page.figures("6.6", 33 / 5)
    page.figures("128 1024 100% 12.5%", 32 * 4, 32 * 32, 100, 100 * 4 / 32)
    page.figures("36.6 3.9", published("muni2009", "matmul 128x1"),
                 published("muni2009", "matmul 1x128"))

    page.figures("142 66.8", gpu("gtx280")["dram_gb_s"],
                 published("muni2009", "matmul bound by bandwidth"))
    page.figures("0.25", 2 / (2 * 4))
    page.figures("320 4,800 25.6", *(gpu(name)["dram_gb_s"]
                                     for name in ("gtx1080", "h200", "gt240")))
    page.figures("8,873", peak("gtx1080"))
    page.about("66,900", peak("h200"))
    page.figures("0.841 8.0", measured("put2014", "matmul_single_block", 528, a=16),
                 measured("put2014", "matmul_grid", 528, a=16))
    page.figures("9.5", measured("put2014", "matmul_grid", 528, a=16)
                 / measured("put2014", "matmul_single_block", 528, a=16))

    def loads(row):
        seen = page.tilewise.counters("2", f"matmul_grid(n=512, block={row['block']})")
        return {"requests": seen["global_load_requests"], "sectors": seen["global_load_sectors"],
                "each": seen["global_load_sectors"] / seen["global_load_requests"],
                "used": seen["global_load_efficiency_pct"]}

    page.table("| block | requests | sectors |", loads)

    page.figures("8000 1,024,000 24,000", 8 * 1000, 8 * 1000 * 128, 8 * 1000 * 128 - 1000**2)
    page.figures("6.3%", 100 * (33**2 / 32**2 - 1))
    page.figures("65,535", 2**16 - 1)

    page.figures("1.5", in_source("grading/stages/block_shape_fixture.cpp", r"slack = .* \? ([\d.]+)"))
    least = minimum("02_multi_block_grid", "MatmulGrid.ReachesMinimumGflops")
    page.figures("31% 40%", 100 * least["of_reference"], 100 * least["of_model"])
    model = page.tilewise.counters("2", "matmul_grid(n=1024, block=32x16)")
    page.modelled("391 156", (model, 1), (model, 0.4))
    page.figures("0.4 160 128", 64 / 160, 5 * 32, 0.4 * 320)
    page.modelled("75", (page.tilewise.counters("2", "matmul_grid(n=512, block=1x128)"), 1))
