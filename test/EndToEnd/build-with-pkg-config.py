#!/usr/bin/env python3
"""build-with-pkg-config.py PREFIX SOURCE OUTPUT: compiles a C program as adze.pc of an installed tree says."""
import glob
import os
import subprocess
import sys

prefix, source, output = sys.argv[1:]
found = glob.glob(prefix + "/lib/**/pkgconfig", recursive=True)
environment = dict(os.environ, PKG_CONFIG_PATH=":".join(found), PKG_CONFIG_ALLOW_SYSTEM_LIBS="1")
flags = subprocess.run(["pkg-config", "--cflags", "--libs", "adze"], env=environment, check=True, capture_output=True,
                       text=True).stdout.split()
libraries = [flag[2:] for flag in flags if flag.startswith("-L")]
subprocess.run(["clang", "-std=c99", source, *flags, *["-Wl,-rpath," + l for l in libraries], "-o", output], check=True)
