"""Tests what Visual Studio Code underlines. The test runs the editor's tasks, and applies their
problem matchers to the output of Tilewise. CTest runs it: `editor_test.py TILEWISE`."""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE, SOURCE = "03_shared_memory", "matmul_shared.cu"
WHERE = f"labs/{STAGE}/{SOURCE}"


def tasks():
    return {task["label"].split()[1]: task for task in json.loads((ROOT / ".vscode/tasks.json").read_text())["tasks"]}


def problems(task, output):
    """Returns [(file, line, severity, message)] as VS Code reads them (problemMatcher.ts of
    microsoft/vscode)."""
    matcher = task["problemMatcher"]
    patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output).replace("\r", "").split("\n")
    found = []
    for start in range(len(lines) - len(patterns) + 1):
        data = {}
        for pattern, line in zip(patterns, lines[start:]):
            match = re.search(pattern["regexp"], line)
            if match is None:
                break
            data.update({key: match.group(group) for key, group in pattern.items() if key != "regexp"})
        else:
            line = int(data.get("line") or data["location"])
            found.append((data["file"], line, data.get("severity", "error"), data["message"]))
    return found


class Tasks(unittest.TestCase):
    """Runs the tasks on a course whose stage 3 has lost its first barrier."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        course = cls.course = pathlib.Path(cls.folder.name)
        for part in ("common", "docs", "grading", "lab", "tools"):
            (course / part).symlink_to(ROOT / part)
        for part in ("labs", "solutions"):  # files in these folders may not be links
            shutil.copytree(ROOT / part, course / part)
        text = (ROOT / "solutions" / STAGE / SOURCE).read_text()
        text = re.sub(r" *// lab: .*", "", text).replace("__syncthreads();", "", 1)
        (course / WHERE).write_text(text)
        cls.lines = text.split("\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def command(self, task, file):
        names = {"${fileDirnameBasename}": file.parent.name, "${file}": str(file)}
        return [TILEWISE] + [names.get(word, word) for word in task["args"]]

    def environment(self):
        return dict(os.environ, TILEWISE_ROOT=str(self.course), TERM="xterm")

    def underlined(self, task, file):
        done = subprocess.run(self.command(task, file), env=self.environment(), cwd=file.parent, timeout=200,
                              capture_output=True, text=True)
        return problems(task, done.stdout + done.stderr), done.stdout + done.stderr

    def assert_race(self, found, output):
        first = found[0]
        self.assertEqual(first[0], WHERE, output)
        self.assertRegex(self.lines[first[1] - 1], r"[AB]s\[")
        self.assertRegex(first[3], r"matmul_shared\(n=\d+, tile=\d+\)")

    def test_grade_underlines_a_race_at_both_lines(self):
        found, output = self.underlined(tasks()["grade"], self.course / WHERE)
        self.assertGreaterEqual(len(found), 2, output)
        self.assert_race(found, output)
        self.assertEqual(found[0][2], "error")
        self.assertEqual((found[1][0], found[1][2]), (WHERE, "note"), output)
        self.assertNotEqual(found[0][1], found[1][1])

    def test_watch_underlines_what_it_shows(self):
        task = tasks()["watch"]
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(TILEWISE, self.command(task, self.course / WHERE), self.environment())
        os.write(terminal, b"r")
        output = b""
        ends = re.compile(task["problemMatcher"]["background"]["endsPattern"], re.MULTILINE)
        deadline = time.monotonic() + 100
        while not re.search(rb" tests passed, |Nothing could be", output) and time.monotonic() < deadline:
            if select.select([terminal], [], [], 1)[0]:
                output += os.read(terminal, 65536)
        os.write(terminal, b"q")
        os.waitpid(pid, 0)
        screen = output.decode(errors="replace")
        self.assertRegex(screen, task["problemMatcher"]["background"]["beginsPattern"])
        self.assertRegex(screen.replace("\r", ""), ends)
        self.assert_race(problems(task, screen), screen)

    def test_check_underlines_a_race(self):
        file = self.course / "race.cu"
        file.write_text("#include <cuda_runtime.h>\n"
                        "__global__ void turn(float* x) {\n"
                        "  x[threadIdx.x] = 1;\n"
                        "  x[63 - threadIdx.x] = 2;\n"
                        "}\n"
                        "int main() {\n"
                        "  float* x;\n"
                        "  cudaMalloc(&x, 64 * sizeof(float));\n"
                        "  turn<<<1, 64>>>(x);\n"
                        "  cudaDeviceSynchronize();\n"
                        "}\n")
        found, output = self.underlined(tasks()["check"], file)
        self.assertEqual([problem[1] for problem in found], [3], output)
        self.assertIn("race", found[0][3])


class Files(unittest.TestCase):
    def test_are_json(self):
        for file in [*ROOT.glob(".vscode/*.json"), ROOT / ".devcontainer/devcontainer.json"]:
            with self.subTest(file=file.name):
                json.loads(file.read_text())

    def test_name_files_that_there_are(self):
        container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
        self.assertTrue((ROOT / ".devcontainer" / container["build"]["dockerfile"]).exists())
        for task in tasks().values():
            self.assertTrue(pathlib.Path(task["command"].replace("${workspaceFolder}", str(ROOT))).exists())


if __name__ == "__main__":
    TILEWISE = sys.argv.pop(1)
    unittest.main()
