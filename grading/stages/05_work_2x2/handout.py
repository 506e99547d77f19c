"""Checks the figures of labs/05_work_2x2/README.md, and says where each comes from."""

from published import (course2025, gpu, in_source, measured, minimum, peak, put2014_occupancy,
                       put2025)

LADDER = "docs/measurements/2026-11-21-ladder-h200.md"
NOTES = "solutions/05_work_2x2/NOTES.md"


def check(page):
    gtx1080, gt240, h200 = gpu("gtx1080"), gpu("gt240"), gpu("h200")
    page.given("512 640 4096", "orders of products")
    page.figures("128", 4 * 32)
    page.figures("8,873 320", peak("gtx1080"), gtx1080["dram_gb_s"])
    page.figures("5,120 2,560", 320 / 4 * 64, 320 / 4 * 32)
    page.figures("256", 64 * 4)
    cards = {"GT 240": gt240, "GTX 1080": gtx1080, "H200": h200}
    page.table("| GPU | registers an SM |", lambda row: {
        "registers an SM": cards[row.first]["registers_per_sm"],
        "threads an SM": cards[row.first]["threads_per_sm"],
        "registers a thread at 100%":
            cards[row.first]["registers_per_sm"] / cards[row.first]["threads_per_sm"]})

    page.figures("71.8 100% 49.3 25%", measured("put2014", "matmul_shared", 640, a=16),
                 put2014_occupancy("3", 16, "occupancy_pct"),
                 measured("put2014", "put2014_2x2", 640, a=16),
                 put2014_occupancy("5", 16, "occupancy_pct"))
    page.figures("994 99.9% 2,260", put2025(4096, 16, 1, 1),
                 put2025(4096, 16, 2, 2, "achieved_occupancy_pct"), put2025(4096, 16, 2, 2))
    page.figures_in(LADDER, "8,297 16,416 62.5% 16,131")
    page.figures("8,704", put2014_occupancy("5", 16, "registers_per_block"))
    page.figures("43.5 37.9", measured("put2014", "put2014_2x2", 640, a=8),
                 measured("put2014", "matmul_shared", 640, a=8))

    page.figures("1.5 0.75", (2 + 1 / 2 * 2) / 2, 3 / 4)
    page.figures("132 1.98", h200["sms"], h200["clock_mhz"] / 1000)
    bound = h200["sms"] * 64 * h200["clock_mhz"] / 1000
    page.about("11,150 22,300", bound / 1.5, bound / 0.75)

    page.prints("profile 5 --call 'matmul_2x2(n=512, tile=16)'",
                "global loads               262,144         1,048,576      4.0    100.0%")
    page.prints("profile 5 --call 'matmul_2x2(n=512, tile=16)'",
                "line requests sectors each used requests wavefronts conflicts")
    seen = page.tilewise.counters("5", "matmul_2x2(n=512, tile=16)")
    page.figures("131,072", seen["shared_store_wavefronts"] - seen["shared_store_requests"])
    page.figures("3.5", (seen["shared_load_wavefronts_merged"]
                         + seen["shared_store_wavefronts"]) / 1e6)
    page.figures("3,145,728", seen["shared_load_wavefronts_merged"])
    page.figures("262,144 8,388,608", seen["global_load_requests"],
                 32 * seen["global_load_requests"])
    page.figures("31.0", 2 * 512**3 / (512**3 / 16 + 512**2))
    page.figures("63.9", put2025(4096, 16, 2, 2, "cgma_flop_per_access"))
    page.figures("65,536 32,768 1,048,576", seen["global_store_sectors"], 512**2 / 8,
                 seen["global_load_sectors"])
    page.figures("16,384 1024", gt240["registers_per_sm"], gt240["threads_per_sm"])
    page.figures_in(NOTES, "15,993 16,425")
    both = page.tilewise.occupancy(
        "--gpu gt240,gtx1080 --block 16x16 --registers 34 --shared 4140")
    page.figures("25% 75%", both["gt240"]["percent"], both["gtx1080"]["percent"])

    grader = "grading/stages/05_work_2x2/grader.cpp"
    page.figures("1.5 1.3", in_source("grading/stages/tiled_matmul_fixture.cpp", r"slack = ([\d.]+)"),
                 in_source(grader, r"slack = ([\d.]+)"))
    least = minimum("05_work_2x2", "Matmul2x2.ReachesMinimumGflops")
    of_model = least["of_model"]
    page.figures("60% 60%", 100 * least["of_reference"], 100 * of_model)
    near, far = (page.tilewise.counters("5", f"{name}(n=1024, tile=16)")
                 for name in ("matmul_2x2", "matmul_2x2_strided"))
    page.modelled("2,256 2,267 1,354 1,360", (near, 1), (far, 1), (near, of_model), (far, of_model))
    page.modelled("1,095", (page.tilewise.counters(
        "4", "matmul_prefetch_register(n=1024, tile=16)"), 1))
    page.figures("14.3%", 100 * course2025(1, 32, 3200)
                 / peak("gtx1080"))
    page.figures("14.6% 24% 28%", 100 * 9741 / peak("h200"), 100 * 16131 / peak("h200"),
                 100 * put2025(4096, 32, 2, 2) / peak("gtx1080"))
    page.figures_in(NOTES, "16,248 14,859")
    page.figures("2,490", put2025(4096, 32, 2, 2))
