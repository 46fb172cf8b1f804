#!/usr/bin/env python3
"""Every #include between rooms is in the allow-table (rooms.py); MLIR, LLVM, CUDA and NCCL stay where they belong."""
import re

import rooms
import tree

args = tree.arguments(__doc__)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

committed = set(tree.files(args.source, [".h"]))
for name in tree.files(args.source, [".h", ".cpp", ".inc"], ["include", "lib", "tools"]):
    room = rooms.room_of(name)
    if room is None:
        tree.offence(name, "this folder is no room of the project",
                     "move the file into a room of the tree, or add a row to test/Lint/rooms.py")
    code = tree.text(args.source, name)
    for match in INCLUDE.finditer(code):
        header, place = match.group(1), f"{name}:{code.count(chr(10), 0, match.start()) + 1}"
        if header.startswith("adze/") and not header.endswith(".inc") and "include/" + header not in committed:
            tree.offence(place, f"includes {header}, which is not committed", "add the file, or correct the name")
        if header.startswith("adze/"):
            if not rooms.may_include(room, header[len("adze/") :].split(".")[0]):
                tree.offence(place, f"{room} includes {header}",
                             f"{room} may include {', '.join([room] + rooms.BASE + rooms.ALLOWED[room])}; move what both "
                             "need downward, or pass it in")
        for prefix, owners in rooms.FOREIGN.items():
            path = name.removeprefix("include/adze/").removeprefix("lib/")
            if header.startswith(prefix) and not any(rooms.below(path, owner) for owner in owners):
                tree.offence(place, f"{room} includes {header}", f"only {', '.join(owners)} may include {prefix}*")
print("include graph: as the allow-table says")
