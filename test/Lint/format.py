#!/usr/bin/env python3
"""C and C++ files are formatted by clang-format-22 with the root's .clang-format."""
import subprocess

import tree

args = tree.arguments(__doc__)
names = tree.files(args.source, [".h", ".cpp", ".c"], ["include", "lib", "tools", "test", "benchmarks", "examples"])
for start in range(0, len(names), 50):
    some = names[start : start + 50]
    run = subprocess.run(["clang-format-22", "--dry-run", "-Werror", "--ferror-limit=1", *some], cwd=args.source,
                         capture_output=True, text=True)
    if run.returncode != 0:
        place = run.stderr.splitlines()[0].split(": error")[0] if run.stderr else some[0]
        tree.offence(place, "not formatted", f"clang-format-22 -i {place.split(':')[0]}")
print(f"format: {len(names)} files are formatted")
