"""check-ptxas.py PTXAS [--resident=NAME:BLOCKS] FILE [FILE ...]: assembles PTX that kernel-check --object wrote and judges
every kernel.

A kernel passes when the assembler has no warning for it, keeps everything in registers (no stack frame, no spill), uses
no static shared memory, and a block fits a multiprocessor: its registers, and the shared memory that its launch asks for.
Of kernels whose name begins with NAME that many blocks must fit at once. Prints one line for each kernel; the files' first
lines say how kernels are launched."""
import re
import subprocess
import sys

REGISTERS = 65536  # of a multiprocessor
SHARED = {"sm_80": 163 << 10, "sm_89": 99 << 10, "sm_90": 227 << 10}  # of a block
RESERVED = 1 << 10  # of shared memory, for each block; all blocks have this much more together than one may have

ptxas, files = sys.argv[1], [f for f in sys.argv[2:] if not f.startswith("--")]
resident = [f.removeprefix("--resident=").split(":") for f in sys.argv[2:] if f.startswith("--resident=")]
faults = []
for file in files:
    text = open(file).read()
    target = re.search(r"^\.target (\S+)", text, re.M).group(1)
    launches = {name: (int(threads), int(shared)) for name, threads, shared in
                re.findall(r"^// launch (\S+) threads (\d+) shared (\d+) ", text, re.M)}
    assembled = subprocess.run([ptxas, "-v", f"-arch={target}", "-o", "/dev/null", file], capture_output=True, text=True)
    log = assembled.stdout + assembled.stderr
    if assembled.returncode:
        sys.exit(f"{file}: ptxas refuses it\n{log}")
    faults += [f"{target}: {line}" for line in log.splitlines() if "warning" in line]
    entries = re.split(r"Compiling entry function '(\S+)' for", log)[1:]
    reports = dict(zip(entries[::2], entries[1::2]))
    if not launches or set(reports) != set(launches):
        faults.append(f"{target}: kernels {sorted(launches)} were to be assembled, found {sorted(reports)}")
    for name, (threads, shared) in sorted(launches.items()):
        report = reports.get(name, "")
        stack, stores, loads = (int(n) for n in re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", report).groups())
        registers = int(re.search(r"Used (\d+) registers", report).group(1))
        static = re.search(r"(\d+) bytes smem", report)
        static = int(static.group(1)) if static else 0
        print(f"{target} {name}: {threads} threads, {registers} registers, {shared} bytes of shared memory, "
              f"stack {stack}, spills {stores} + {loads}")
        for wrong, what in ((stack, "a stack frame"), (stores + loads, "spills"), (static, "static shared memory")):
            if wrong:
                faults.append(f"{target} {name}: {what} of {wrong} bytes")
        rounded = (registers + 7) // 8 * 8
        if rounded * threads > REGISTERS:
            faults.append(f"{target} {name}: {registers} registers of {threads} threads are more than {REGISTERS}")
        for prefix, blocks in resident:
            fit = min(REGISTERS // (rounded * threads), (SHARED[target] + RESERVED) // (shared + RESERVED))
            if name.startswith(prefix) and fit < int(blocks):
                faults.append(f"{target} {name}: {fit} blocks fit a multiprocessor, planned are {blocks}")
        if shared > SHARED[target]:
            faults.append(f"{target} {name}: {shared} bytes of shared memory; a block has {SHARED[target]}")
print("\n".join(["FAILED"] + faults) if faults else f"{len(files)} files hold")
sys.exit(bool(faults))
