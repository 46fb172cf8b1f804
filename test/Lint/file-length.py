#!/usr/bin/env python3
"""No file past 500 lines, but for a short list with reasons."""
import tree

args = tree.arguments(__doc__)
LIMIT = 500
# path: why it is one piece. At most 5.
LONGER = {}
SUFFIXES = [".h", ".cpp", ".c", ".td", ".py", ".mlir", ".test", ".cmake", ".sh", "CMakeLists.txt"]

if len(LONGER) > 5:
    tree.offence("test/Lint/file-length.py", f"{len(LONGER)} files are excused", "split some; at most 5 may be longer")
for name, reason in LONGER.items():
    if len(reason) < 20:
        tree.offence("test/Lint/file-length.py", f"no reason for {name}", "say why the file cannot be split by idea")
for name in tree.files(args.source):
    if not name.endswith(tuple(SUFFIXES)) and not name.startswith("scripts/"):
        continue
    lines = tree.text(args.source, name).count("\n")
    if lines > LIMIT and name not in LONGER:
        tree.offence(name, f"{lines} lines", f"split it by idea; the limit is {LIMIT} (100 to 250 is the aim)")
print("file length: nothing past 500 lines")
