"""Checks the figures of labs/03_shared_memory/README.md, and says where each comes from."""

from published import gpu, in_source, measured, minimum, published, put2014_occupancy


def check(page):
    page.given("528", "an order that the page takes for an example")
    page.figures("278,784", 528**2)
    page.figures("0.25", 2 / (2 * 4))

    def traffic(row):
        tile = 1 if row.first == "stage 2" else int(row.first.split()[1])
        return {"loads": 2 * 528**3 / tile, "FLOP per access": tile, "FLOP per byte": tile / 4}

    page.table("| n = 528 | loads |", traffic)
    page.figures("320", gpu("gtx1080")["dram_gb_s"])
    page.figures("1,280 2,560 80", 320 * 16 / 4, 320 * 32 / 4, 320 / 4)
    page.figures("142 568 622 198", gpu("gtx280")["dram_gb_s"],
                 *(published("muni2009", what) for what in (
                     "matmul tiled bound by bandwidth", "peak multiply-add", "matmul tiled")))
    page.figures("0.841 8.017 72.246", measured("put2014", "matmul_single_block", 528, a=16),
                 measured("put2014", "matmul_grid", 528, a=16),
                 published("put2014", "GFLOPS 3 16 528"))

    def needs(row):
        tile = int(row["tile"])
        warps = -(-tile**2 // 32)
        idle = 32 * warps - tile**2
        return {"threads": tile**2, "warps": warps,
                "idle lanes": [idle, 32 * warps, 100 * idle / (32 * warps)] if idle else idle,
                "shared memory: 2 * Tile^2 * 4 bytes": 2 * tile**2 * 4}

    page.table("| tile | threads | warps |", needs)

    def resident(row):
        tile = int(row["tile"])
        active = put2014_occupancy("3", tile, "active_threads")
        return {"GFLOPS": measured("put2014", "matmul_shared", 528, a=tile),
                "resident threads per SM": [active, 8] if tile == 8 else active}

    page.table("| tile | GFLOPS | resident", resident)
    page.prints("profile 3 --call 'matmul_shared(n=528, tile=16)'",
                "global loads               574,992         2,299,968      4.0    100.0%")
    page.figures("574,992", page.tilewise.counters("3", "matmul_shared(n=528, tile=16)")
                 ["global_load_requests"])
    page.figures("18,399,744", 574992 * 32)
    page.figures("128", 32 * 4)
    page.figures("110,592 50,653 4112 4101", 48**3, 37**3, 257 * 16, 4096 + 5)
    page.figures("2304", 48**2)

    page.figures("3,072 2,092 2,560 16,384", put2014_occupancy("3", 16, "registers_per_block"),
                 put2014_occupancy("3", 16, "shared_bytes_per_block"), 5 * 512,
                 gpu("gt240")["shared_bytes_per_sm"])
    by_hand = page.tilewise.occupancy(
        "--gpu gt240 --block 16x16 --registers 12 --shared 2092")["gt240"]
    page.figures("512", by_hand["shared_bytes_per_block"] / 5)
    page.figures("100%", by_hand["percent"])

    counters = {"sectors moved for the loads": "global_load_sectors",
                "of these used": "global_load_efficiency_pct",
                "wavefronts of shared loads": "shared_load_wavefronts",
                "bank conflicts": "shared_bank_conflicts"}
    seen = {f"tile {tile}": page.tilewise.counters(
        "3", f"matmul_shared(n=528, tile={tile})", "gt240") for tile in (16, 22)}
    page.table("| | tile 16 | tile 22 |", lambda row: {
        tile: seen[tile][counters[row.first]] if row.first in counters
        else 2 * 528**3 / int(tile.split()[1]) for tile in seen})
    loads = page.tilewise.counters("3", "matmul_shared(n=528, tile=16)")
    page.figures("8,712 18,678,528 15.76 15.8", loads["global_store_requests"],
                 32 * (loads["global_load_requests"] + loads["global_store_requests"]),
                 2 * 528**3 / 32 / (loads["global_load_requests"] + loads["global_store_requests"]),
                 2 * 528**3 / (2 * 528**3 / 16 + 528**2))

    page.figures("8.0 510.6 1,310.7", *(published("put2014", f"CGMA {which}")
                                        for which in ("1 16 528", "3 16 528", "5 16 640")))
    page.figures("512", 16 * 16 * 4 / 2)

    page.figures("1.5", in_source("grading/stages/tiled_matmul_fixture.cpp", r"slack = ([\d.]+)"))
    least = minimum("03_shared_memory", "MatmulShared.ReachesMinimumGflops")
    of_model = least["of_model"]
    page.figures("60% 60%", 100 * least["of_reference"], 100 * of_model)
    model = page.tilewise.counters("3", "matmul_shared(n=1024, tile=32)")
    stage_2 = page.tilewise.counters("2", "matmul_grid(n=1024, block=32x32)")
    page.modelled("1,178 707 379", (model, 1), (model, of_model), (stage_2, 1))
    page.figures_in("solutions/03_shared_memory/NOTES.md", "6%")
