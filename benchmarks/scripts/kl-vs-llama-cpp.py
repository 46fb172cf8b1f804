#!/usr/bin/env python3
"""How far Adze and llama.cpp are from f32 on one text and one GGUF file, each measured by its own program.

    kl-vs-llama-cpp.py --adze BIN --artifact MODEL.adze --f32-artifact MODEL-f32.adze --text TEXT
                       --llama FOLDER --gguf MODEL.gguf --f32-gguf MODEL.F32.gguf
                       [--window 1024] [--windows 8] [--threads 2] -o RESULT.json

Adze: `adze eval` of the artifact against the same file compiled with --numerics=f32. llama.cpp: llama-perplexity with
the same file de-quantized to F32 (dequantize-gguf.py), K and V in f32, as the base, and then the file itself as the
speed runs use it. Both sides see the same windows, and of each the second half counts (llama-perplexity's rule; --skip
for ours). That they saw the same tokens shows in the two f32 perplexities, which must agree to 1e-4. llama-perplexity
keeps the base's log-probabilities in 16 bits: what it derives from that file is off by about 1e-3 in perplexity.
Standard library only.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import tempfile


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, errors="replace")
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


def number(text, pattern):
    found = re.search(pattern + r"\s*:\s*([-+0-9.e]+)", text)
    if not found:
        raise SystemExit(f"llama-perplexity printed no '{pattern}':\n{text[-3000:]}")
    return float(found.group(1))


def estimate(text):
    """The perplexity of a plain run. The one printed beside KL comes from the base's rounded file."""
    found = re.search(r"Final estimate: PPL = ([0-9.]+)", text)
    if not found:
        raise SystemExit(f"llama-perplexity printed no final estimate:\n{text[-3000:]}")
    return float(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("adze", "artifact", "f32-artifact", "text", "llama", "gguf", "f32-gguf"):
        parser.add_argument("--" + name, required=True)
    for name, value in (("window", 1024), ("windows", 8), ("threads", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    window, threads = str(options.window), str(options.threads)

    ours = json.loads(subprocess.run(
        [options.adze, "eval", options.artifact, options.text, "--against", options.f32_artifact, "--window", window,
         "--windows", str(options.windows), "--skip", str(options.window // 2), "--threads", threads, "--json", "--quiet"],
        check=True, stdout=subprocess.PIPE, text=True).stdout)

    perplexity = [os.path.join(options.llama, "llama-perplexity"), "-t", threads, "-c", window, "-b", window]
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, "base")
        base_text = run(perplexity + ["-m", options.f32_gguf, "-f", options.text, "--chunks", str(options.windows), "-ctk", "f32",
                                      "-ctv", "f32", "-fa", "off", "--kl-divergence-base", base])
        text = run(perplexity + ["-m", options.gguf, "--kl-divergence-base", base, "--kl-divergence"])

    theirs = {"perplexity": number(text, r"Mean PPL\(Q\)"), "f32_perplexity": estimate(base_text),
              "kl_nats": {"mean": number(text, "Mean    KLD"), "median": number(text, "Median  KLD"),
                          "p99": number(text, r"99\.0%   KLD"), "max": number(text, "Maximum KLD")},
              "greedy_agreement": number(text, "Same top p") / 100}
    if abs(theirs["f32_perplexity"] / ours["reference"]["perplexity"] - 1) > 1e-4:
        raise SystemExit(f"f32 perplexities {ours['reference']['perplexity']} and {theirs['f32_perplexity']}: the two sides "
                         "did not see the same tokens or model")
    info = re.search(r"system_info: *(.*)", text)
    result = {
        "what": "distance of both sides to f32",
        "date": datetime.date.today().isoformat(),
        "command": f"benchmarks/scripts/kl-vs-llama-cpp.py --window {window} --windows {options.windows} --threads {threads}",
        "model": os.path.basename(options.gguf),
        "text": os.path.basename(options.text), "text_hash": ours["hash"],
        "predictions": ours["predictions"],
        "adze": {"numerics": ours["model"]["numerics"], "cpu": ours["model"]["cpu"],
                 "perplexity": ours["model"]["perplexity"], "f32_perplexity": ours["reference"]["perplexity"],
                 "kl_nats": ours["kl_nats"], "greedy_agreement": ours["greedy_agreement"]["share"]},
        "llama.cpp": {"numerics": "int8 activations in blocks of 32, f16 KV",
                      "system_info": info.group(1).strip() if info else None, **theirs},
    }
    with open(options.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    for side in ("adze", "llama.cpp"):
        row = result[side]
        print(f"{side:10} perplexity {row['perplexity']:.4f} (f32 {row['f32_perplexity']:.4f}), KL {row['kl_nats']['mean']:.3g} "
              f"nats, greedy agreement {100 * row['greedy_agreement']:.2f} %")


main()
