"""What the command line of Tilewise says."""

import functools
import json
import os
import shlex
import subprocess
import tempfile


class Tilewise:
    """Runs the program, each command once."""

    def __init__(self, program, root):
        self._program = program
        self._environment = dict(os.environ, TILEWISE_ROOT=str(root))

    @functools.lru_cache(maxsize=None)
    def run(self, *arguments):
        """Exit status, and what it printed."""
        done = subprocess.run([self._program, *arguments], env=self._environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    @functools.lru_cache(maxsize=None)
    def _with_json(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "answer.json")
            status, text = self.run(*arguments, "--json", file)
            if status != 0:
                raise RuntimeError(f"tilewise {shlex.join(arguments)} ended with {status}:\n{text}")
            with open(file, encoding="utf-8") as stream:
                return text, json.load(stream)

    def printed(self, line):
        """The lines that a command prints for the reference solutions: "profile 3 --call ..."."""
        return self._solutions(line)[0].splitlines()

    def answer(self, line):
        """What it writes with --json."""
        return self._solutions(line)[1]

    def _solutions(self, line):
        arguments = shlex.split(line)
        if arguments[0] in ("profile", "bench"):
            arguments.append("--solutions")
        return self._with_json(*arguments)

    def counters(self, stage, call, gpu=None):
        """Counters of the first kernel that a call launches, and what is modelled of it."""
        return self.kernels(stage, call, gpu)[0]

    def kernels(self, stage, call, gpu=None):
        """The same of all kernels."""
        card = f" --gpu {gpu}" if gpu else ""
        kernels = self.answer(f"profile {stage} --call '{call}'{card}")["kernels"]
        return [{**kernel["counters"], **kernel["modelled"], **{key: value for key, value in
                kernel.items() if not isinstance(value, dict)}} for kernel in kernels]
