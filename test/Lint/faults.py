#!/usr/bin/env python3
"""test/faults.txt names, for each fault that Adze must not have, tests that really exist."""
import os
import re

import tree

args = tree.arguments(__doc__)
REQUIRED = "B01 B03 B05 B06 B07 B08 B11 B24 B25 B29 B36 B37 B38 B42 B50 B54 B60 B62 B64 B68 B69 B70 B71".split()
FILE = "test/faults.txt"

sources = [tree.text(args.source, name) for name in tree.files(args.source, ["Test.cpp"], ["test"])]
cases = {f"{suite}.{name}" for code in sources for suite, name in re.findall(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", code)}
covered = set()
for number, line in enumerate(tree.text(args.source, FILE).splitlines(), 1):
    if not line.strip() or line.startswith("#"):
        continue
    parts = [part.strip() for part in line.split("|")]
    if len(parts) not in (2, 3) or not re.fullmatch(r"B\d\d", parts[0]):
        tree.offence(f"{FILE}:{number}", "is not 'ID | tests | note'", "write the id, the tests, and what is left out")
    for test in parts[1].split(","):
        test = test.strip()
        known = test.split(":")[-1] in cases if ":" in test else os.path.exists(os.path.join(args.source, "test", test))
        if not known:
            tree.offence(f"{FILE}:{number}", f"there is no test {test}", "name a file below test/ or Program:Suite.Name")
    covered.add(parts[0])
for fault in REQUIRED:
    if fault not in covered:
        tree.offence(FILE, f"{fault} has no line", "write the test, and its line")
print(f"faults: {len(covered)} are tested for")
