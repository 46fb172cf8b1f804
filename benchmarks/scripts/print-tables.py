#!/usr/bin/env python3
"""Prints the tables of docs from benchmarks/results, in place.

    print-tables.py [--check]

Between `<!-- table: NAME -->` and `<!-- end -->` of a page stands what this script makes of benchmarks/results/NAME.json;
which kind of table is said by the result's key "what". --check changes nothing and fails where a page differs, a table's
result is missing or a result is shown on no page. Standard library only.
"""
import argparse
import glob
import json
import os
import re

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
MEASURES = {"decode": "decode, one request, {} tokens", "prefill": "prefill, {} tokens",
            "batch": "decode, 8 requests at once, {} tokens each",
            "first-token": "process start to the first byte of an answer, short prompt"}


def amount(value, unit):
    return f"{value:.2f} s" if unit == "s" else f"{value:.{0 if value >= 300 else 1}f} {unit}"


def kl_line(kl):
    sides = [f"{name} {kl[name]['kl_nats']['mean']:.2g} nats ({100 * kl[name]['greedy_agreement']:.1f} % of greedy tokens equal)"
             for name in ("adze", "llama.cpp")]
    return f"KL to f32 over {kl['predictions']} tokens: {', '.join(sides)}."


def peer_table(result):
    """A CPU beside llama.cpp: one row for each measurement, the spread of the round-by-round ratio in brackets."""
    ours, theirs, machine = result["adze"], result["llama.cpp"], result["machine"]
    features = theirs.get("system_info") or theirs.get("cpu_info")
    lines = [f"{result['model']} ({result['weight_bytes'] / 1e6:.0f} MB), {machine['cores']} cores of {machine['cpu']}, "
             f"`{result['command']}`. Adze computes in `{ours['numerics']}` for `{ours['target']['cpu']}`; llama.cpp: "
             f"{theirs['numerics']} (commit {theirs['build_commit']}; {features.rstrip(' |')}).", ""]
    if result["kl_to_f32"]:
        lines += [kl_line(result["kl_to_f32"]), ""]
    lines += ["| what | Adze | llama.cpp | times as fast, median (spread) |", "|---|---|---|---|"]
    for name, figure in result["figures"].items():
        unit, ratio = figure["unit"], figure["ratio"]
        lines.append(f"| {MEASURES[name].format(result['tokens'].get(name))} | {amount(figure['adze']['median'], unit)} | "
                     f"{amount(figure['llama.cpp']['median'], unit)} | {ratio['median']:.2f} ({ratio['min']:.2f} to "
                     f"{ratio['max']:.2f}) |")
    return lines


def kl_table(result):
    lines = [f"{result['model']}, `{result['text']}`, {result['predictions']} predictions, `{result['command']}`.", "",
             "| program | numerics | perplexity | its own f32 | KL to that, mean | 99 % below | greedy tokens equal |",
             "|---|---|---|---|---|---|---|"]
    for name in ("adze", "llama.cpp"):
        side = result[name]
        lines.append(f"| {name} | {side['numerics']} | {side['perplexity']:.4f} | {side['f32_perplexity']:.4f} | "
                     f"{side['kl_nats']['mean']:.2g} | {side['kl_nats']['p99']:.2g} | {100 * side['greedy_agreement']:.2f} % |")
    return lines


def quality_table(result):
    lines = [f"{result['model']}, `{result['text']}` (`benchmarks/scripts/write-eval-text.py`), {result['windows']} windows of "
             f"{result['window']} tokens, {result['predictions']} predictions, level `{result['cpu']}`: `{result['command']}`.",
             "", "| mode | perplexity | KL(f32 \\|\\| mode), mean | 99 % below | greedy tokens equal to f32's |", "|---|---|---|---|---|"]
    if result["transformers"]:
        made = result["transformers"]["made_with"]
        lines.append(f"| transformers {made['transformers']}, f32, on the de-quantized file | "
                     f"{result['transformers']['perplexity']:.4f} | | | |")
    for mode in result["modes"]:
        kl, equal = mode["kl_nats"], mode["greedy_agreement"]
        rest = (f"{kl['mean']:.2g} | {kl['p99']:.2g} | {equal['equal']} of {equal['of']} ({100 * equal['share']:.2f} %)" if kl
                else "the reference | |")
        lines.append(f"| `{mode['numerics']}` | {mode['perplexity']:.4f} | {rest} |")
    return lines


def gpu_runtime_table(result):
    def spread(figure, digits):
        return f"{figure['median']:.{digits}f} ({figure['least']:.{digits}f} to {figure['most']:.{digits}f})"

    launches = result["launch"][0]["launches"]
    lines = [f"{result['device']}, {result['machine']}, `{result['command']}`; medians, with the least and the most.", "",
             f"| a step of {launches} kernels that do nothing | microseconds | a step without kernels |", "|---|---|---|"]
    for row in result["launch"]:
        lines.append(f"| {row['way']} | {spread(row['step'], 0)} | {spread(row['empty_step'], 1)} |")
    ways = result["upload"]["ways"]
    lines += ["", f"One copy of {result['upload']['bytes'] >> 30} GiB from page-locked memory, which is what the bus gives: "
              f"{spread(ways[0]['rate'], 1)} GB/s. The same bytes of a mapped file in the page cache, by size of piece:", ""]
    uploads = [way for way in ways if way["way"] == "upload"]
    pieces = sorted({way["piece"] for way in uploads})
    lines += ["| threads | " + " | ".join(f"{piece >> 20} MiB, GB/s" for piece in pieces) + " |", "|---" * (len(pieces) + 1) + "|"]
    for threads in sorted({way["threads"] for way in uploads}):
        row = {way["piece"]: spread(way["rate"], 1) for way in uploads if way["threads"] == threads}
        lines.append(f"| {threads or 'its own choice'} | " + " | ".join(row[piece] for piece in pieces) + " |")
    return lines


def gpu_models_table(result):
    lines = [f"{result['device']}, target `{result['target']}`, beside {result['reference']}; `{result['command']}`. "
             f"{result['counting'][0].upper()}{result['counting'][1:]}.", "",
             "| model | mode | greedy tokens equal | in a batch | first token | decode, one request |", "|---|---|---|---|---|---|"]
    for row in result["models"]:
        batch = f"{row['batch_equal']} of {row['batch_tokens']}" if "batch_equal" in row else ""
        first = f"{1000 * row['first_token_seconds']:.1f} ms" if "first_token_seconds" in row else ""
        rate = row.get("decode_tokens_per_second")
        lines.append(f"| {row['model']} | `{row['mode']}` | {row['equal']} of {row['tokens']} | {batch} | {first} | "
                     f"{amount(rate, 'tok/s') if rate else ''} |")
    return lines


def gpu_peer_table(result):
    """A GPU beside cuBLAS, cuDNN and its memory: one row for each product, then attention and whole steps."""
    peer, artifacts = result["peer"], result["artifacts"]["kernels"]
    copy = max(rates["median"] for rates in result["copy_gb_per_s"].values())
    weights = "generated weights" if artifacts["stand_in"] else "the model's weights"
    lines = [f"{peer['device']}, torch {peer['torch']} (CUDA {peer['cuda']}, cuDNN {peer['cudnn']}), {artifacts['model']['name']} with "
             f"{weights}, `{artifacts['numerics']}`, `{result['command']}`. Copies inside the memory, read and written: "
             f"{copy:.0f} GB/s.", "",
             "| product | outputs x k | tokens | Adze, us | cuBLAS, us | GB/s | Top/s | times as fast, median (spread) |",
             "|---|---|---|---|---|---|---|---|"]

    def beside(row):
        if "torch_us" not in row:
            return "", ""
        ratio = row["times_as_fast"]
        return (f"{row['torch_us']['median']:.1f}",
                f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})")

    for row in result["products"]:
        theirs, ratio = beside(row)
        lines.append(f"| {row['product']} | {row['outputs']} x {row['inputs']} | {row['tokens']} | {row['us']['median']:.1f} | "
                     f"{theirs} | {row['gb_per_s']:.0f} | {row['top_per_s']:.1f} | {ratio} |")
    lines += ["", "| what | Adze | beside |", "|---|---|---|"]
    if row := result["attention_prefill"]:
        theirs, ratio = beside(row)
        lines.append(f"| attention of a causal prompt of {row['tokens']} tokens | {row['us']['median']:.0f} us, "
                     f"{row['top_per_s']:.0f} Top/s | cuDNN {theirs} us: {ratio} times as fast |")
    if row := result["attention_decode"]:
        lines.append(f"| attention of {row['requests']} decodes behind {row['length']} tokens | {row['us']['median']:.0f} us, "
                     f"{row['gb_per_s']:.0f} GB/s | {100 * row['of_copy']:.0f} % of a copy |")
    if row := result["decode_step"]:
        lines.append(f"| a step of one request behind {row['history']} tokens | {row['us']['median'] / 1e3:.2f} ms, "
                     f"{row['gb_per_s']:.0f} GB/s | {100 * row['of_copy']:.0f} % of a copy |")
    if row := result["first_token"]:
        lines.append(f"| process start to the first token, {row['weight_bytes'] / 1e9:.1f} GB in the page cache | "
                     f"{row['seconds']['median']:.2f} s | |")
    for failure in result["failures"]:
        lines.append(f"| not measured: {failure['part']} | | {failure['error'].splitlines()[0][:120]} |")
    return lines


KINDS = {"a CPU beside llama.cpp": peer_table, "distance of both sides to f32": kl_table, "quality on a text": quality_table,
         "launches and uploads of a GPU": gpu_runtime_table, "tokens of models on a GPU": gpu_models_table,
         "a GPU beside cuBLAS and cuDNN": gpu_peer_table}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    results = {os.path.basename(path)[: -len(".json")]: path
               for path in sorted(glob.glob(os.path.join(options.root, "benchmarks/results/*.json")))}
    shown = set()

    def table(match):
        name = match.group(1)
        shown.add(name)
        if name not in results:
            raise SystemExit(f"{page}: table {name} has no benchmarks/results/{name}.json")
        with open(results[name]) as file:
            result = json.load(file)
        if result.get("what") not in KINDS:
            raise SystemExit(f"{results[name]}: 'what' is {result.get('what')!r}; accepted: {', '.join(KINDS)}")
        body = "\n".join(KINDS[result["what"]](result))
        return f"<!-- table: {name} -->\n{body}\n<!-- end -->"

    for page in sorted(glob.glob(os.path.join(options.root, "docs/*.md"))):
        with open(page) as file:
            text = file.read()
        made = re.sub(r"<!-- table: (\S+) -->\n.*?<!-- end -->", table, text, flags=re.S)
        if made == text:
            continue
        if options.check:
            raise SystemExit(f"{page} differs from benchmarks/results; run benchmarks/scripts/print-tables.py")
        with open(page, "w") as file:
            file.write(made)
        print(f"wrote {page}")
    for name in results:
        if name not in shown:
            raise SystemExit(f"benchmarks/results/{name}.json is shown on no page; put <!-- table: {name} --> and "
                             "<!-- end --> where it belongs")


main()
