"""Checks the figures of labs/10_reduction/README.md, and says where each comes from."""

from published import gpu, in_source, minimum

STAGE = "10_reduction"
NOTES = f"solutions/{STAGE}/NOTES.md"


def check(page):
    page.given("1,024 10", "threads of a block of the solution; its ten halvings")
    page.given("4 16 32 256 512 8 2 5 3", "sizes of floats, float4, warps and blocks")

    # Enough on its way.
    h200 = gpu("h200")
    page.figures("132 2,048", h200["sms"], h200["threads_per_sm"])
    page.given("4,800 700", "GB/s of the data sheet; an estimate, which the text says")
    page.figures("3.36 3,360 25.5", 4800 * 0.7 / 1000, 4800 * 0.7, 3360 / 132)
    page.figures("8,192 131,072", 2048 * 4, 2048 * 4 * 16)
    page.figures_in(NOTES, "2,370 2,536 4,056 4,437 3,996 4,435 2.0 66.5 308.4 233.7")

    # What shared memory is used for.
    calls = {name: page.tilewise.counters("10", f"{name}(n=1048576)")
             for name in ("sum_shared", "sum_shuffle", "sum_atomic")}
    counted = {"loads of shared memory": "shared_load_requests",
               "stores to shared memory": "shared_store_requests",
               "barriers, by warps": "barriers", "shuffles, by warps": "shuffles",
               "atomics": "global_atomic_requests"}
    page.table("| n = 1,048,576, 40 blocks of 1,024 threads |",
               lambda row: {f"`{name}`": seen[counted[row.first]] for name, seen in calls.items()})
    page.figures("40 1,048,576", calls["sum_atomic"]["global_atomic_requests"], 2**20)

    page.given("0.7 1,000", "the same in units that go together")
    page.given("89 104", "beyond what exp() of a float can be")
    page.figures("32,768", 1024 * 32)
    page.figures_in(NOTES, "4,495 4,452 4,517 4,531 4,508 4,103 4,118 4,208 4,169 4,184 2,812 4,190")

    page.prints("profile 10 --call 'sum_atomic(n=1048576)'",
                "global loads                 8,192           131,072     16.0    100.0%")
    page.figures("131,072", calls["sum_atomic"]["global_load_sectors"])

    # Questions.
    page.figures("268,435,456 270,336 993 264", 2**28, 132 * 2 * 1024, 2**28 / (132 * 2 * 1024),
                 132 * 2)
    page.figures("4,096 65,536", 4 * 1024, 2**28 / 4096)
    page.given("126", "the exponent of the smallest normal float")
    page.figures("16,384 65,536", 2**14, 2**14 * 4)
    gemv = page.tilewise.counters("10", "gemv(m=1024, n=1024)")
    page.figures("262,144 131,072", gemv["global_load_sectors"], gemv["global_load_sectors"] / 2)

    page.given("131,200", "dram_read_transactions of lab profile")

    # How it is graded.
    page.given("1 1,500,007 100,000 100 120 1e30 3e38 16,777,216", "sizes and numbers of the tests")
    sums = minimum(STAGE, "Sums.ReachMinimumBandwidth")
    rows = minimum(STAGE, "Rows.ReachMinimumBandwidth")
    page.figures("45% 30% 65% 50%", 100 * sums["of_reference"], 100 * rows["of_reference"],
                 100 * sums["of_model"], 100 * rows["of_model"])
    large = {name: page.tilewise.counters("10", call) for name, call in
             (("sum", "sum_shared(n=16777216)"), ("gemv", "gemv(m=2048, n=2048)"),
              ("softmax", "softmax_rows(rows=2048, cols=2048)"))}
    page.modelled("268 174", (large["sum"], 1, "gb_s"), (large["sum"], sums["of_model"], "gb_s"))
    # Half of what gemv moves is A.
    page.modelled("252 265", (large["gemv"], 1 / 2, "gb_s"), (large["softmax"], 1, "gb_s"))
    page.figures("1.5", in_source(f"grading/stages/{STAGE}/sums.cpp", r"slack = ([\d.]+)"))
    page.figures("1.25", in_source(f"grading/stages/{STAGE}/rows.cpp", r"slack = ([\d.]+)"))
