#!/usr/bin/env python3
"""Times one GGUF model on a CPU with Adze and with llama.cpp's programs, alternating, and writes a JSON result.

    cpu-vs-llama-cpp.py --adze build/release/bin/adze --artifact MODEL.adze --gguf MODEL.gguf --llama FOLDER
                        [--threads 2] [--rounds 5] [--measure decode,prefill,batch,first-token] [--kl KL.json] -o RESULT.json

FOLDER holds llama-bench, llama-batched-bench and, for first-token, llama-completion. Both sides read the same file's
weights. Each round runs every measurement of both sides once, the side that begins changing from round to round;
medians, the spread and the ratio round by round are recorded.

    decode       --decode-tokens (128) behind a context of one (llama-bench -n)
    prefill      --prefill-tokens (512) in one step (llama-bench -p)
    batch        --batch-tokens (128) of each of 8 requests at once, each behind 16 (llama-batched-bench)
    first-token  seconds from a process's start to the first byte of its answer, for a prompt of a few words
                 (llama-completion, without its warm-up run)

A KL of both sides to f32 (kl-vs-llama-cpp.py) is recorded with --kl. Standard library only, and nothing is compiled: a
machine without a compiler needs the two programs' files, the artifact and the GGUF file. How the peer was built is in
docs/Performance.md.
"""
import argparse
import datetime
import json
import os
import platform
import random
import re
import statistics
import subprocess
import tempfile
import time

BATCH, BATCH_PROMPT = 8, 16
PROMPT = "The capital of France is"


def failed(command, code, out, err):
    raise SystemExit(f"{' '.join(command)} failed ({code}):\n{out}\n{err}")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        failed(command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def first_byte(command):
    """Seconds from the start of a process to the first byte on its standard output; that it ends well is checked."""
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        byte = os.read(process.stdout.fileno(), 1)
        seconds = time.monotonic() - start
        process.stdout.read()
        if process.wait() != 0 or not byte:
            errors.seek(0)
            failed(command, process.returncode, byte, errors.read().decode(errors="replace"))
    return seconds


class Adze:
    def __init__(self, options):
        self.options = options
        ids = random.Random(1)
        self.prompt = [ids.randrange(1000, 40000) for _ in range(max(64, options.prefill_tokens))]
        self.batch = tempfile.NamedTemporaryFile("w", suffix=".jsonl")
        for number in range(BATCH):
            tokens = [ids.randrange(1000, 40000) for _ in range(BATCH_PROMPT)]
            self.batch.write(json.dumps({"tokens": tokens, "max_tokens": options.batch_tokens + 1, "greedy": True}) + "\n")
        self.batch.flush()

    def run(self, arguments):
        return [self.options.adze, "run", self.options.artifact, "--threads", str(self.options.threads), "--greedy",
                "--ignore-eos", "--quiet"] + arguments

    def answer(self, tokens, count):
        return json.loads(run(self.run(["--tokens", ",".join(map(str, tokens)), "--max-tokens", str(count), "--json"])))

    # The first token belongs to the prompt's step, so one more is asked for than counts.
    def decode(self):
        answer = self.answer(self.prompt[:1], self.options.decode_tokens + 1)
        return self.options.decode_tokens / (answer["seconds"] - answer["first_token_seconds"])

    def prefill(self):
        count = self.options.prefill_tokens
        return count / self.answer(self.prompt[:count], 1)["first_token_seconds"]

    def batch_decode(self):
        answers = [json.loads(line) for line in run(self.run(["--batch", self.batch.name])).splitlines()]
        assert all(answer["output_tokens"] == self.options.batch_tokens + 1 for answer in answers)
        start = max(answer["first_token_seconds"] for answer in answers)
        return BATCH * self.options.batch_tokens / (max(answer["seconds"] for answer in answers) - start)

    def first_token(self):
        return first_byte(self.run(["--prompt", PROMPT, "--max-tokens", "1"]))


class Llama:
    def __init__(self, options):
        self.options = options

    def run(self, program, arguments):
        return [os.path.join(self.options.llama, program), "-m", self.options.gguf, "-t",
                str(self.options.threads)] + arguments

    def bench(self, arguments):
        return json.loads(run(self.run("llama-bench", ["-r", "1", "-o", "json"] + arguments)))[0]

    def decode(self):
        return self.bench(["-p", "0", "-n", str(self.options.decode_tokens)])["avg_ts"]

    def prefill(self):
        return self.bench(["-p", str(self.options.prefill_tokens), "-n", "0"])["avg_ts"]

    def batch_decode(self):
        count = self.options.batch_tokens
        out = run(self.run("llama-batched-bench", ["-c", str(BATCH * (BATCH_PROMPT + count)), "-npp", str(BATCH_PROMPT),
                                                   "-ntg", str(count), "-npl", str(BATCH), "--output-format", "jsonl"]))
        return next(json.loads(line) for line in out.splitlines() if line.startswith("{"))["speed_tg"]

    def completion(self):
        return self.run("llama-completion", ["-p", PROMPT, "-n", "1", "-no-cnv", "--no-display-prompt", "--temp", "0",
                                             "--no-warmup"])

    def first_token(self):
        return first_byte(self.completion())

    def system(self):
        """What the peer says of itself."""
        build, info = self.bench(["-p", "16", "-n", "0"]), None
        if os.path.exists(self.completion()[0]):
            done = subprocess.run(self.completion(), capture_output=True, text=True, errors="replace",
                                  stdin=subprocess.DEVNULL)
            info = re.search(r"system_info: *(.*)", done.stderr)
        keys = ("build_commit", "build_number", "cpu_info", "backends", "type_k", "type_v", "flash_attn", "n_threads")
        return {"numerics": "int8 activations in blocks of 32, f16 KV", "system_info": info.group(1).strip() if info else None,
                **{key: build.get(key) for key in keys}}


MEASURES = {"decode": ("decode", "tok/s"), "prefill": ("prefill", "tok/s"), "batch": ("batch_decode", "tok/s"),
            "first-token": ("first_token", "s")}


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "values": values}


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "system": platform.platform()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("adze", "artifact", "gguf", "llama"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--decode-tokens", type=int, default=128)
    parser.add_argument("--prefill-tokens", type=int, default=512)
    parser.add_argument("--batch-tokens", type=int, default=128)
    parser.add_argument("--measure", default=",".join(MEASURES), help="what, of " + ", ".join(MEASURES))
    parser.add_argument("--kl", help="result of kl-vs-llama-cpp.py for the same model")
    parser.add_argument("--model-name", help="how the result names the model (the GGUF file's name)")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    names = options.measure.split(",")
    if unknown := [name for name in names if name not in MEASURES]:
        parser.error(f"--measure {unknown[0]} is unknown; accepted: {', '.join(MEASURES)}")

    load = os.getloadavg()[0]
    ours, theirs = Adze(options), Llama(options)
    ours.answer(ours.prompt, 2)  # both files into the page cache
    peer = theirs.system()
    figures = {name: {"adze": [], "llama.cpp": []} for name in names}
    for number in range(options.rounds):
        for name in names:
            sides = [("adze", ours), ("llama.cpp", theirs)]
            for label, side in sides if number % 2 == 0 else reversed(sides):
                figures[name][label].append(getattr(side, MEASURES[name][0])())
        print(f"round {number + 1} of {options.rounds}: " + ", ".join(
            f"{name} {values['adze'][-1]:.4g} / {values['llama.cpp'][-1]:.4g}" for name, values in figures.items()), flush=True)

    with open(os.path.join(options.artifact, "manifest.json")) as file:
        manifest = json.load(file)
    result = {
        "what": "a CPU beside llama.cpp",
        "date": datetime.date.today().isoformat(),
        "command": f"benchmarks/scripts/cpu-vs-llama-cpp.py --threads {options.threads} --rounds {options.rounds} "
                   f"--measure {','.join(names)} --decode-tokens {options.decode_tokens} --prefill-tokens "
                   f"{options.prefill_tokens} --batch-tokens {options.batch_tokens}",
        "machine": machine(),
        "model": options.model_name or os.path.basename(options.gguf),
        "weight_bytes": os.path.getsize(options.gguf),
        "adze": {"numerics": manifest["numerics"], "target": manifest["target"], "version": manifest["adze_version"]},
        "llama.cpp": peer,
        "kl_to_f32": json.load(open(options.kl)) if options.kl else None,
        "load_average_before": load,
        "tokens": {"decode": options.decode_tokens, "prefill": options.prefill_tokens, "batch": options.batch_tokens},
        "figures": {},
    }
    for name, values in figures.items():
        lower_is_better = MEASURES[name][1] == "s"
        ratios = [b / a if lower_is_better else a / b for a, b in zip(values["adze"], values["llama.cpp"])]
        result["figures"][name] = {"unit": MEASURES[name][1], **{label: summary(v) for label, v in values.items()},
                                   "ratio": summary(ratios)}
    with open(options.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    for name, figure in result["figures"].items():
        print(f"{name:12} adze {figure['adze']['median']:9.3f} {figure['unit']:6} llama.cpp "
              f"{figure['llama.cpp']['median']:9.3f}   {figure['ratio']['median']:.2f} times as fast "
              f"({figure['ratio']['min']:.2f} to {figure['ratio']['max']:.2f})")


main()
