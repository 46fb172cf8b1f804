#!/usr/bin/env python3
"""Tables of figures in docs are what benchmarks/scripts/print-tables.py makes of benchmarks/results, and each result is
shown."""
import os
import subprocess
import sys

import tree

args = tree.arguments(__doc__)
script = os.path.join(args.source, "benchmarks/scripts/print-tables.py")
done = subprocess.run([sys.executable, script, "--check", "--root", args.source], capture_output=True, text=True)
if done.returncode != 0:
    tree.offence("docs", (done.stdout + done.stderr).strip().splitlines()[-1], "run benchmarks/scripts/print-tables.py")
print("result tables: docs and benchmarks/results agree")
