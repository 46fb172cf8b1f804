#!/usr/bin/env python3
"""Names: banned words, UpperCamel files in lib and include, kebab-case tests, and no unfinished marks."""
import os
import re

import tree

args = tree.arguments(__doc__)
BANNED = {"fast", "new", "v2", "optimized", "optimised", "helper", "helpers", "misc", "common", "utils", "util", "part2"}
TYPE = re.compile(r"^\s*(?:class|struct|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?(\w+)", re.M)
TD_NAME = re.compile(r'^\s*def\s+(\w+)\s*:|Pass<"([\w-]+)"', re.M)
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def words(name):
    """'KvBlockAllocator', 'fuse-qkv' or 'kv_append' -> lower-case words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [w.lower() for w in re.split(r"[^A-Za-z0-9]+", spaced) if w]


def check_words(place, name):
    found = words(name)
    bad = BANNED & set(found)
    if bad:
        tree.offence(place, f"'{name}' uses the word '{bad.pop()}'", "name what it is or does; see the table of names")
    if found == ["manager"]:
        tree.offence(place, "a manager without a noun", "say what it manages")


for name in tree.files(args.source):
    stem = os.path.basename(name).split(".")[0]
    check_words(name, stem)
    if name.startswith(("lib/", "include/adze/")) and name.endswith((".h", ".cpp", ".td")) and not stem[0].isupper():
        tree.offence(name, "a file of lib or include in lower case", "use UpperCamel, after the class or family in it")
    if name.startswith("test/") and name.endswith((".mlir", ".test")) and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*|[a-z0-9_]+", stem):
        tree.offence(name, "a test file that is not kebab-case", "use lower case words with '-'")
    if name.endswith((".h", ".cpp")) and name.startswith(("lib/", "include/", "tools/", "test/")):
        for match in TYPE.finditer(tree.without_comments(tree.text(args.source, name))):
            check_words(name, match.group(1))
    if name.endswith(".td"):
        for match in TD_NAME.finditer(tree.text(args.source, name)):
            check_words(name, match.group(1) or match.group(2))
    if name.endswith((".h", ".cpp", ".c", ".td", ".py", ".mlir", ".test", ".cmake", ".txt", ".md")):
        code = tree.text(args.source, name)
        if match := UNFINISHED.search(code):
            tree.offence(f"{name}:{code.count(chr(10), 0, match.start()) + 1}", f"'{match.group()}'",
                         "finish it, or write an issue; the tree holds no reminders")
print("names: in order")
