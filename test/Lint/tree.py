"""What every lint needs: the files, their rooms, and one way to report the first offence."""
import argparse
import atexit
import os
import subprocess
import sys


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--source", default=root, help="the repository's root")
    parser.add_argument("--build", default=os.path.join(root, "build", "dev"), help="a finished build folder")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22", help="where LLVM's programs are")
    parser.add_argument("--keep-going", action="store_true", help="list every offence instead of the first")
    parser.add_argument("--write", action="store_true", help="update committed generated files instead of comparing")
    return parser.parse_args()


def offence(place, found, what_to_do):
    """Ends the lint: one line that says where and what, one that says what to do."""
    print(f"{place}: {found}\n  what to do: {what_to_do}", file=sys.stderr, flush=True)
    if "--keep-going" not in sys.argv:
        sys.exit(1)
    # The lint goes on and then fails, whatever it says at its end.
    atexit.register(os._exit, 1)


def files(source, suffixes=None, folders=None):
    """Committed files and new ones that git does not ignore (all files where there is no git), as paths relative to the
    root, sorted: who has just written a file wants to know before adding it."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        names = [n for n in listed.stdout.split("\0") if n and os.path.exists(os.path.join(source, n))]
    else:
        names = []
        for folder, below, found in os.walk(source):
            below[:] = [b for b in below if b not in ("build", ".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), source) for f in found]
    if suffixes:
        names = [n for n in names if n.endswith(tuple(suffixes))]
    if folders:
        names = [n for n in names if n.startswith(tuple(f + "/" for f in folders))]
    return sorted(names)


def text(source, name):
    with open(os.path.join(source, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def without_comments(code):
    """C++ with comments and string contents blanked, line numbers kept."""
    result, i, size = [], 0, len(code)
    while i < size:
        two = code[i : i + 2]
        if two == "//":
            while i < size and code[i] != "\n":
                i += 1
        elif two == "/*":
            end = code.find("*/", i + 2)
            end = size if end < 0 else end + 2
            result.append("\n" * code.count("\n", i, end))
            i = end
        elif code[i] == '"':
            result.append('"')
            i += 1
            while i < size and code[i] not in '"\n':
                i += 2 if code[i] == "\\" else 1
            result.append('"')
            i += 1
        else:
            result.append(code[i])
            i += 1
    return "".join(result)
