"""Tests what clangd says of kernels, by the protocol that editors speak: nothing of right kernels,
and the line of a fault in a wrong one. It exits with 77 if there is no clangd."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Clangd:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--background-index=false", "--log=error"], cwd=ROOT,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send("initialize", {"processId": None, "rootUri": ROOT.as_uri(), "capabilities": {}}, id=1)
        self.send("initialized", {})

    def send(self, method, parameters, **more):
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            sys.exit("clangd ended by itself")
        return json.loads(self.process.stdout.read(length))

    def diagnostics(self, file, text):
        uri = file.as_uri()
        document = {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                self.send("textDocument/didClose", {"textDocument": {"uri": uri}})
                return [(found["range"]["start"]["line"] + 1, found["message"])
                        for found in message["params"]["diagnostics"]]


def main():
    program = shutil.which(os.environ.get("CLANGD", "clangd"))
    if program is None:
        print("SKIPPED: clangd is not installed")
        return 77
    clangd = Clangd(program)
    failures = []
    for file in sorted([*ROOT.glob("labs/0[37]*/*.cu"), *ROOT.glob("labs/1[12]*/*.cu")]):
        for line, message in clangd.diagnostics(file, file.read_text()):
            failures.append(f"{file}:{line}: {message}")
    file = ROOT / "labs/03_shared_memory/matmul_shared.cu"
    wrong = '#include "matmul_shared.hpp"\n__global__ void k(float* a) {\n  a[threadIdx.x] = b;\n}\n'
    found = clangd.diagnostics(file.with_name("wrong.cu"), wrong)
    if [line for line, _ in found] != [3]:
        failures.append(f"of line 3, which is wrong, it says {found}")
    clangd.process.kill()
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
