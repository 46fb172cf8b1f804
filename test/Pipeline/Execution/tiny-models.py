#!/usr/bin/env python3
"""Takes each tiny model through every pass from import to the memory plan under the execution check.

    tiny-models.py --source ROOT --build BUILD [--seed N] [--few] [NAME...]

The models are those of test/Import/goldens/tiny-models.json, written by write-model, one file of each: stored f32 and
compiled in f32, stored bf16 and compiled in bf16 (tied models), or quantized and compiled in a8. The passes are
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
parser.add_argument("--few", action="store_true", help="one float and one quantized model of each family, and one of six bits")
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
    # Of the files that a case has: f32 where there is one (bf16 for tied models), else the first.
    files = list(case["files"])
    wanted = "hf-bf16" if "-tied-" in case["name"] else "hf-f32"
    container, kind = (wanted if wanted in files else files[0]).split("-", 1)
    numerics = {"f32": "f32", "f16": "bf16", "bf16": "bf16"}.get(kind, "a8")
    name = f"{case['name']} {container} {numerics}"
    model = os.path.join(folder, name.replace(" ", "-") + (".gguf" if container == "gguf" else ""))
    try:
        run([tool("write-model"), *case["flags"].split(), "--container", container, "--type", kind, "-o", model])
        run([tool("adze-compile"), model, "--compile-to=import", "--quiet", "-o", model + ".mlir"])
        checked = run([tool("adze-opt"), "--verify-each-by-execution", f"--seed={args.seed}", f"--execution-cpu={CPU}",
                       "--kernel-cache=" + os.path.join(args.build, "test", "kernels"),
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
    if args.few:
        jobs = [case for case in jobs if re.search(r"-untied-(float|q4_1)$|^llama3-tied-q6_k$", case["name"])]
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
