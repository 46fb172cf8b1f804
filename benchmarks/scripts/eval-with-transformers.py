#!/usr/bin/env python3
"""Perplexity of a text by transformers in f32 on SmolLM2, de-quantized from its GGUF file: what `adze eval` of an
artifact in f32 must agree with.

    eval-with-transformers.py SmolLM2-135M-Instruct.Q4_1.gguf TEXT [--window 1024] [--windows 8] -o RESULT.json

Needs torch, transformers, tokenizers and gguf. Windows are cut as `adze eval` cuts them: consecutive, of one length,
without a start token (SmolLM2's vocabulary asks for none), each predicted from its second token on.
"""
import argparse
import importlib.util
import json
import math
import os

import torch
import transformers
from transformers import AutoModelForCausalLM

HERE = os.path.dirname(os.path.abspath(__file__))


def goldens():
    path = os.path.join(HERE, "../../test/EndToEnd/goldens/make-smollm2-goldens.py")
    spec = importlib.util.spec_from_file_location("goldens", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gguf")
    parser.add_argument("text")
    parser.add_argument("--window", type=int, default=1024)
    parser.add_argument("--windows", type=int, default=8)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    tokenizer = goldens().make_tokenizer(options.gguf)
    model = AutoModelForCausalLM.from_pretrained(os.path.dirname(options.gguf), gguf_file=os.path.basename(options.gguf),
                                                 dtype=torch.float32, attn_implementation="eager").eval()
    ids = tokenizer.encode(open(options.text, encoding="utf-8").read(), add_special_tokens=False).ids
    total, count = 0.0, 0
    for number in range(options.windows):
        window = torch.tensor([ids[number * options.window : (number + 1) * options.window]])
        with torch.no_grad():
            logits = model(window).logits[0, :-1].double()
        logprobs = logits.gather(1, window[0, 1:, None])[:, 0] - torch.logsumexp(logits, -1)
        total += float(logprobs.sum())
        count += len(logprobs)
        print(f"window {number + 1} of {options.windows}: perplexity {math.exp(-total / count):.4f}", flush=True)
    result = {"what": "perplexity by transformers in f32", "command": "benchmarks/scripts/eval-with-transformers.py",
              "model": os.path.basename(options.gguf), "text": os.path.basename(options.text), "text_tokens": len(ids),
              "window": options.window, "windows": options.windows, "predictions": count,
              "perplexity": math.exp(-total / count),
              "made_with": {"transformers": transformers.__version__, "torch": torch.__version__}}
    with open(options.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


main()
