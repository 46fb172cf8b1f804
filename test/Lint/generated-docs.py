#!/usr/bin/env python3
"""docs/Generated is what mlir-tblgen makes of the committed .td files; --write brings it up to date."""
import os
import subprocess

import records
import tree

args = tree.arguments(__doc__)
FOLDER = "docs/Generated"


def generate(generator, td, title):
    run = subprocess.run([os.path.join(args.llvm, "bin", "mlir-tblgen"), *generator, "-I", "include", "-I",
                          os.path.join(args.llvm, "include"), td], cwd=args.source, capture_output=True, text=True)
    if run.returncode != 0:
        tree.offence(td, run.stderr.strip().splitlines()[0], "mend the record")
    lines = [line.rstrip() for line in run.stdout.splitlines()]
    if lines and lines[0].startswith("<!--"):
        lines[0] = f"<!-- Generated from {td} by test/Lint/generated-docs.py --write; edit the records instead. -->"
    return f"# {title}\n\n" + "\n".join(lines).rstrip() + "\n"


wanted = {}
for level, td in records.dialect_files(args).items():
    wanted[f"{level}Dialect.md"] = generate(["-gen-dialect-doc", f"-dialect={level.lower()}"], td, f"The {level.lower()} dialect")
for td in records.pass_files(args):
    folder = td.split("/")[-2]
    wanted[f"{folder}Passes.md"] = generate(["-gen-pass-doc"], td, f"Passes of {'/'.join(td.split('/')[2:-1])}")

os.makedirs(os.path.join(args.source, FOLDER), exist_ok=True)
present = set(os.listdir(os.path.join(args.source, FOLDER)))
for name, content in sorted(wanted.items()):
    path = os.path.join(args.source, FOLDER, name)
    if args.write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    elif not os.path.exists(path) or open(path, encoding="utf-8").read() != content:
        tree.offence(f"{FOLDER}/{name}", "differs from the records", "python3 test/Lint/generated-docs.py --write, and commit it")
for name in sorted(present - set(wanted)):
    if args.write:
        os.remove(os.path.join(args.source, FOLDER, name))
    else:
        tree.offence(f"{FOLDER}/{name}", "no record makes it", "python3 test/Lint/generated-docs.py --write removes it")
print(f"generated docs: {len(wanted)} files are up to date")
