"""Checks the figures of labs/06_work_rx_ry/README.md, and says where each comes from."""

import re

from published import ROOT, course2025, gpu, in_source, minimum, peak, put2025

LADDER = "docs/measurements/2026-11-21-ladder-h200.md"
STRIDED = "docs/measurements/2026-11-22-strided-h200.md"


def accesses(n, tile, rx, ry):
    return n**3 / tile * (1 / rx + 1 / ry) + n**2


def cgma(tile, rx, ry):
    return 2 * tile / (1 / rx + 1 / ry)


def both(cell):
    """Returns the two halves of "2x3"."""
    return [int(each) for each in re.findall(r"\d+", cell)][:2]


def measured_on_h200(page):
    """Returns the rows of the ladder's table of rx x ry, by (tile, rx, ry)."""
    rows = {}
    for line in (ROOT / LADDER).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 12 and re.fullmatch(r"\d+ x \d+", cells[1]):
            rows[int(cells[0]), *both(cells[1])] = [
                float(re.sub(r"[,%]", "", cell)) for cell in cells[2:]]
    return rows


def check(page):
    def saved(row):
        rx, ry = both(row.first)
        return {"accesses": accesses(4096, 16, rx, ry), "CGMA": cgma(16, rx, ry),
                "shared words read for one multiply-add: 1/rx + 1/ry": 1 / rx + 1 / ry}

    page.table("| results | accesses | CGMA |", saved)
    page.figures("51.2 64", cgma(16, 2, 8), cgma(16, 4, 4))
    page.figures("49,152", gpu("gtx1080")["shared_bytes_per_block"])
    page.figures("255", 2**8 - 1)
    page.figures("65,536 1024", gpu("h200")["registers_per_sm"], gpu("h200")["threads_per_block"])
    page.figures("0.2 307", 3 * 4096**2 * 4 / 1e9,
                 put2025(4096, 16, 23, 24, "dram_read_bytes") / 1e9)
    page.figures("57 1,730", put2025(4096, 16, 23, 24), put2025(4096, 16, 16, 16))
    page.figures("1.25 0.545", put2025(4096, 16, 5, 6, "shared_load_transactions") / 1e9,
                 put2025(4096, 16, 6, 6, "shared_load_transactions") / 1e9)

    on_h200 = measured_on_h200(page)

    def configuration(row):
        tile, (rx, ry) = int(row["tile"]), both(row["rx x ry"])
        *rates, _, registers, local, _, occupancy = on_h200[tile, rx, ry]
        large = 3200 if "3200" in row["GFLOPS at n = 4096: GTX 1080, H200"] else 4096
        launched = "did not" not in row["occupancy: GTX 1080, H200"]
        card = [put2025(large, tile, rx, ry, "achieved_occupancy_pct")] if launched else []
        rate = [put2025(large, tile, rx, ry)] if launched else []
        return {"CGMA": cgma(tile, rx, ry), "shared bytes": tile**2 * (rx + ry) * 4,
                "registers (local bytes) on an H200": [registers, local] if local else registers,
                "occupancy: GTX 1080, H200": card + [occupancy],
                "GFLOPS at n = 4096: GTX 1080, H200":
                    rate + ([3200] if large == 3200 else []) + [rates[-1]]}

    page.table("| tile | rx x ry | CGMA |", configuration)
    page.figures("4,750 3,320", put2025(4096, 16, 6, 6), put2025(4096, 16, 8, 8))
    page.figures("132", gpu("h200")["sms"])
    page.figures("17,921 26,502", on_h200[16, 8, 8][0], on_h200[16, 4, 4][0])
    page.figures("256", (1024 // 64)**2)

    def far_apart(row):
        results = int(row.first.split()[0])
        rate = lambda tile, n: course2025(results, tile, n)
        return {"tile 16, n = 1024": rate(16, 1024), "2048": rate(16, 2048),
                "3200": rate(16, 3200), "tile 32, n = 1024": rate(32, 1024),
                "2048 (2)": rate(32, 2048), "3200 (2)": rate(32, 3200)}

    page.table("| results | tile 16, n = 1024 |", far_apart)
    one = course2025(1, 16, 3200)
    page.figures("2.87 5.96", course2025(8, 16, 3200) / one, course2025(16, 16, 3200) / one)
    # With tile 16, a warp has two rows. This is what it asks for, in units of 128 bytes, divided by
    # the passes: loads of A, loads of B, stores.
    page.figures("42.31%", 100 * (2 + 16 + 4) / (16 + 32 + 4))
    page.given("8.81%", "course2025's conclusions")
    page.given("512 1600 2048 3200 4096", "orders of products")
    page.given("4.0", "the way C++ writes it")

    counters = {"requests of global loads": "global_load_requests",
                "sectors of these": "global_load_sectors",
                "wavefronts of shared loads, once merged": "shared_load_wavefronts_merged",
                "bank conflicts": "shared_bank_conflicts"}
    seen = {name: page.tilewise.counters("3", "matmul_shared(n=512, tile=16)", submission=folder)
            for name, folder in (("solution", None), (
                "`vector_loads`", "grading/stages/03_shared_memory/others/vector_loads"))}
    page.table("| | solution | `vector_loads` |", lambda row: {
        name: seen[name][counters[row.first]] for name in seen if row.first in counters})
    page.modelled("928 1,386", (seen["solution"], 1), (seen["`vector_loads`"], 1))
    narrow, wide = (page.tilewise.counters("6", "matmul_rx_ry(n=512, tile=16, rx=4, ry=4)",
                                           submission=folder) for folder in (
        None, "grading/stages/06_work_rx_ry/others/vector_loads"))
    page.figures("32,768 131,072", *(each["global_load_requests"] for each in (wide, narrow)))
    page.figures("196,608 131,072", *(each["shared_store_wavefronts"] for each in (wide, narrow)))
    page.figures_in("docs/measurements/2026-11-22-styles-h200.md", "12,992 9,105 22,901 29,951")

    page.figures("64,000,000 256,000,000 20,000,000",
                 put2025(1600, 16, 1, 1, "l2_read_transactions"),
                 put2025(1600, 16, 1, 1, "gld_transactions"),
                 put2025(1600, 16, 2, 1, "shared_store_transactions"))
    # 50 x 100 blocks of 8 warps fill a tile of A and two of B in each of 100 steps.
    page.figures("12,000,000", 50 * 100 * 8 * 3 * 100)

    _check_choice(page, on_h200)
    page.pitfall_unheard("no `__launch_bounds__`", "the simulator has no registers to run out of")
    page.pitfall_unheard("a loop over i or j that is not unrolled", "nothing fails")

    for results, line in ((1, "barriers                   524,288"),
                          (4, "barriers                    32,768")):
        page.prints(f"profile 6 --call 'matmul_rx_ry(n=512, tile=16, rx={results}, ry={results})'",
                    line)
    wide = page.tilewise.counters("6", "matmul_rx_ry(n=512, tile=16, rx=4, ry=4)")
    page.figures("131,072 4,194,304", wide["global_load_requests"],
                 accesses(512, 16, 4, 4) - 512**2)
    chosen = page.tilewise.counters("6", "matmul_auto(n=512)", gpu="h200")
    page.figures("6,144", chosen["shared_bytes"])
    if (not chosen["name"].startswith("strided_kernel")
            or chosen["grid"][:2] != [8, 16] or chosen["block"][:2] != [16, 16]):
        page.problem(0, f"matmul_auto(n=512) takes {chosen['name']} on an H200")

    page.figures("256", 4 * 4 * 16)
    for literal, results, registers in (("513", 4, 64), ("193", 1, on_h200[16, 1, 1][6]),
                                        ("769", 8, 128)):
        filled = page.tilewise.occupancy(
            f"--gpu gtx1080 --block 16x16 --registers {registers:.0f} "
            f"--shared {256 * 2 * results * 4} --results {results}x{results}")["gtx1080"]
        page.figures(literal, filled["saturation"]["n"])
    page.figures("160", 20 * 2048 / 256)
    page.given("203 1,215 4,857", "put2025, section 7")
    for literal, tile, results in (("193", 32, 1), ("1,153", 32, 6), ("2,305", 16, 24)):
        filled = page.tilewise.occupancy(
            f"--gpu gtx1080 --block {tile}x{tile} --shared {tile**2 * 2 * results * 4} "
            f"--results {results}x{results}")["gtx1080"]
        page.figures(literal, filled["saturation"]["n"])
    page.figures("36,559 21,684", on_h200[16, 8, 8][2], on_h200[16, 8, 8][1])
    page.figures("196", on_h200[16, 8, 8][6])
    page.figures("12.5 169 1664", 1600 / 128, 13 * 13, 13 * 128)
    page.figures("124 37", 2 * 132 - 2 * 132 + 256 - 132, 169 - 132)
    page.figures("128 37,258 32,529", cgma(32, 4, 4), on_h200[16, 8, 8][4], on_h200[32, 4, 4][4])
    page.figures("168", on_h200[32, 6, 6][7])

    grader = "grading/stages/06_work_rx_ry/grader.cpp"
    squares_least = minimum("06_work_rx_ry", "MatmulRxRy.ReachesMinimumGflops")
    chosen_least = minimum("06_work_rx_ry", "MatmulAuto.ReachesMinimumGflops")
    of_model = squares_least["of_model"]
    page.figures("75% 59% 40%", 100 * of_model, 100 * squares_least["of_reference"],
                 100 * chosen_least["of_reference"])
    page.figures("1.5", in_source("grading/stages/tiled_matmul_fixture.cpp", r"slack = ([\d.]+)"))
    page.figures("641", in_source(grader, r"\b(641)\b"))
    squares = page.tilewise.counters("6", "matmul_rx_ry(n=1024, tile=16, rx=4, ry=4)")
    chosen = page.tilewise.counters("6", "matmul_auto(n=1280)")
    page.modelled("3,688 2,766 3,753 2,815", (squares, 1), (squares, of_model), (chosen, 1),
                  (chosen, of_model))
    page.modelled("2,256 2,267", *((page.tilewise.counters("5", f"{name}(n=1024, tile=16)"), 1)
                                   for name in ("matmul_2x2", "matmul_2x2_strided")))
    page.figures("45% 24 28%", 100 * on_h200[16, 4, 4][4] / peak("h200"),
                 100 * 16131 / peak("h200"),
                 100 * put2025(4096, 32, 2, 2) / peak("gtx1080"))


def _check_choice(page, on_h200):
    """Checks the table that estimates three configurations with the solution's constants."""
    solution = "solutions/06_work_rx_ry/matmul_rx_ry.cu"
    for_b, for_a, other, waiting = (in_source(solution, pattern) for pattern in (
        r"([\d.]+) \* c\.rx", r"([\d.]+) \* c\.ry", r"c\.ry \+ ([\d.]+)\)", r"waiting = (\d+)"))
    page.figures("0.7 0.5 0.5 200", for_b, for_a, other, waiting)
    card = gpu("h200")
    estimates = {}
    for column, rx, ry in (("2x2, tile 16", 2, 2), ("strided, 8 results, tile 16", 4, 2),
                           ("4x4, tile 16", 4, 4)):
        across, down = -(-512 // (16 * rx)), -(-512 // (16 * ry))
        busiest = -(-across * down // card["sms"])
        per_k = rx * ry / 4 + for_b * rx + for_a * ry + other
        step = 256 / 32 * 16 * per_k
        resident = card["registers_per_sm"] // (256 * (rx * ry + 3 * (rx + ry) + 20))
        together = busiest * step + waiting / busiest
        estimates[column] = {
            "blocks": [across, down, across * down], "of the busiest of 132 SMs": busiest,
            "resident at most (registers)": resident, "step, cycles": [128, per_k, step],
            "together": [busiest, step, waiting / busiest, together] if busiest > 1
                        else [step, waiting, together],
            "32 steps, cycles": 32 * together}
    page.table("| | 2x2, tile 16 |", lambda row: {
        column: values[row.first] for column, values in estimates.items() if row.first in values})
    page.figures_in(LADDER, "3.9")
    page.figures_in(STRIDED, "8,613 8,747")
