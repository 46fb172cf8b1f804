#!/usr/bin/env python3
"""Every pass is described and tested: summary, description that says when it must not fire, options with text, at least
one statistic, one stem for td, file, flag and test, what it promises about numbers (only passes that say what is rounded
may round), and tests of which one fires and one must not."""
import os
import re

import records
import tree

args = tree.arguments(__doc__)
NEGATIVE = {"keeps", "leaves", "not", "never", "no", "without", "refuses", "rejects", "skips", "stays", "unchanged", "only",
            "ignores", "untouched", "accepts", "cannot", "none", "unless", "stay", "keep"}


PROMISES = {"::adze::ExactPass", "::adze::ReordersPass", "::adze::RoundsPass"}
MAY_ROUND = {"AssignNumerics", "Quantize"}


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def check(file, record):
    place = records.place(file, record)
    name, flag = record["!name"], record["argument"]
    folder = os.path.dirname(file).removeprefix("include/adze/")  # Transforms/Llm or Conversion/LlmToTile
    level = folder.split("/")[1]
    # Two levels may have a pass of one stem (VerifyKernels); a record may put its level in front to tell them apart.
    stem = name.removesuffix("Pass").removeprefix(level)
    conversion = folder.startswith("Conversion/")
    wanted = kebab(stem) if conversion else f"{level.lower()}-{kebab(stem)}"
    if not name.endswith("Pass") or flag.replace("-", "") != wanted.replace("-", ""):
        tree.offence(place, f"{name} has the flag {flag}", f"one stem everywhere: {wanted}")
    if record["baseClass"] not in PROMISES:
        tree.offence(place, f"{flag} promises nothing about numbers",
                     "derive the record from Adze_Pass<flag, effect> (adze/Transforms/NumericEffect.td)")
    if record["baseClass"] == "::adze::RoundsPass" and not any(stem.startswith(may) for may in MAY_ROUND):
        tree.offence(place, f"{flag} rounds", "only passes that assign numerics or quantize may; make it exact")
    if not record["summary"]:
        tree.offence(place, f"{flag} has no summary", "say in one line what it does")
    description = record["description"] or ""
    states_limits = stem.startswith("Verify") or re.search(r"\b(not|never|only|leaves|refuse[sd]?|error)\b", description)
    if len(description.strip()) < 80 or not states_limits:
        tree.offence(place, f"{flag}'s description does not say when it must not fire", "say what, when not, before and after")
    for option in record["options"]:
        if not all_records[option["def"]]["description"]:
            tree.offence(place, f"an option of {flag} has no text", "say what it does, with its unit")
    if not record["statistics"]:
        tree.offence(place, f"{flag} has no statistic", "count what it changed or checked")
    sources = tree.files(args.source, [".cpp"], [f"lib/{folder}"])
    if not conversion and f"lib/{folder}/{stem}.cpp" not in sources:
        tree.offence(place, f"lib/{folder}/{stem}.cpp is missing", "one pass is one file, named like the pass")
    for source in sources:
        if os.path.basename(source) == stem + ".cpp":
            found = re.search(r'#define DEBUG_TYPE "([^"]*)"', tree.text(args.source, source))
            if found and found.group(1) != flag:
                tree.offence(source, f"DEBUG_TYPE is {found.group(1)}", f"use the flag: {flag}")
    tests = [t for t in tree.files(args.source, [".mlir"], [f"test/{folder}"])
             if conversion or os.path.basename(t).startswith(kebab(stem))]
    if not any(re.search(rf"-{re.escape(flag)}\b|\b{re.escape(flag)}\b", tree.text(args.source, t)) for t in tests):
        tree.offence(place, f"no test of {flag} in test/{folder}", f"add test/{folder}/{kebab(stem)}.mlir")
        return
    names = [n for t in tests for n in re.findall(r"(?:func\.func|module|tile\.func)\s+(?:private\s+|public\s+)?@(\w+)", tree.text(args.source, t))]
    negative = [n for n in names if NEGATIVE & set(n.lower().split("_"))]
    errors = any("expected-error" in tree.text(args.source, t) or re.search(r"RUN: *not ", tree.text(args.source, t)) for t in tests)
    if not (negative or errors):
        tree.offence(tests[0], f"no case in which {flag} must not fire", "add one; its function's name says keeps, leaves, not ...")
    runs = sum(tree.text(args.source, t).count("RUN:") for t in tests)
    if len(names) + runs < 3:
        tree.offence(tests[0], f"{len(names)} case(s) of {flag}", "test one that fires, one that must not, and an edge")


count = 0
for file in records.pass_files(args):
    all_records = records.load(args, file)
    for record in records.instances(all_records, "PassBase"):
        check(file, record)
        count += 1
if count == 0:
    tree.offence("include/adze", "no passes were found", "declare passes in Passes.td")
print(f"pass completeness: {count} passes")
