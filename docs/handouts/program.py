"""Asks the command line of Tilewise."""

import functools
import json
import os
import re
import shlex
import subprocess
import tempfile


class Tilewise:
    """Runs the program, each command only once."""

    def __init__(self, program, root):
        self._program = os.path.abspath(program)
        self._root = root
        self._environment = dict(os.environ, TILEWISE_ROOT=str(root))

    @functools.lru_cache(maxsize=None)
    def run(self, *arguments):
        """Returns the exit status, and what the program printed."""
        done = subprocess.run([self._program, *arguments], env=self._environment, text=True,
                              cwd=self._root,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    @functools.lru_cache(maxsize=None)
    def profile(self, stage, *arguments):
        """Returns the exit status, what is printed, and the JSON of a profile. The profile is of
        the reference solutions if no submission is named."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "profile.json")
            whose = [] if "--submission" in arguments else ["--solutions"]
            status, text = self.run("profile", stage, *whose, *arguments, "--json", file)
            if status != 0:
                return status, text, None
            with open(file, encoding="utf-8") as stream:
                return status, text, json.load(stream)

    def profiled(self, line):
        """Does the same for a line as one types it: "profile 7 --call 'transpose_naive(...)'"."""
        _, stage, *arguments = shlex.split(line)
        number = re.match(r"\d+", stage)[0].zfill(2)
        options = sorted(zip(arguments[::2], arguments[1::2]))
        return self.profile(number, *(word for option in options for word in option))

    def printed(self, line):
        """Returns the lines that a profile prints."""
        return self.profiled(line)[1].splitlines()

    @functools.lru_cache(maxsize=None)
    def occupancy(self, options):
        """Returns what lab occupancy says of each GPU, by the GPU's name."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "occupancy.json")
            self.run("occupancy", *shlex.split(options), "--json", file)
            with open(file, encoding="utf-8") as stream:
                return {each["gpu"]: each for each in json.load(stream)["gpus"]}

    def counters(self, stage, call, gpu=None, submission=None):
        """Returns counters and modelled values of the first kernel that a call launches."""
        return self.kernels(stage, call, gpu, submission)[0]

    def kernels(self, stage, call, gpu=None, submission=None):
        """Returns the same for all kernels of the call."""
        card = f" --gpu {gpu}" if gpu else ""
        card += f" --submission {submission}" if submission else ""
        status, text, answer = self.profiled(f"profile {stage} --call '{call}'{card}")
        if status != 0:
            raise RuntimeError(f"profile {stage} --call '{call}'{card} ended with {status}: {text}")
        return [{**kernel["counters"], **kernel["modelled"], **{key: value for key, value in
                kernel.items() if not isinstance(value, dict)}} for kernel in answer["kernels"]]
