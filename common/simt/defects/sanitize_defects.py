#!/usr/bin/env python3
"""Records what compute-sanitizer says of the defect suite, on a machine with a GPU.

  sanitize_defects.py run DEFECTS_CUDA LOGS [NAME...]   runs every tool on every case, keeps output
  sanitize_defects.py verdicts DEFECTS_CUDA LOGS        prints verdicts on the kept output as CSV
  sanitize_defects.py page DEFECTS_CUDA CSV             prints the verdicts as a table in Markdown

DEFECTS_CUDA is the driver (target defects_cuda). It reads its sources to tell which lines are
marked, so run all commands from the folder that it was compiled in.

A verdict is one of these: `clean`; the number of errors; this number and `elsewhere`, if none of
the errors names a marked line; `hangs`; `fails`, if the kernel failed and the tool does not say
why.
"""

import argparse
import concurrent.futures
import csv
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys

# Each tool gets the options with which it finds most: memcheck puts room behind every buffer, and
# racecheck ends deadlocks.
TOOLS = {"memcheck": ["--padding", "4096", "--report-api-errors", "no"],
         "racecheck": ["--racecheck-deadlock-timeout", "3000"],
         "initcheck": [],
         "synccheck": []}
PARALLEL_RUNS = 16
SECONDS_A_RUN = 30
PORTS_A_RUN = 10


def cases(driver):
    """Yields the name, the kind and the marked lines of each case."""
    listed = subprocess.run([driver, "--list"], check=True, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        name, kind, lines = line.split("\t")
        yield name, kind, {int(number) for number in lines.split()}


def run(driver, logs, wanted):
    logs.mkdir(parents=True, exist_ok=True)
    ports = queue.SimpleQueue()
    for slot in range(PARALLEL_RUNS):
        ports.put(49152 + slot * PORTS_A_RUN)  # tools that share ports take each other's programs

    def run_one(tool, name):
        port = ports.get()
        command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool], "--port", str(port),
                   "--max-connections", str(PORTS_A_RUN), driver, name]
        with open(logs / f"{name}.{tool}.log", "w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            try:
                process.wait(SECONDS_A_RUN)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                log.write("\nTIME LIMIT\n")
        ports.put(port)

    # Cases that may hang come last, so that no other case waits for them.
    chosen = [(name, kind) for name, kind, _ in cases(driver) if not wanted or name in wanted]
    chosen.sort(key=lambda case: case[1] in ("barrier", "deadlock", "warp"))
    with concurrent.futures.ThreadPoolExecutor(PARALLEL_RUNS) as pool:
        for done in [pool.submit(run_one, tool, name) for name, _ in chosen for tool in TOOLS]:
            done.result()


def verdict(log, marked):
    if log.endswith("\nTIME LIMIT\n"):
        return "hangs"
    summary = re.search(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", log)
    errors = int(summary[1] or summary[2]) if summary else 0
    if errors == 0:
        return "clean" if re.search(r"^\w+: no error$", log, re.MULTILINE) else "fails"
    named = {int(line) for line in re.findall(r"\.cu:(\d+)", log)}
    return str(errors) if named & marked else f"{errors} elsewhere"


def write_verdicts(driver, logs):
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("case", *TOOLS))
    for name, _, marked in cases(driver):
        of_tools = [(logs / f"{name}.{tool}.log").read_text(errors="replace") for tool in TOOLS]
        table.writerow((name, *(verdict(log, marked) for log in of_tools)))


def write_page(driver, table):
    kinds = {name: kind for name, kind, _ in cases(driver)}
    print("| case | Tilewise |", " | ".join(TOOLS), "|")
    print("| --- |" + " --- |" * (len(TOOLS) + 1))
    with open(table) as file:
        for row in csv.DictReader(file):
            ours = kinds[row["case"]].replace("none", "clean")
            print(f"| `{row['case']}` | {ours} |", " | ".join(row[tool] for tool in TOOLS), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "verdicts", "page"))
    parser.add_argument("driver")
    parser.add_argument("path", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.command == "run":
        run(arguments.driver, arguments.path, arguments.names)
    elif arguments.command == "verdicts":
        write_verdicts(arguments.driver, arguments.path)
    else:
        write_page(arguments.driver, arguments.path)


if __name__ == "__main__":
    main()
