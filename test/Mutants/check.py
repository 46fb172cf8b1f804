#!/usr/bin/env python3
"""Do the tests bite? Switches on each fault of mutants.txt and requires that its test passes without and fails with it.

    check.py --source ROOT --build BUILD --lit LIT [NAME...]

Also requires that every ADZE_MUTANT("name") of the sources has a line, and every line a place in the sources.
"""
import argparse
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True)
parser.add_argument("--build", required=True)
parser.add_argument("--lit", required=True)
parser.add_argument("names", nargs="*")
args = parser.parse_args()


def table():
    rows = []
    with open(os.path.join(args.source, "test/Mutants/mutants.txt"), encoding="utf-8") as file:
        for line in file:
            line = line.split("#", 1)[0].strip()
            if line:
                name, test = (part.strip() for part in line.split("|"))
                rows.append((name, test))
    return rows


def named_in_sources():
    found = set()
    for root in ("lib", "include"):
        for folder, _, names in os.walk(os.path.join(args.source, root)):
            for name in names:
                if name.endswith((".cpp", ".h")) and name != "Mutant.h":
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        found |= set(re.findall(r'ADZE_MUTANT\("([^"]+)"\)', file.read()))
    return found


def command(test, mutant):
    """The run of one test, with a fault or (None) without."""
    if test.endswith((".mlir", ".test")):
        flag = [f"--param=mutant={mutant}"] if mutant else []
        return [args.lit, "-q", *flag, os.path.join(args.build, "test", test)]
    program, filter_ = test.split(":", 1)
    flag = [f"--mutant={mutant}"] if mutant else []
    return [os.path.join(args.build, "bin", program), f"--gtest_filter={filter_}", "--gtest_brief=1", *flag]


def passes(test, mutant):
    try:
        run = subprocess.run(command(test, mutant), capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return False
    # A filter that matches nothing would pass for ever.
    if not mutant and "running 0 tests" in run.stdout.lower():
        return False
    return run.returncode == 0


rows = table()
failed = 0
for name in sorted(named_in_sources() - {row[0] for row in rows}):
    print(f"{name}: no line in test/Mutants/mutants.txt; name the test that must fail")
    failed += 1
for name in sorted({row[0] for row in rows} - named_in_sources()):
    print(f"{name}: no ADZE_MUTANT in the sources; remove the line or add the fault")
    failed += 1
healthy = {}
for name, test in rows:
    if args.names and name not in args.names:
        continue
    if test not in healthy:
        healthy[test] = passes(test, None)
    if not healthy[test]:
        print(f"{name}: {test} fails without any fault")
        failed += 1
    elif passes(test, name):
        print(f"{name}: SURVIVED, {test} passes with the fault")
        failed += 1
    else:
        print(f"{name}: caught by {test}")
if not rows:
    print("mutants.txt names no fault")
    failed += 1
sys.exit(1 if failed else 0)
