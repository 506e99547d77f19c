#!/usr/bin/env python3
"""Tests what each workflow starts in a student's copy of the course, and that a run uses only
actions that were reviewed.

No workflow runs here. The tests read the workflows' text, without a parser of YAML.
"""
import re
import unittest
from pathlib import Path

WORKFLOWS = Path(__file__).parent / "workflows"
OF_THE_COURSE = "vars.TILEWISE_CI == 'true'"  # only the course's own repository has this variable


def text_of(name):
    return (WORKFLOWS / name).read_text(encoding="utf-8")


def jobs_of(name):
    """Returns {job: its lines}."""
    jobs = {}
    for line in text_of(name).split("\njobs:\n")[1].splitlines():
        if heading := re.fullmatch(r"  ([a-z]+):", line):
            jobs[heading[1]] = current = []
        else:
            current.append(line)
    return {job: "\n".join(lines) for job, lines in jobs.items()}


def entry_of(job, key):
    found = re.search(rf"^    {key}: (.*)$", job, re.M)
    return found[1] if found else ""


class Workflows(unittest.TestCase):
    def test_start_nothing_but_grading_in_a_students_copy(self):
        for name in ("ci.yml", "pages.yml"):
            jobs = jobs_of(name)
            for job, lines in jobs.items():
                with self.subTest(workflow=name, job=job):
                    condition = entry_of(jobs.get(entry_of(lines, "needs"), lines), "if")
                    guards = condition.split(" || ")
                    self.assertEqual(guards[0], OF_THE_COURSE)
                    self.assertLessEqual(set(guards[1:]), {"github.event.pull_request.head.repo.fork"})
        self.assertEqual(entry_of(jobs_of("gpu.yml")["grade"], "if"), "vars.TILEWISE_GPU_RUNNER == 'true'")

    def test_grade_a_copy_where_a_kernel_was_pushed(self):
        text = text_of("grade.yml")
        self.assertIn('  push:\n    paths: ["labs/*/*.cu"]\n', text)
        self.assertIn("vars.TILEWISE_CI != 'true'", entry_of(jobs_of("grade.yml")["grade"], "if"))

    def test_build_once_and_in_a_sandbox(self):
        steps = jobs_of("grade.yml")["grade"].split("      - name: ")
        by_name = {step.splitlines()[0]: step for step in steps}
        self.assertIn("steps.cache.outputs.cache-hit != 'true'", by_name["Build"])
        hashed = by_name["What was built before"]
        for folder in ("cmake", "common", "grading", "tools"):
            self.assertIn(f"'course/{folder}/**'", hashed, "what is built of it would be taken for today's")
        self.assertIn("kernel.apparmor_restrict_unprivileged_userns=0", by_name["Sandbox"])
        self.assertLess(list(by_name).index("Sandbox"), list(by_name).index("Grade"))

    def test_take_actions_by_commit_and_may_write_nothing(self):
        for file in WORKFLOWS.glob("*.yml"):
            text = file.read_text(encoding="utf-8")
            for action in re.findall(r"^ +(?:- )?uses: (.*)$", text, re.M):
                with self.subTest(workflow=file.name, action=action):
                    self.assertRegex(action, r"^[\w./-]+@[0-9a-f]{40} # v[\d.]+$")
            self.assertIn("\npermissions:\n  contents: read\n", text, file.name)


if __name__ == "__main__":
    unittest.main()
