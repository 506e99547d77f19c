"""Checks the figures of labs/12_tensor_cores/README.md, and says where each comes from."""

from published import gpu, in_source, minimum, peak

MEASURED = "docs/measurements/2026-11-23-tensor-cores-h200.md"
STAGE = "12_tensor_cores"


def check(page):
    page.given("7.0", "compute capabilities")
    sms, clock = gpu("h200")["sms"], gpu("h200")["clock_mhz"]
    page.figures("132", sms)
    page.figures("2,048", 16 * 16 * 8)

    rates = {"float, without tensor cores": 128, "tf32": 1024, "half": 2048, "double": 128}
    alone = {"tf32": 319, "half": 638, "double": 66.1}  # figures_in() checks them below

    def rate(row):
        each = rates[row.first]
        values = {"multiply-adds of an SM in a clock": each,
                  "TFLOPS": 2 * each * sms * clock / 1e6}
        if row.first in alone:
            values["measured: `mma.sync` alone"] = alone[row.first]
        return values

    page.table("| numbers | multiply-adds of an SM in a clock |", rate)
    page.figures_in(MEASURED, "319 638 66.1")
    page.figures("0.6", 638 / (2 * 2048 * sms * clock / 1e6))
    page.figures("1,229", 0.6 * 2048)

    def warps(row):
        rows, cols = (int(each) for each in row.first.split(" x "))
        bytes_of_product = 2 * (rows + cols) / (rows * cols)
        return {"bytes of halves for a product": bytes_of_product,
                "wanted at 1,229 products a clock": bytes_of_product * 1228.8,
                "of 128 bytes": 100 * bytes_of_product * 1228.8 / 128}

    page.table("| a warp's results | bytes of halves for a product |", warps)
    page.given("128", "bytes that shared memory gives in a clock")
    page.figures("255", 2**8 - 1)

    page.figures_in(MEASURED, "8192 256 8.59e-05 9.70e-05 2.34e-06 2.86e-06 4.79e-07 1.33e-06 1.64e-08 "
                              "6.49e-06")
    page.figures("106", 319 / 3)
    page.figures("66.9", peak("h200") / 1000)
    page.figures_in(MEASURED, "214.6 696.6 0.308 479.6 694.4 0.691 38.2 51.0 0.750 76.4 1.498 23.2 61.7 "
                              "0.377 61.0 0.988")

    page.figures("4096", 64 * 64)
    least = minimum(STAGE, "MatmulMma.ReachesMinimumGflops")
    grader = f"grading/stages/{STAGE}/matmul.cpp"
    page.figures("35% 75%", 100 * least["of_reference"],
                 100 * in_source(grader, r"of_floats.of_reference = ([\d.]+)"))
    of_dgemm = minimum(STAGE, "DgemmTensor.ReachesMinimumGflops")
    page.figures("50% 60%", 100 * of_dgemm["of_reference"], 100 * of_dgemm["of_model"])
