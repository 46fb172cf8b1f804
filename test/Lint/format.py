#!/usr/bin/env python3
"""C and C++ files are formatted by clang-format-22 with the root's .clang-format."""
import subprocess

import tree

args = tree.arguments(__doc__)
names = tree.files(args.source, [".h", ".cpp", ".c"], ["include", "lib", "tools", "test", "benchmarks", "examples"])
for start in range(0, len(names), 50):
    some = names[start : start + 50]
    run = subprocess.run(["clang-format-22", "--dry-run", "-Werror", *some], cwd=args.source,
                         capture_output=True, text=True)
    if run.returncode != 0:
        for place in dict.fromkeys(line.split(":")[0] for line in run.stderr.splitlines() if ": error" in line):
            tree.offence(place, "not formatted", f"clang-format-22 -i {place}")
print(f"format: {len(names)} files are formatted")
