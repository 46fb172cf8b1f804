#!/usr/bin/env python3
"""Takes each tiny model through every pass from import to the memory plan under the execution check.

    tiny-models.py --source ROOT --build BUILD [--seed N] [NAME...]

The models are those of test/Import/goldens/tiny-models.json, written by write-model: stored f32 as a Hugging Face
folder and compiled in f32, all others as GGUF in the numerics that a compile chooses by itself (bf16, a8). The passes are
those that adze-compile prints, with the passes on kernels that it runs on each kernel apart between the phases kernels
and exec.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True)
parser.add_argument("--build", required=True)
parser.add_argument("--seed", default="1")
parser.add_argument("names", nargs="*")
args = parser.parse_args()
CPU = "x86-64-v3"


def tool(name):
    return os.path.join(args.build, "bin", name)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[:2000]}")
    return done


def pipeline(numerics):
    """All passes from the end of import to the end of exec, as one pipeline."""
    phases = {}
    flags = [f"--numerics={numerics}"] if numerics else []
    for line in run([tool("adze-compile"), "--print-pipeline", f"--cpu={CPU}", *flags]).stdout.splitlines():
        phase, passes = line.split(": builtin.module(", 1)
        phases[phase] = passes.removesuffix(")")
    on_kernels = f"tile-peel-boundaries,tile-assign-layouts{{target={CPU}}},tile-verify-kernels{{target={CPU}}}"
    return "builtin.module(" + ",".join([phases["llm"], phases["kernels"], on_kernels, phases["exec"]]) + ")"


def check(case, folder):
    start = time.monotonic()
    grouped = "--type q" in case["flags"]
    container = "gguf" if "--type f32" not in case["flags"] and "gguf" in case["hashes"] else "hf"
    numerics = "f32" if "--type f32" in case["flags"] else "a8" if grouped else "bf16"
    name = f"{case['name']} {container} {numerics}"
    model = os.path.join(folder, name.replace(" ", "-") + (".gguf" if container == "gguf" else ""))
    try:
        run([tool("write-model"), *case["flags"].split(), "--container", container, "-o", model])
        run([tool("adze-compile"), model, "--compile-to=import", "--quiet", "-o", model + ".mlir"])
        checked = run([tool("adze-opt"), "--verify-each-by-execution", f"--seed={args.seed}", f"--execution-cpu={CPU}",
                       f"--pass-pipeline={pipeline(numerics)}", model + ".mlir", "-o", model + ".out"])
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        return f"{name}: FAILED\n{problem}", False
    report = re.search(r"execution check: (\d+) functions ran (\d+) times around (\d+) passes(.*)", checked.stderr)
    # Numerics, page, two fusions, packs and groups; kernels; two passes on them; launches and the plan.
    if not report or int(report[3]) < 9 or "not run" in report[4]:
        return f"{name}: FAILED, too little ran: {checked.stderr}", False
    return f"{name}: {report[0].removeprefix('execution check: ')}, {time.monotonic() - start:.1f} s", True


def main():
    with open(os.path.join(args.source, "test/Import/goldens/tiny-models.json"), encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    jobs = [case for case in cases if not args.names or case["name"] in args.names]
    if not jobs:
        print("no such model")
        return 1
    start, failed = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for text, good in pool.map(lambda case: check(case, folder), jobs):
            print(text, flush=True)
            failed += not good
    print(f"{len(jobs)} models, {failed} failed, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


sys.exit(main())
