# The one lit configuration: every .mlir and .test file below test/ is a test, run by lit's own shell.
#
# Parameters: --param roundtrip=1 adds --verify-roundtrip to each adze-opt line (.ci/run does so once);
#             --param mutant=NAME adds --mutant=NAME to each line of Adze's own tools (test/Mutants/check.py does so);
#             --param output=FOLDER puts what tests write there (several runs of one test at once);
#             --param smollm2=FILE.gguf names the real model where it is not in build/models (the feature `smollm2`).
# Features:   compiler, smollm2, mutants, ptxas (NVIDIA's assembler), and the CPU's: has-avx2, has-fma, has-f16c, has-avx512, has-avx512-vnni,
#             has-avx512-bf16, has-amx. A sanitizer build has `asan` or `tsan`.
# Programs are plain names on PATH: adze, adze-opt, adze-compile, write-model, FileCheck, not, split-file, llvm-nm ...
# Substitutions: %smollm2 (the model file), %source (the repository's root), %build (the build folder), %python (python3,
#                standard library only), %wrong_passes (a plugin of passes that are wrong on purpose).
import contextlib
import os
import shutil
import sys
import time

import lit.formats

config.name = "adze"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.abspath(lit_config.params.get("output", os.path.join(config.adze_build, "test")))

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.adze_build, "bin"), os.path.join(config.llvm_root, "bin"), os.environ.get("PATH", "")]
)
for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# ADZE_LOG of the caller must not change what tests see.
config.environment.pop("ADZE_LOG", None)


def cpu_flags():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("flags"):
                return set(line.split(":", 1)[1].split())
    return set()


flags = cpu_flags()
for feature, needed in {
    "has-avx2": {"avx2"},
    "has-fma": {"fma"},
    "has-f16c": {"f16c"},
    "has-avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"},
    "has-avx512-vnni": {"avx512_vnni"},
    "has-avx512-bf16": {"avx512_bf16"},
    "has-amx": {"amx_tile", "amx_int8", "amx_bf16"},
}.items():
    if needed <= flags:
        config.available_features.add(feature)

if config.adze_compiler:
    config.available_features.add("compiler")
if config.adze_mutants:
    config.available_features.add("mutants")
if "address" in config.adze_sanitize:
    config.available_features.add("asan")
if "thread" in config.adze_sanitize:
    config.available_features.add("tsan")

model = os.path.abspath(lit_config.params.get("smollm2", config.smollm2))
if os.path.exists(model):
    config.available_features.add("smollm2")
else:
    lit_config.note("SmolLM2 is not at %s: its tests are skipped (scripts/demo fetches it)" % model)

# Machine code of GPU kernels is judged by NVIDIA's assembler, which comes with a CUDA toolkit.
ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
if os.access(ptxas, os.X_OK):
    config.available_features.add("ptxas")
else:
    lit_config.note("ptxas is not found (PATH, /usr/local/cuda/bin): tests of GPU machine code are skipped")

config.substitutions += [
    ("%ptxas", ptxas),
    ("%smollm2", model),
    ("%source", config.adze_source),
    ("%build", config.adze_build),
    ("%python", sys.executable),
    ("%wrong_passes", os.path.join(config.adze_build, "bin", "WrongPasses.so")),
]


def add_flag(tools, flag):
    # lit takes a replacement literally, so each tool has a line of its own.
    for tool in tools:
        config.substitutions.append((r"(?<![\w/.-])%s(?![\w.-])" % tool, tool + " " + flag))


# Many tests have kernels in common. What no run of the last two days needed goes.
kernels = os.path.join(config.test_exec_root, "kernels")
if os.path.isdir(kernels):
    for entry in os.scandir(kernels):
        with contextlib.suppress(FileNotFoundError):  # another lit removes the same
            if entry.stat().st_mtime < time.time() - 2 * 86400:
                os.unlink(entry.path)
add_flag(["kernel-check"], "--kernel-cache=" + kernels)

if lit_config.params.get("roundtrip", "0") not in ("", "0"):
    add_flag(["adze-opt"], "--verify-roundtrip")
if "mutant" in lit_config.params:
    add_flag(["adze-opt", "adze-reduce", "adze-compile", "adze", "kernel-check"], "--mutant=" + lit_config.params["mutant"])
