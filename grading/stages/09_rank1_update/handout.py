"""Checks the figures of labs/09_rank1_update/README.md, and says where each comes from."""

from published import gpu, in_source, minimum, peak, published

LADDER = "docs/measurements/2026-11-21-ladder-h200.md"


def gtx280(what):
    return published("muni2009", what)


def cgma(rows, columns):
    return 2 / (1 / columns + 1 / rows)


def check(page):
    page.given("1024 2048 4096", "orders of products")
    page.figures("512 256 1024", 32 * 16, 64 * 4, 32 * 32)
    page.figures("1.5 0.25 30.1", 3 / 2, 1 / 4, cgma(16, 256))

    names = {"a multiply-add on registers": "multiply-add",
             "one with an operand in shared memory": "with an operand in shared memory",
             "the same, and half a load from shared memory": "with half a load",
             "the same, and a whole load": "with a load"}
    kernels = {"rank-1 updates": "rank-1", "two rows": "two rows",
               "two rows, B transposed": "two rows transposed", "tiles of stage 3": "tiled"}
    bound = [0.0]  # an empty cell stands for the one above it

    def limits(row):
        values = {}
        if row.first:
            bound[0] = gtx280("peak " + names[row.first])
            values["GFLOPS at most"] = bound[0]
        kernel = row["the kernel that does so"]
        if kernel:
            values["it reached"] = gtx280("matmul " + kernels[kernel])
            values["of that"] = 100 * gtx280("matmul " + kernels[kernel]) / bound[0]
        return values

    page.table("| a product takes | GFLOPS at most |", limits)
    page.figures("244 235 276", gtx280("peak with a load"), gtx280("matmul two rows"),
                 gtx280("matmul two rows transposed"))
    page.figures("1.05", gtx280("peak multiply-add") / gtx280("peak with a load") - 1.5)
    page.given("128", "lanes of an SM, and bytes of a row of 32 floats")

    page.given("192 24 30 1,132 484", "muni2009; a kernel of published_kernels.cu; 22 x 22")
    page.figures("484 16,384", 22 * 22, 2**16 / 4)
    held = page.tilewise.occupancy("--gpu gtx280 --block 64x1 --registers 30 --shared 1132")["gtx280"]
    page.figures("512", 64 * held["active_blocks"])

    def blocks(row):
        rows, columns = (int(each) for each in row.first.partition(":")[0].split(" x "))
        shape = [columns, rows]
        return {"CGMA": [2, 1, shape[0], 1, shape[1], cgma(rows, columns)],
                "FLOP per byte": cgma(rows, columns) / 4}

    page.table("| block | CGMA |", blocks)

    seen = {name: page.tilewise.counters("9", f"matmul_{name}(n=1024)")
            for name in ("two_rows", "two_rows_transposed", "rank1")}
    seen["stage 3"] = page.tilewise.counters("3", "matmul_shared(n=1024, tile=32)")
    columns = {"stage 3, tile 32": ("stage 3", 32, 32), "two rows": ("two_rows", 32, 64),
               "rank-1, 16 x 256": ("rank1", 16, 1024)}  # k and multiply-adds of a step
    counters = {"loads of shared memory": "shared_load_requests_merged",
                "wavefronts of these": "shared_load_wavefronts_merged",
                "stores to shared memory": "shared_store_requests",
                "loads of global memory": "global_load_requests"}
    per_product = {column: (seen[name]["shared_load_wavefronts_merged"]
                            + seen[name]["shared_store_wavefronts"]) / (1024**3 / 32)
                   for column, (name, _, _) in columns.items()}

    def step(row):
        values = {}
        for column, (name, depth, products) in columns.items():
            steps = 1024**3 / 32 / products  # of all warps
            if row.first in counters:
                values[column] = seen[name][counters[row.first]] / steps
            elif row.first == "k a step":
                values[column] = depth
            elif row.first == "multiply-adds":
                values[column] = products
            elif row.first == "barriers":
                values[column] = seen[name]["barriers"] / steps
            else:
                values[column] = per_product[column]
        return values

    header = "| | stage 3, tile 32 | two rows | rank-1, 16 x 256 |\n"
    page.table(header + "| --- | --- | --- | --- |\n| k", step)  # another table has this header
    w3, w2, w1 = per_product.values()
    page.figures("1.5625 1.0625 0.1328", w3, w2, w1)
    page.about("66,900", peak("h200"))
    page.figures("10,704 15,741", 66900 / 4 / w3, 66900 / 4 / w2)
    page.figures("132", gpu("h200")["sms"])
    page.figures_in(LADDER, "9,079 13,870 13,810 34,025 49,525 37,258 18.8% 168")
    page.figures("85% 88%", 100 * 9079 / 10704, 100 * 13870 / 15741)
    page.figures("255 65,536", 2**8 - 1, gpu("h200")["registers_per_sm"])
    page.figures("5,376 18.8%", 168 * 32, 100 * 12 / 64)
    page.figures("768", 12 * 64)

    page.prints("profile 9 --call 'matmul_two_rows(n=1024)'",
                "global loads             2,097,152         8,388,608      4.0    100.0%")
    page.prints("profile 9 --call 'matmul_rank1(n=1024)'",
                "global loads             2,228,224         8,912,896      4.0    100.0%")
    page.figures("33,554,432 50,331,648 8,388,608", 1024**3 / 32,
                 seen["two_rows"]["shared_load_requests"], seen["rank1"]["shared_load_requests"])
    page.figures("6%", 100 * (seen["rank1"]["global_load_requests"]
                              / seen["two_rows"]["global_load_requests"] - 1))

    page.figures("25.6 272 56.9", cgma(16, 64), 16 + 256, cgma(32, 256))
    page.figures("262,144 2,097,152", seen["rank1"]["shared_store_wavefronts"],
                 seen["rank1"]["shared_load_requests_merged"])
    page.figures("1,048,576 131,072 2,359,296", 8 * seen["rank1"]["shared_store_requests"],
                 seen["rank1"]["shared_store_requests"],
                 seen["rank1"]["shared_load_requests_merged"] * 4.5 / 4)
    page.figures_in(LADDER, "23,127")
    page.figures("792", 132 * 6)
    page.figures("65% 86%", 100 * 1024 / (2 * 792), 100 * 4096 / (6 * 792))
    page.figures("232", 1024 - 792)
    page.figures("4,284", published("h200", "copy"))
    page.about("1.13 4,520", 34025 / 30.1 / 1000, 34025 / 30.1 * 4)
    page.figures("100%", 100)
    page.figures("1,734", 13870 / 32 * 4)

    grader = "grading/stages/09_rank1_update/grader.cpp"
    page.figures("1.5", in_source(grader, r"enough = ([\d.]+)"))
    least = {name: minimum("09_rank1_update", f"{suite}.ReachesMinimumGflops")
             for name, suite in (("two_rows", "MatmulTwoRows"), ("rank1", "MatmulRank1"))}
    fraction = {name: each["of_model"] for name, each in least.items()}
    page.figures("75% 24% 80% 60%", 100 * least["two_rows"]["of_reference"],
                 100 * least["rank1"]["of_reference"], 100 * fraction["two_rows"],
                 100 * fraction["rank1"])
    page.modelled("1,872 1,498 4,157 2,494", (seen["two_rows"], 1),
                  (seen["two_rows"], fraction["two_rows"]), (seen["rank1"], 1),
                  (seen["rank1"], fraction["rank1"]))
    page.modelled("1,178", (seen["stage 3"], 1))
    page.figures("14% 21% 51%", *(100 * rate / peak("h200") for rate in (9079, 13870, 34025)))
