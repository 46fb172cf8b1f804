#!/usr/bin/env python3
"""The libraries obey the allow-table as well: no room uses a symbol of a room that it may not include, no runtime library
and no runtime program reaches MLIR or LLVM, nothing links a GPU's driver or libraries (they are found at run time), and
libadze exports the functions of Adze.h and nothing else."""
import os
import re
import subprocess

import rooms
import tree

args = tree.arguments(__doc__)
FOREIGN_SYMBOL = re.compile(r"^_Z\w*?(4mlir|4llvm)")
DRIVER_SYMBOL = re.compile(r"^(cu|cuda|nccl)[A-Z]")  # the driver's, the CUDA runtime's, NCCL's


def symbols(library):
    """(strong definitions, undefined names) of an archive."""
    listing = subprocess.run([os.path.join(args.llvm, "bin", "llvm-nm"), "--no-sort", "-P", library],
                             capture_output=True, text=True, check=True).stdout
    defined, undefined = set(), set()
    for line in listing.splitlines():
        words = line.split()
        if len(words) >= 2 and words[1] in "TDBR":
            defined.add(words[0])
        elif len(words) >= 2 and words[1] == "U":
            undefined.add(words[0])
    return defined, undefined


libraries = {}
for folder, _, names in os.walk(os.path.join(args.build, "lib")):
    for name in names:
        if name.startswith("libAdze") and name.endswith(".a"):
            room = rooms.room_of(os.path.relpath(folder, args.build) + "/" + name[len("libAdze") : -len(".a")])
            libraries[os.path.join(folder, name)] = (room, *symbols(os.path.join(folder, name)))
if not libraries:
    tree.offence(args.build, "has no libAdze*.a", "build first: cmake --build " + args.build)

owner = {symbol: (path, room) for path, (room, defined, _) in libraries.items() for symbol in defined}
for path, (room, _, undefined) in sorted(libraries.items()):
    shown = os.path.relpath(path, args.build)
    compiler = room is not None and any(rooms.below(room, c) for c in rooms.COMPILER)
    for symbol in sorted(undefined):
        if symbol in owner and owner[symbol][1] is not None and room is not None:
            if not rooms.may_include(room, owner[symbol][1]):
                tree.offence(shown, f"{room} uses {symbol} of {owner[symbol][1]}",
                             "that edge is not in test/Lint/rooms.py; move what both need downward")
        if DRIVER_SYMBOL.match(symbol):
            tree.offence(shown, f"uses {symbol}", "call the driver through its table (lib/Runtime/Device/Cuda/DriverTable.h)")
        if not compiler and FOREIGN_SYMBOL.match(symbol):
            tree.offence(shown, f"uses {symbol}", "rooms outside the compiler may not use MLIR or LLVM")

program = os.path.join(args.build, "bin", "adze")
if os.path.exists(program):
    needed = subprocess.run([os.path.join(args.llvm, "bin", "llvm-readelf"), "-d", program],
                            capture_output=True, text=True, check=True).stdout
    for line in needed.splitlines():
        if "NEEDED" in line and re.search(r"lib(MLIR|LLVM|clang|cuda|nccl)", line):
            tree.offence("bin/adze", "needs " + line.split("[")[-1].rstrip("]"),
                         "the runtime's program links neither MLIR, LLVM nor a GPU's libraries; start adze-compile, or load "
                         "the driver at run time")

shared = os.path.join(args.build, "lib", "Runtime", "Api", "libadze.so")
if os.path.exists(shared):
    listing = subprocess.run([os.path.join(args.llvm, "bin", "llvm-nm"), "-D", "--defined-only", "-P", shared],
                             capture_output=True, text=True, check=True).stdout
    exported = {line.split()[0].split("@")[0] for line in listing.splitlines() if line.split()[1] != "A"}
    header = tree.without_comments(tree.text(args.source, "include/adze/Abi/Adze.h"))
    declared = set(re.findall(r"^ADZE_EXPORT[^;(]*?(\w+)\(", header, re.M))
    for name in sorted(exported - declared):
        tree.offence(os.path.relpath(shared, args.build), f"exports {name}",
                     "only functions of include/adze/Abi/Adze.h; see lib/Runtime/Api/exports.map")
    for name in sorted(declared - exported):
        tree.offence("include/adze/Abi/Adze.h", f"{name} is declared and not exported", "define it in lib/Runtime/Api")
print(f"library symbols: {len(libraries)} libraries keep to the allow-table")
