#!/usr/bin/env python3
"""Measures what each mode of numerics costs on a text, with `adze eval`, and writes a JSON result.

    quality.py --adze build/dev/bin/adze --f32 MODEL-f32.adze --against-f32 MODEL-bf16.adze MODEL-a8.adze
               --text TEXT [--window 1024] [--windows 8] [--transformers TRANSFORMERS.json] -o RESULT.json

Each artifact is compared with the one in f32. --reports FILE... takes what `adze eval ... --against ... --json` printed
instead of running it. --transformers adds the result of eval-with-transformers.py, which must
have seen the same number of predictions. The text is that of write-eval-text.py. Standard library only.
"""
import argparse
import datetime
import json
import os
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("adze", "f32"):
        parser.add_argument("--" + name)
    parser.add_argument("--text", required=True)
    parser.add_argument("--against-f32", nargs="+", default=[])
    parser.add_argument("--reports", nargs="+", default=[])
    parser.add_argument("--window", type=int, default=1024)
    parser.add_argument("--windows", type=int, default=8)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--transformers")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    flags = ["--window", str(options.window), "--windows", str(options.windows)]
    extra = ["--threads", str(options.threads)] if options.threads else []

    if bool(options.against_f32) == bool(options.reports) or (options.against_f32 and not (options.adze and options.f32)):
        parser.error("give --adze, --f32 and --against-f32, or --reports")
    reports = []
    for artifact in options.against_f32:
        reports.append(subprocess.run([options.adze, "eval", artifact, options.text, "--against", options.f32, "--json"]
                                      + flags + extra, check=True, stdout=subprocess.PIPE, text=True).stdout)
    for path in options.reports:
        with open(path) as file:
            reports.append(file.read())
    modes, first = [], None
    for out in reports:
        report = json.loads(out)
        if first and (report["hash"], report["predictions"]) != (first["hash"], first["predictions"]):
            raise SystemExit("the reports are not of one text and one number of predictions")
        first = first or report
        modes.append({"numerics": report["model"]["numerics"], "perplexity": report["model"]["perplexity"],
                      "kl_nats": report["kl_nats"], "greedy_agreement": report["greedy_agreement"]})
    modes.insert(0, {"numerics": first["reference"]["numerics"], "perplexity": first["reference"]["perplexity"],
                     "kl_nats": None, "greedy_agreement": None})
    result = {"what": "quality on a text", "date": datetime.date.today().isoformat(),
              "command": "adze eval ARTIFACT TEXT --against F32_ARTIFACT --json " + " ".join(flags),
              "model": first["model"]["model"], "cpu": first["model"]["cpu"], "text": os.path.basename(options.text),
              "text_hash": first["hash"], "window": first["window"], "windows": first["windows"],
              "predictions": first["predictions"], "modes": modes, "transformers": None}
    if options.transformers:
        with open(options.transformers) as file:
            result["transformers"] = json.load(file)
        if result["transformers"]["predictions"] != first["predictions"]:
            raise SystemExit(f"transformers saw {result['transformers']['predictions']} predictions and adze "
                             f"{first['predictions']}: the same --window, --windows and text are needed")
    with open(options.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


main()
