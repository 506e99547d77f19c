"""Checks the figures of labs/04_prefetch/README.md, and says where each comes from."""

from published import gpu, in_source, measured, minimum, published, put2014_occupancy

LADDER = "docs/measurements/2026-11-21-ladder-h200.md"
FUNCTIONS = {"3": "matmul_shared", "4a": "matmul_prefetch_register", "4b": "matmul_prefetch_shared"}
PUBLISHED = FUNCTIONS | {"4b": "put2014_prefetch_shared"}


def instructions(version, tile):
    """Returns the number of instructions relative to version 3: GIPS times the time, which is
    proportional to 1 / GFLOPS."""
    count = lambda each: (published("put2014", f"GIPS {each} {tile} 512")
                          / measured("put2014", PUBLISHED[each], 512, a=tile))
    return count(version) / count("3")


def check(page):
    page.given("640", "the largest order of put2014")
    page.given("400 600", "muni2009, the chapter on global memory")
    page.figures("40,960 64", 16 * 640 * 4, 16 * 4)
    page.table("| tile | threads | shared memory, one pair", lambda row: {
        "threads": int(row["tile"])**2, "shared memory, one pair": 2 * int(row["tile"])**2 * 4,
        "two pairs": 4 * int(row["tile"])**2 * 4})
    page.figures("16,384", gpu("gt240")["registers_per_sm"])
    page.figures("1024", gpu("gt240")["threads_per_sm"])

    def on_gt240(row):
        version = {"stage 3": "3", "to registers (4a)": "4a"}.get(row["version"], "4b")
        tile = int(row["tile"])
        of = lambda column: put2014_occupancy(version, tile, column)
        return {"registers a thread": of("registers_per_thread"),
                "shared memory a block": of("shared_bytes_per_block"),
                "blocks an SM": of("active_blocks"), "occupancy": of("occupancy_pct"),
                "GFLOPS": measured("put2014", PUBLISHED[version], 512, a=tile),
                "instructions": instructions(version, tile)}

    page.table("| version | tile | registers a thread |", on_gt240)
    page.figures("16,560", 4 * put2014_occupancy("4b", 16, "shared_bytes_per_block"))
    page.figures("13%", 100 * (1 - measured("put2014", PUBLISHED["4b"], 512, a=8)
                               / measured("put2014", PUBLISHED["3"], 512, a=8)))

    page.figures_in(LADDER, "5,115 5,124 5,453 8,105 8,297 8,337 9,079 9,741 9,351")
    page.figures("0.2% 6.6% 2.4% 2.9% 7.3% 3.0%",
                 *(100 * (faster / slower - 1) for faster, slower in (
                     (5124, 5115), (5453, 5115), (8297, 8105), (8337, 8105), (9741, 9079),
                     (9351, 9079))))
    page.table("| tile | blocks an SM |", lambda row: {
        "blocks an SM": min(32, 2048 // int(row["tile"])**2)})
    page.figures("100%", 100)

    page.prints("profile 4 --call 'matmul_prefetch_shared(n=512, tile=16)'",
                "global loads               524,288         2,097,152      4.0    100.0%")
    page.figures("524,288", page.tilewise.counters(
        "4", "matmul_prefetch_register(n=512, tile=16)")["barriers"])
    same = lambda seen: {name: value for name, value in seen.items()
                         if name.startswith(("global", "shared")) and name != "shared_bytes"}
    if not (same(page.tilewise.counters("3", "matmul_shared(n=512, tile=16)"))
            == same(page.tilewise.counters("4", "matmul_prefetch_register(n=512, tile=16)"))
            == same(page.tilewise.counters("4", "matmul_prefetch_shared(n=512, tile=16)"))):
        page.problem(0, "the counters of stages 3 and 4 differ")

    page.figures("4,140", put2014_occupancy("4b", 16, "shared_bytes_per_block"))
    page.figures("4,096", 4 * 16**2 * 4)
    h200 = gpu("h200")
    page.figures("228 2048 233,472 65,536", h200["shared_bytes_per_sm"] / 1024,
                 h200["threads_per_sm"], h200["shared_bytes_per_sm"], h200["registers_per_sm"])
    page.figures("34,816", 2 * (16384 + 1024))
    page.given("1,024", "shared memory that CUDA keeps of each block on such a card")

    page.figures("1.5", in_source("grading/stages/tiled_matmul_fixture.cpp", r"slack = ([\d.]+)"))
    least = minimum("04_prefetch", "MatmulPrefetchRegister.ReachesMinimumGflops")
    of_reference = least["of_reference"]
    page.figures("60%", 100 * of_reference)
    to_registers, to_pair = (page.tilewise.counters("4", f"{FUNCTIONS[each]}(n=1024, tile=32)")
                             for each in ("4a", "4b"))
    page.modelled("1,240 1,279 744 767", (to_registers, 1), (to_pair, 1),
                  (to_registers, of_reference), (to_pair, of_reference))
    page.modelled("1,178", (page.tilewise.counters("3", "matmul_shared(n=1024, tile=32)"), 1))
