#!/usr/bin/env python3
"""Times one GGUF model on a CPU with Adze and with llama.cpp's bench program, alternating, and writes a JSON result.

    cpu-vs-llama-cpp.py --adze build/release/bin/adze --artifact MODEL.adze --gguf MODEL.gguf
                        --llama-bench PATH [--threads 2] [--rounds 5] [--kl-adze X --kl-llama Y] -o RESULT.json

Both sides read the same file's weights. Decode: 128 tokens behind a context of one; prefill: 512 tokens in one step;
first token: a process from its start to its end for a prompt of 36 tokens and one token of answer. Each round runs
every measurement of both sides once; medians, the spread and the ratio round by round are recorded. Standard library
only. How llama.cpp's program was built is in docs/Performance.md.
"""
import argparse
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import time


def run(command):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}\n{done.stderr}")
    return done.stdout, time.monotonic() - start


def llama(options, extra):
    out, _ = run([options.llama_bench, "-m", options.gguf, "-t", str(options.threads), "-r", "1", "-o", "json"] + extra)
    return json.loads(out)[0]


def adze(options, tokens, count):
    command = [options.adze, "run", options.artifact, "--threads", str(options.threads), "--tokens",
               ",".join(map(str, tokens)), "--max-tokens", str(count), "--ignore-eos", "--greedy", "--json", "--quiet"]
    out, wall = run(command)
    return json.loads(out), wall


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "values": values}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("adze", "artifact", "gguf", "llama-bench"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kl-adze", type=float, help="mean KL to the f32 golden, nats")
    parser.add_argument("--kl-llama", type=float, help="mean KL to llama.cpp's own f32 run, nats")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()

    ids = random.Random(1)
    prompt = [ids.randrange(1000, 40000) for _ in range(512)]
    figures = {name: [] for name in ("adze_decode", "llama_decode", "adze_prefill", "llama_prefill", "adze_first_token_s",
                                     "llama_process_s")}
    adze(options, prompt, 2)  # both files into the page cache
    peer = llama(options, ["-p", "16", "-n", "0"])
    for _ in range(options.rounds):
        answer, _ = adze(options, prompt[:1], 129)
        figures["adze_decode"].append(128 / (answer["seconds"] - answer["first_token_seconds"]))
        figures["llama_decode"].append(llama(options, ["-p", "0", "-n", "128"])["avg_ts"])
        answer, _ = adze(options, prompt, 1)
        figures["adze_prefill"].append(512 / answer["first_token_seconds"])
        figures["llama_prefill"].append(llama(options, ["-p", "512", "-n", "0"])["avg_ts"])
        figures["adze_first_token_s"].append(adze(options, prompt[:36], 1)[1])
        # The peer's bench has no prompt of its own to time from start to end: its process with 36 tokens, no warm-up.
        _, wall = run([options.llama_bench, "-m", options.gguf, "-t", str(options.threads), "-r", "1", "--no-warmup", "-p",
                       "36", "-n", "0"])
        figures["llama_process_s"].append(wall)

    def ratio(ours, theirs):
        return summary([a / b for a, b in zip(figures[ours], figures[theirs])])

    manifest = json.load(open(os.path.join(options.artifact, "manifest.json")))
    cpu = next(line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    result = {
        "what": "decode and prefill on a CPU beside llama.cpp",
        "date": datetime.date.today().isoformat(),
        "command": "benchmarks/scripts/cpu-vs-llama-cpp.py --threads %d --rounds %d" % (options.threads, options.rounds),
        "machine": {"cpu": cpu, "cores": os.cpu_count(), "system": platform.platform()},
        "model": os.path.basename(options.gguf),
        "adze": {"numerics": manifest["numerics"], "target": manifest["target"], "kl_to_f32_nats": options.kl_adze},
        "llama.cpp": {"numerics": "int8 activations per block of 32 (q8_1), f16 KV", "kl_to_f32_nats": options.kl_llama,
                      **{key: peer.get(key) for key in ("build_commit", "build_number", "cpu_info", "backends", "type_k",
                                                        "type_v", "n_threads")}},
        "figures": {name: summary(values) for name, values in figures.items()},
        "ratios": {"decode": ratio("adze_decode", "llama_decode"), "prefill": ratio("adze_prefill", "llama_prefill")},
    }
    with open(options.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    for name, values in {**result["figures"], **{"ratio " + k: v for k, v in result["ratios"].items()}}.items():
        print(f"{name:22} median {values['median']:9.3f}   {values['min']:9.3f} .. {values['max']:9.3f}")


main()
