"""Checks the figures of labs/07_transpose/README.md, and says where each comes from."""

from published import gpu, in_source, minimum, published

H200 = "docs/measurements/2026-11-21-transpose-h200.md"


def gtx280(what):
    return published("muni2009", what)


def profile(page, name, side, card=None):
    return page.tilewise.counters("7", f"transpose_{name}(rows={side}, cols={side})", gpu=card)


def check(page):
    page.given("4000 4096 16384 512 128 1024 2048", "sides of matrices")
    card, h200 = gpu("gtx280"), gpu("h200")
    page.figures("141.7 4,800", card["dram_gb_s"], h200["dram_gb_s"])
    copy = gtx280("transpose copy")
    page.table("| kernel | GB/s | of the copy |", lambda row: {
        "GB/s": {"copy": copy, "naive transpose": gtx280("transpose naive")}.get(
            row.first, gtx280("transpose copy strided on both sides"))})
    page.figures("5% 2%", 100 * gtx280("transpose naive") / copy,
                 100 * gtx280("transpose copy strided on both sides") / copy)

    copies = {name: page.tilewise.counters(
        "7", "transpose_naive(rows=4000, cols=4000)", "gtx280",
        f"grading/stages/07_transpose/beside/{name}_copy") for name in ("plain", "strided", "tile")}
    page.modelled("111.3 2.7 111.3", *((copies[name], 1, "gb_s") for name in copies))

    def strides(row):
        stride = int(row.first.split()[0])
        sectors = min(32, 4 * stride)
        return {"sectors": sectors, "used": 100 * 4 / sectors}

    page.table("| s | sectors | used |", strides)
    page.figures("16,000 125", 4000 * 4, 4000 * 4 / 128)
    ragged = profile(page, "naive", 4001)
    page.figures("4001 4.8 81.9%", 4001,
                 ragged["global_load_sectors"] / ragged["global_load_requests"],
                 ragged["global_load_efficiency_pct"])

    page.figures("75.1 14", gtx280("transpose tiled"),
                 gtx280("transpose tiled") / gtx280("transpose naive"))
    page.figures("94.9 17.6 93", gtx280("transpose tiles not turned"),
                 gtx280("transpose padded over naive"),
                 gtx280("transpose padded over naive") * gtx280("transpose naive"))
    page.figures("80", gtx280("transpose diagonal"))

    turn = card["dram_partitions"] * card["partition_bytes"]
    page.figures("256 2,048 512", card["partition_bytes"], turn, turn / 4)
    page.figures("1,024", 256 * 4)
    page.figures_in(H200, "3,439 3,446 4,237 473 491 510 1,579 1,561 1,754 2,888 3,393 4,054 "
                          "2,729 2,792 3,024 0.985 0.840")
    page.figures("83%", 100 * (2888 / 1579 - 1))
    page.figures("132 1.98", h200["sms"], h200["clock_mhz"] / 1000)
    page.figures("1.296", card["clock_mhz"] / 1000)
    page.figures("1.24", gtx280("transpose padded over naive") * gtx280("transpose naive")
                 / gtx280("transpose tiled"))

    page.prints("profile 7 --call 'transpose_naive(rows=4000, cols=4000)'",
                "global stores              500,000        16,000,000     32.0     12.5%")
    page.prints("profile 7 --call 'transpose_tiled(rows=4000, cols=4000)'",
                "bank conflicts          15,500,000")
    tiled, padded = profile(page, "tiled", 4000), profile(page, "padded", 4000)
    page.figures("16,000,000 500,000 15,500,000", 4000**2, tiled["global_load_requests"],
                 tiled["shared_bank_conflicts"])
    if padded["shared_bank_conflicts"]:
        page.problem(0, "transpose_padded has bank conflicts")
    for name, shown, time in (
            ("padded", "1.5", "time 0.2401 ms, 35 GB/s (modelled), limited by: partition camping"),
            ("diagonal", "7.5", "time 0.08342 ms, 101 GB/s (modelled), limited by: DRAM bandwidth")):
        page.prints(f"profile 7 --gpu gtx280 --call 'transpose_{name}(rows=1024, cols=1024)'", time)
        page.prints(f"profile 7 --gpu gtx280 --call 'transpose_{name}(rows=1024, cols=1024)'",
                    "of 8 DRAM partitions, 90 blocks at a time keep 7.5 busy with loads, "
                    f"{shown} with stores (modelled)")
    page.figures("5.6 11.25 7.5", 90 * 128 / turn, 90 * 128 / turn * 16 / 8, 8 * 11.25 / 12)

    page.figures("4,352 1088", (1024 + 64) * 4, 1024 + 64)
    page.modelled("0.08785 0.2401", *((profile(page, "padded", side, "gtx280"), 1, "ms")
                                      for side in (1088, 1024)))

    arguments = 16 + 2 * 8 + 2 * 4
    page.figures("4,224 40 16,384 75% 1024 4,096 4,136 160", 32 * 33 * 4, arguments,
                 card["shared_bytes_per_sm"], 100 * 3 * 256 / 1024, card["threads_per_sm"],
                 32 * 32 * 4, 32 * 32 * 4 + arguments,
                 4 * (32 * 32 * 4 + arguments) - card["shared_bytes_per_sm"])

    grader = "grading/stages/07_transpose/grader.cpp"
    padded_least = minimum("07_transpose", "TransposePadded.ReachesMinimumBandwidth")
    diagonal_least = minimum("07_transpose", "TransposeDiagonal.ReachesMinimumBandwidth")
    of_model = padded_least["of_model"]
    page.figures("56% 67% 90%", 100 * padded_least["of_reference"],
                 100 * diagonal_least["of_reference"], 100 * of_model)
    page.figures("1.5", in_source(grader, r"slack = ([\d.]+)"))
    page.modelled("265 238 264 237 210", *(
        (profile(page, name, 2048), factor, "gb_s") for name, factor in (
            ("padded", 1), ("padded", of_model), ("diagonal", 1), ("diagonal", of_model),
            ("tiled", 1))))
    page.figures("1536", in_source(grader, r"\b(1536)\b"))
