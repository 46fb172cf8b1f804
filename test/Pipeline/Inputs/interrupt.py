"""Ends `adze compile` by signals at named moments and looks at what is left.

    interrupt.py MODEL FOLDER

A moment is a state of the unfinished output. The compiler is stopped (SIGSTOP) when the state is seen, the state is
looked at again, and only if it still holds the signal is sent and the compiler continued: so the signal arrives in that
moment, however fast the machine is. SIGINT goes to the process group, as a terminal sends it, SIGTERM to the compiler.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

MODEL, FOLDER = sys.argv[1:]
os.makedirs(FOLDER)
TEMPORARY, PLACE, WARM, COLD = (os.path.join(FOLDER, name) for name in ("temporary", "place", "warm", "cold"))


def fail(text):
    sys.exit(f"interrupt.py: {text}")


def listing(folder):
    return sorted(os.path.join(root, name)[len(folder) + 1:] for root, folders, files in os.walk(folder) for name in folders + files)


def files_of(pattern):
    """Names and sizes of the files in the unfinished output whose name starts with the pattern; gone ones count 0."""
    found = {}
    for name in os.listdir(PLACE):
        if name.startswith(pattern):
            path = os.path.join(PLACE, name)
            for entry in os.listdir(path) if os.path.isdir(path) else []:
                try:
                    found[entry] = os.path.getsize(os.path.join(path, entry))
                except OSError:
                    found[entry] = 0
    return found


def holds(test, pattern):
    try:
        return test(files_of(pattern))
    except OSError:  # a folder went between two looks
        return False


# How each moment is told by the files that are there.
OBJECT = lambda files: any(name.endswith(".o") for name in files)
MOMENTS = {
    "start": lambda files: True,
    "weights": lambda files: 0 < files.get("weights.bin", 0) < WEIGHTS,
    "kernels": lambda files: "values.json" in files and os.listdir(COLD) and not OBJECT(files),
    "linking": lambda files: OBJECT(files),
    "flushing": lambda files: "manifest.json" in files,
}
PROGRAM_MOMENTS = {
    "kernels of a program": lambda files: os.listdir(COLD) and not OBJECT(files),
    "linking of a program": lambda files: OBJECT(files),
}


def start(flags, output, cache):
    """Starts a compile; with the cache COLD it has all kernels to make."""
    for folder in (TEMPORARY, PLACE, COLD):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    if "--force" in flags:
        os.mkdir(os.path.join(PLACE, output))
        with open(os.path.join(PLACE, output, "manifest.json"), "w", encoding="utf-8") as file:
            file.write("before")
    # Every process that the compiler starts holds the pipe, so its end tells that all of them are gone.
    read, write = os.pipe()
    process = subprocess.Popen(
        ["adze", "compile", MODEL, "-o", os.path.join(PLACE, output), "--cpu=x86-64-v3", "--quiet", f"--kernel-cache={cache}", *flags],
        pass_fds=[write], start_new_session=True, env={**os.environ, "TMPDIR": TEMPORARY},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    os.close(write)
    return process, read


def attempt(moment, test, number, flags, output, pattern):
    """One compile; True if the signal was sent in the moment."""
    cache = COLD if "kernels" in moment else WARM
    process, read = start(flags, output, cache)
    before = [output, os.path.join(output, "manifest.json")] if "--force" in flags else []
    sent = False
    while not sent and process.poll() is None:
        if not holds(test, pattern):
            time.sleep(0.0002)
            continue
        os.killpg(process.pid, signal.SIGSTOP)
        sent = holds(test, pattern)
        if sent and number == signal.SIGINT:
            os.killpg(process.pid, number)
        elif sent:
            os.kill(process.pid, number)
        os.killpg(process.pid, signal.SIGCONT)
    code = process.wait()
    os.read(read, 1)
    os.close(read)
    if not sent:
        if code != 0:
            fail(f"an undisturbed compile exits with {code}")
        return False
    left = [name for name in listing(PLACE) if name not in before]
    if code == 0 and left == listing_of_whole(output):
        return False  # all was done when the signal came
    if code != -number:
        fail(f"signal {number} gave {code}")
    partial = [name for name in listing(cache) if "." in name]
    for what, names in (("beside the output", left), ("temporary files", listing(TEMPORARY)), ("in the kernel cache", partial)):
        if names:
            fail(f"signal {number}: {what} were left {names}")
    if [name for name in before if name not in listing(PLACE)]:
        fail(f"signal {number} took what was there before")
    return True


def listing_of_whole(output):
    return sorted([output] + [os.path.join(output, name) for name in WHOLE])


# Once for all: what a whole compile writes.
process, read = start([], "out.adze", WARM)
if process.wait() != 0:
    fail("the model cannot be compiled")
WHOLE = os.listdir(os.path.join(PLACE, "out.adze"))
WEIGHTS = os.path.getsize(os.path.join(PLACE, "out.adze", "weights.bin"))

for moments, flags, output, pattern in (
        (MOMENTS, [], "out.adze", "out.adze.partial-"),
        (PROGRAM_MOMENTS, ["--emit=so"], "out.so", "out.so.objects.partial-"),
        ({"replaced weights": MOMENTS["weights"]}, ["--force"], "out.adze", "out.adze.partial-")):
    for moment, test in moments.items():
        done = []
        for name in ("INT", "TERM"):
            if not any(attempt(moment, test, getattr(signal, "SIG" + name), flags, output, pattern) for _ in range(20)):
                fail(f"the moment '{moment}' was not met in 20 compiles")
            done.append(name)
        print(f"{moment}: {' '.join(done)}")
print("all left nothing")
