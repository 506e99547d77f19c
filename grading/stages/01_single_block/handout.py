"""Checks the figures of labs/01_single_block/README.md, and says where each comes from."""

from published import gpu, in_source, measured, peak, put2014_occupancy


def check(page):
    page.given("46,341 528 100", "orders that the page takes for examples")
    page.figures("2,147,483,647", 2**31 - 1)
    page.figures("147,197,952", 528**3)
    page.figures("1024", gpu("h200")["threads_per_block"])
    page.figures("128 576", 16 * 8, (528 / 22)**2)
    page.figures("0.25", 2 * 528**3 / (2 * 528**3 * 4))  # FLOP per byte
    page.figures("132", gpu("h200")["sms"])
    page.about("66,900", peak("h200"))

    def blocks(row):
        edge = int(row["block"].partition("x")[0])
        return {"threads": [put2014_occupancy("1", edge, "active_threads")] + (
                    [put2014_occupancy("1", edge, "active_warps"), 32] if edge == 22 else []),
                "share of the SM's 1024 threads": put2014_occupancy("1", edge, "occupancy_pct"),
                "GFLOPS": measured("put2014", "matmul_single_block", 528, a=edge)}

    page.table("| block | threads |", blocks)
    page.figures("3.8", measured("put2014", "matmul_single_block", 528, a=16)
                 / measured("put2014", "matmul_single_block", 528, a=8))
    page.figures("8.0", measured("put2014", "matmul_grid", 528, a=16))

    loads = page.tilewise.counters("1", "matmul_single_block(n=128, block=32x8)")
    page.figures("2.5", loads["global_load_sectors"] / loads["global_load_requests"])
    page.figures("16.5", (1 + 32) / 2)  # one element of B for all lanes, 32 rows of A

    grader = "grading/stages/01_single_block/grader.cpp"
    page.figures("512 256", in_source(grader, r"models_rates\(\) \? \d+ : (\d+)"),
                 in_source(grader, r"models_rates\(\) \? (\d+)"))
    page.modelled("13", (page.tilewise.counters("1", "matmul_single_block(n=256, block=32x32)"), 1))
