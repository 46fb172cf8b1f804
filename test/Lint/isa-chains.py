#!/usr/bin/env python3
"""Passes ask interfaces, never lists of ops: no isa<A, B, ...> outside Conversion."""
import re

import tree

args = tree.arguments(__doc__)
START = re.compile(r"\bisa(?:_and_present|_and_nonnull|_or_null)?\s*<")


def has_several(code, at):
    """True when the template arguments that start at `at` hold a comma of their own."""
    depth = 1
    while at < len(code) and depth > 0:
        depth += {"<": 1, ">": -1}.get(code[at], 0)
        if code[at] == "," and depth == 1:
            return True
        if code[at] in ";{}":
            return False
        at += 1
    return False


for name in tree.files(args.source, [".h", ".cpp"], ["include", "lib", "tools"]):
    if "/Conversion/" in name:
        continue
    code = tree.without_comments(tree.text(args.source, name))
    for match in START.finditer(code):
        if has_several(code, match.end()):
            line = code.count("\n", 0, match.start()) + 1
            tree.offence(f"{name}:{line}", "isa<> with a list",
                         "ask an interface or a trait (LlmInterfaces.td), or add one that says what you need to know")
print("isa chains: none outside Conversion")
