#!/usr/bin/env python3
"""Do the tests bite? Switches on each fault of mutants.txt and requires that its test passes without and fails with it.

    check.py --source ROOT --build BUILD --lit LIT [--jobs N] [--healthy] [NAME...]

Also requires that every ADZE_MUTANT("name") of the sources has a line, every line a place in the sources, and every
file of lib/Transforms and lib/Conversion a fault in it or a line `none | FILE | REASON`. With --healthy the tests are
known to pass without a fault (the same build's suite has just passed) and only run with it. --list checks the table
against the sources and runs nothing (a lint).
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True)
parser.add_argument("--build")
parser.add_argument("--lit")
parser.add_argument("--jobs", type=int, default=os.cpu_count())
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--list", action="store_true")
parser.add_argument("names", nargs="*")
args = parser.parse_args()


def table():
    faults, reasons = [], {}
    with open(os.path.join(args.source, "test/Mutants/mutants.txt"), encoding="utf-8") as file:
        for line in file:
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            name, place, *reason = (part.strip() for part in line.split("|"))
            if name == "none":
                reasons[place] = reason[0] if reason else ""
            else:
                faults.append((name, place))
    return faults, reasons


def named_in_sources():
    """{fault: files}."""
    found = {}
    for root in ("lib", "include"):
        for folder, _, names in os.walk(os.path.join(args.source, root)):
            for name in names:
                if name.endswith((".cpp", ".h")) and name != "Mutant.h":
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        for fault in re.findall(r'ADZE_MUTANT\("([^"]+)"\)', file.read()):
                            found.setdefault(fault, set()).add(os.path.relpath(path, args.source))
    return found


def files_that_need_one():
    for root in ("lib/Transforms", "lib/Conversion"):
        for folder, _, names in os.walk(os.path.join(args.source, root)):
            for name in names:
                if name.endswith(".cpp"):
                    yield os.path.relpath(os.path.join(folder, name), args.source)


def command(test, mutant, scratch):
    """The run of one test, with a fault or (None) without."""
    if test.endswith((".mlir", ".test")):
        flag = [f"--param=mutant={mutant}"] if mutant else []
        # Tests write beside each other's files: each run has a place of its own.
        return [args.lit, "-v", "-j1", f"--param=output={scratch}", *flag, os.path.join(args.build, "test", test)]
    program, filter_ = test.split(":", 1)
    flag = [f"--mutant={mutant}"] if mutant else []
    return [os.path.join(args.build, "bin", program), f"--gtest_filter={filter_}", "--gtest_brief=1", *flag]


def first_complaint(output):
    """What a failing test said, for a person who asks whether it failed for the right reason."""
    for line in output.splitlines():
        if re.search(r"error:|Failure|differ|numbers wrong|ERROR", line) and not re.search(r"\*\*\*|error: command", line):
            return line.strip(" #|")[:160]
    return "no message"


def passes(test, mutant):
    """(True, "") or (False, what it said)."""
    with tempfile.TemporaryDirectory(prefix="adze-mutant-") as scratch:
        try:
            run = subprocess.run(command(test, mutant, scratch), capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return False, "took more than 600 s"
    # A filter that matches nothing would pass for ever, and a test that is skipped proves nothing.
    output = run.stdout + run.stderr
    if not mutant and ("running 0 tests" in output.lower() or "unsupported" in output.lower()):
        return False, "it is skipped, or matches no test"
    return run.returncode == 0, first_complaint(output) if run.returncode else ""


rows, reasons = table()
sources = named_in_sources()
failed = 0


def report(text, bad=True):
    global failed
    failed += bad
    print(text, flush=True)


for name in sorted(set(sources) - {row[0] for row in rows}):
    report(f"{name}: no line in test/Mutants/mutants.txt; name the test that must fail")
for name in sorted({row[0] for row in rows} - set(sources)):
    report(f"{name}: no ADZE_MUTANT in the sources; remove the line or add the fault")
with_fault = {path for paths in sources.values() for path in paths}
needing = set(files_that_need_one())
for path in sorted(needing - with_fault - set(reasons)):
    report(f"{path}: no fault in it; add one that a test catches, or a line `none | {path} | REASON` to mutants.txt")
for path, reason in sorted(reasons.items()):
    if path not in needing or path in with_fault or not reason:
        report(f"none | {path}: the file is gone, has a fault by now, or no reason is given; correct the line")
if not rows:
    report("mutants.txt names no fault")
if args.list:
    sys.exit(1 if failed else 0)

chosen = [row for row in rows if not args.names or row[0] in args.names]
start = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
    tests = {} if args.healthy else {test: pool.submit(passes, test, None) for test in sorted({r[1] for r in chosen})}
    runs = [(name, test, pool.submit(passes, test, name)) for name, test in chosen]
    for name, test, run in runs:
        survived, said = run.result()
        if test in tests and not tests[test].result()[0]:
            report(f"{name}: {test} fails without any fault: {tests[test].result()[1]}")
        elif survived:
            report(f"{name}: SURVIVED, {test} passes with the fault")
        else:
            report(f"{name}: caught by {test}: {said}", bad=False)
print(f"{len(chosen)} faults, {failed} complaints, {time.monotonic() - start:.0f} s")
sys.exit(1 if failed else 0)
