#!/usr/bin/env python3
"""Pages name real files: each path of the tree in backticks and each relative link of a .md file exists."""
import glob
import os
import re

import tree

args = tree.arguments(__doc__)
PATH = re.compile(r"`((?:lib|include|tools|test|docs|examples|scripts|cmake|benchmarks|\.ci)/[^`\s]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def exists(path):
    # <Family>, NAME-like placeholders and {a,b} stand for any name.
    pattern = re.sub(r"<[^>]*>|\{[^}]*\}", "*", path)
    return bool(glob.glob(os.path.join(args.source, pattern.rstrip("/"))))


pages = [n for n in tree.files(args.source, [".md"]) if not n.startswith("docs/Generated/")]
for name in pages:
    page = tree.text(args.source, name)
    for match in PATH.finditer(page):
        path = match.group(1).split(":")[0].rstrip(".,")
        if not exists(path):
            line = page.count("\n", 0, match.start()) + 1
            tree.offence(f"{name}:{line}", f"{path} does not exist", "correct the path, or remove the sentence")
    for match in LINK.finditer(page):
        if "://" in match.group(1) or match.group(1).startswith("mailto:"):
            continue
        if not exists(os.path.normpath(os.path.join(os.path.dirname(name), match.group(1)))):
            line = page.count("\n", 0, match.start()) + 1
            tree.offence(f"{name}:{line}", f"the link to {match.group(1)} leads nowhere", "correct the link")
print(f"doc paths: {len(pages)} pages name real files")
