"""Reads .td files through llvm-tblgen's JSON, so that no lint parses TableGen itself."""
import json
import os
import subprocess

import tree


def load(args, name):
    """All records of one .td file as a dictionary."""
    run = subprocess.run([os.path.join(args.llvm, "bin", "llvm-tblgen"), "--dump-json", "-I",
                          os.path.join(args.source, "include"), "-I", os.path.join(args.llvm, "include"), name],
                         cwd=args.source, capture_output=True, text=True)
    if run.returncode != 0:
        tree.offence(name, run.stderr.strip().splitlines()[0] if run.stderr else "does not parse", "mend the record")
    return json.loads(run.stdout)


def instances(records, base):
    """The concrete records that derive from `base`, in order."""
    return [records[name] for name in records["!instanceof"].get(base, []) if not records[name]["!anonymous"]]


def place(name, record):
    """'include/.../NormOps.td:7' for a record that some file included by `name` defines."""
    return os.path.join(os.path.dirname(name), record["!locs"][0]) if record["!locs"] else name


def dialect_files(args):
    """{'Llm': 'include/adze/Dialect/Llm/IR/LlmOps.td', ...}"""
    found = {}
    for name in tree.files(args.source, ["Ops.td"], ["include/adze/Dialect"]):
        level = name.split("/")[3]
        if os.path.basename(name) == level + "Ops.td":
            found[level] = name
    return found


def pass_files(args):
    return tree.files(args.source, ["Passes.td"], ["include/adze"])
