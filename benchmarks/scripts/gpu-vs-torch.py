#!/usr/bin/env python3
"""Measures a model on a GPU beside cuBLAS and cuDNN (as torch calls them) and beside the memory's own speed, in one run.

    gpu-vs-torch.py --adze ADZE --kernels 8B-OF-4-LAYERS.adze --model 8B.adze [--rounds 3] [--seconds 300] -o RESULT.json

Both artifacts have weights, of a model or generated (adze bench weights). What is compared:

    products            each product of the model at several numbers of tokens, with torch.matmul in bf16
    attention-prefill   attention of a causal prompt, with cuDNN's, forced by sdpa_kernel
    attention-decode    attention of a decode over 512 MB of KV and more, with the memory's speed
    decode-step         a whole step of one request, its bytes with the memory's speed
    first-token         from a process's start to its first token, the artifact in the page cache

Times of both sides are those of the same work given back to back by a graph between two events, divided by its number;
weights come from as many copies as the artifact has layers, together far larger than the L2 cache, so they are cold on
both sides. Sides alternate by rounds and rest alike before each; the ratio is taken round by round. A part that fails
is recorded and the rest goes on; the exit status is 1 then. Parts that would begin after --seconds are recorded as such.
Needs torch for its side alone.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

PRODUCTS = "qkv:6144x4096,o:4096x4096,gate_up:28672x4096,down:4096x14336,lm_head:128256x4096"
LEAST_NANOSECONDS = 500_000  # of what one repetition times, as adze bench does
REPETITIONS = 7


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values), "repetitions": len(values)}


def ratio_of(ours, theirs):
    """Round by round, how many times as fast we are."""
    return spread([t / o for o, t in zip(ours, theirs)])


class Peer:
    """torch's side. Every function gives microseconds of one piece of work."""

    def __init__(self, layers):
        import torch
        self.torch, self.layers = torch, layers
        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no GPU")
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True
        self.weights = {}

    def describe(self):
        torch = self.torch
        return {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
                "device": torch.cuda.get_device_name()}

    def random(self, *shape, scale=1.0):
        return self.torch.randn(*shape, device="cuda", dtype=self.torch.bfloat16) * scale

    def time(self, works):
        """The median over repetitions of a graph of `works` (functions), repeated in it where they are short."""
        torch = self.torch
        for _ in range(2):  # libraries choose and load their kernels
            for work in works:
                work()
        torch.cuda.synchronize()

        def graph(rounds):
            made = torch.cuda.CUDAGraph()
            with torch.cuda.graph(made):
                for _ in range(rounds):
                    for work in works:
                        work()
            return made

        def run(made):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            made.replay()
            end.record()
            end.synchronize()
            return start.elapsed_time(end) * 1e6

        made = graph(1)
        run(made)
        rounds = max(1, min(4096 // len(works), -(-LEAST_NANOSECONDS // max(1, int(run(made))))))
        if rounds > 1:
            made = graph(rounds)
            run(made)
        times = [run(made) for _ in range(REPETITIONS)]
        return statistics.median(times) / (rounds * len(works)) / 1e3

    def product(self, name, outputs, inputs, tokens):
        torch = self.torch
        if name not in self.weights:
            copies = 1 if outputs * inputs * 2 > 400e6 else self.layers
            self.weights[name] = [self.random(outputs, inputs, scale=inputs ** -0.5) for _ in range(copies)]
        rows = self.random(tokens, inputs)
        result = torch.empty(tokens, outputs, device="cuda", dtype=torch.bfloat16)
        return self.time([lambda w=w: torch.matmul(rows, w.t(), out=result) for w in self.weights[name]])

    def attention(self, tokens, heads, kv_heads, width):
        """Causal attention of one prompt by cuDNN, and how it was asked."""
        torch = self.torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        attend = torch.nn.functional.scaled_dot_product_attention
        queries = [self.random(1, heads, tokens, width) for _ in range(self.layers)]
        keys, values = ([self.random(1, kv_heads, tokens, width) for _ in range(self.layers)] for _ in range(2))
        try:
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                attend(queries[0], keys[0], values[0], is_causal=True, enable_gqa=True)
            extra, how = {"enable_gqa": True}, "enable_gqa"
        except (RuntimeError, TypeError):
            repeat = heads // kv_heads
            keys, values = ([t.repeat_interleave(repeat, dim=1) for t in side] for side in (keys, values))
            extra, how = {}, f"keys and values repeated to {heads} heads"
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return self.time([lambda q=q, k=k, v=v: attend(q, k, v, is_causal=True, **extra)
                              for q, k, v in zip(queries, keys, values)]), how

    def copy(self, size=1 << 31):
        torch = self.torch
        source = torch.randint(0, 255, (size,), dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        rate = 2 * size / self.time([lambda: target.copy_(source)]) / 1e3
        del source, target
        torch.cuda.empty_cache()
        return rate


def run_adze(options, *arguments, timeout=120):
    done = subprocess.run([options.adze, *arguments], capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise RuntimeError(f"adze {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)


def bench_kernels(options, shapes):
    lists = [",".join(str(shape[i]) for shape in shapes) for i in range(3)]
    return run_adze(options, "bench", "kernel", options.kernels, "--tokens", lists[0], "--requests", lists[1], "--history",
                    lists[2], "--repetitions", str(REPETITIONS), "--copy-bytes", str(options.copy_bytes), "--json")


def product_kernel(shape, outputs, inputs, rows):
    """The kernel of a shape whose operations are those of this product: its rows, plus what is fused with it."""
    wanted = 2 * outputs * inputs * rows
    near = [k for k in shape["kernels"] if "linear" in k["family"] and 0.98 < k["operations"] / wanted < 1.05]
    if len(near) != 1:
        raise RuntimeError(f"{len(near)} kernels have the operations of {outputs} x {inputs} for {rows} rows: "
                           f"{[k['name'] for k in near]}")
    return near[0]


def attention_kernel(shape):
    found = [k for k in shape["kernels"] if "attention" in k["family"]]
    if not found:
        raise RuntimeError("no kernel of the step is attention")
    return {"name": " + ".join(k["name"] for k in found), "us": sum(k["us"]["median"] for k in found),
            "bytes": sum(k["bytes"] for k in found), "operations": sum(k["operations"] for k in found)}


class Run:
    def __init__(self, options):
        self.options, self.start, self.failures = options, time.monotonic(), []
        self.products = [(name, *map(int, extents.split("x"))) for name, extents in
                         (entry.split(":") for entry in options.products.split(","))]
        tokens = [int(t) for t in options.tokens.split(",")]
        # Few tokens are a decode of as many requests, which has a row of logits for each; more are a prompt.
        self.decodes = [(t, t, options.history) for t in tokens if t <= 64]
        self.prompts = [(t, 1, 0) for t in tokens if t > 64]
        batch, length = (int(n) for n in options.decode_attention.split("x"))
        self.long = (batch, batch, length - 1)
        if (options.prompt, 1, 0) not in self.prompts:
            self.prompts.append((options.prompt, 1, 0))
        self.ours, self.theirs, self.how, self.copies = {}, {}, "", {"adze": [], "torch": []}

    def part(self, name, work, measures=True):
        passed = time.monotonic() - self.start
        if measures and passed > self.options.seconds:
            self.failures.append({"part": name, "error": f"not begun: {passed:.0f} s of {self.options.seconds} have passed"})
            return None
        try:
            return work()
        except Exception as error:  # whatever it is: the rest is still worth its minutes
            self.failures.append({"part": name, "error": f"{type(error).__name__}: {error}"[:800]})
            return None

    def rest(self):
        time.sleep(self.options.rest)

    def adze_side(self, shapes, round_number):
        self.rest()
        result = self.part(f"adze, round {round_number}", lambda: bench_kernels(self.options, shapes))
        if result:
            self.copies["adze"].append(result["copy"]["gb_per_s"]["median"])
            for shape in result["shapes"]:
                key = (shape["tokens"], shape["requests"], shape["history"])
                self.ours.setdefault(key, []).append(shape)
        return result

    def torch_side(self, peer, shapes, round_number):
        self.rest()
        for shape in shapes:
            for name, outputs, inputs in self.products:
                rows = shape[1] if name == "lm_head" else shape[0]
                time_of = self.part(f"torch, {name} of {rows} rows, round {round_number}",
                                    lambda: peer.product(name, outputs, inputs, rows))
                if time_of:
                    self.theirs.setdefault((shape, name), []).append(time_of)
            if shape == (self.options.prompt, 1, 0):
                found = self.part(f"torch, attention, round {round_number}", lambda: peer.attention(
                    shape[0], *(int(n) for n in self.options.attention.split(":"))))
                if found:
                    self.theirs.setdefault((shape, "attention"), []).append(found[0])
                    self.how = found[1]

    def rounds(self, peer):
        for number in range(1, self.options.rounds + 1):
            for shapes in (self.decodes, self.prompts):
                if peer:
                    self.torch_side(peer, shapes, number)
                self.adze_side(shapes + ([self.long] if shapes is self.decodes else []), number)
            if peer:
                rate = self.part(f"torch, copy, round {number}", peer.copy)
                self.copies["torch"] += [rate] if rate else []

    def compared(self, key, name, ours, label):
        """One row: our times in each round, theirs where there are any."""
        times = [kernel["us"]["median"] if isinstance(kernel["us"], dict) else kernel["us"] for kernel in ours]
        row = {**label, "kernel": ours[0]["name"], "us": spread(times),
               "top_per_s": ours[0]["operations"] / statistics.median(times) / 1e6,
               "gb_per_s": ours[0]["bytes"] / statistics.median(times) / 1e3}
        theirs = self.theirs.get((key, name))
        if theirs:
            row["torch_us"] = spread(theirs)
            row["times_as_fast"] = ratio_of(times, theirs)
        return row

    def product_rows(self):
        rows = []
        for shape in self.decodes + self.prompts:
            for name, outputs, inputs in self.products:
                count = shape[1] if name == "lm_head" else shape[0]
                label = {"product": name, "outputs": outputs, "inputs": inputs, "tokens": count}
                if shape not in self.ours or (name == "lm_head" and shape in self.prompts):
                    continue
                row = self.part(f"product {name} of {count} rows", lambda: self.compared(
                    shape, name, [product_kernel(one, outputs, inputs, count) for one in self.ours[shape]], label), measures=False)
                rows += [row] if row else []
        return rows

    def attention_row(self, shape, label):
        if shape not in self.ours:
            return None
        return self.part(f"attention of {shape}", lambda: self.compared(
            shape, "attention", [attention_kernel(one) for one in self.ours[shape]], label), measures=False)

    def decode_step(self):
        options, times, result = self.options, [], None
        for _ in range(options.rounds):
            self.rest()
            result = run_adze(options, "bench", "step", options.model, "--tokens", "1", "--requests", "1", "--history",
                              str(options.history), "--repetitions", "30", "--copy-bytes", str(options.copy_bytes), "--json")
            times.append(result["shapes"][0]["us"]["median"])
            self.copies["adze"].append(result["copy"]["gb_per_s"]["median"])
        return {"history": options.history, "us": spread(times), "bytes": result["shapes"][0]["bytes"],
                "gb_per_s": result["shapes"][0]["bytes"] / statistics.median(times) / 1e3}

    def first_token(self):
        options, times, answer = self.options, [], None
        for _ in range(options.rounds):
            self.rest()
            start = time.monotonic()
            answer = run_adze(options, "run", options.model, "--tokens", "5,6,7,8,9", "--max-tokens", "1", "--greedy",
                              "--ignore-eos", "--requests", "1", "--quiet", "--json")
            times.append(time.monotonic() - start)
        return {"seconds": spread(times), "weight_bytes": os.path.getsize(os.path.join(options.model, "weights.bin")),
                "prompt_tokens": answer["prompt_tokens"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adze", required=True)
    parser.add_argument("--kernels", required=True, help="artifact of few layers, for kernels by themselves")
    parser.add_argument("--model", help="artifact for a whole step and a first token; absent: neither is measured")
    parser.add_argument("--layers", type=int, default=4, help="of --kernels: copies of weights on torch's side")
    parser.add_argument("--products", default=PRODUCTS, help="NAME:OUTPUTSxINPUTS,... (those of Llama-3-8B)")
    parser.add_argument("--attention", default="32:8:128", help="heads:KV heads:width (those of Llama-3-8B)")
    parser.add_argument("--tokens", default="1,16,64,1024,4096")
    parser.add_argument("--prompt", type=int, default=4096, help="tokens of the prompt whose attention is compared")
    parser.add_argument("--history", type=int, default=1024)
    parser.add_argument("--decode-attention", default="32x4096", help="requests x tokens in the cache")
    parser.add_argument("--copy-bytes", type=int, default=1 << 31, help="of the copy that tells the memory's speed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rest", type=float, default=1.0, help="seconds before each side")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    run = Run(options)
    peer = run.part("torch", lambda: Peer(options.layers))
    if options.model:
        step, first = run.part("decode-step", run.decode_step), run.part("first-token", run.first_token)
    else:
        step = first = None
    run.rounds(peer)

    result = {"what": "a GPU beside cuBLAS and cuDNN",
              "command": " ".join(["benchmarks/scripts/gpu-vs-torch.py", "--rounds", str(options.rounds)]),
              "artifacts": run.part("describe", lambda: {
                  "kernels": {key: value for key, value in run_adze(options, "inspect", options.kernels, "--json").items()
                              if key in ("model", "numerics", "target", "stand_in")}}, measures=False),
              "peer": run.part("describe torch", peer.describe, measures=False) if peer else None,
              "copy_gb_per_s": {side: spread(rates) for side, rates in run.copies.items() if rates},
              "products": run.product_rows(),
              "attention_prefill": run.attention_row((options.prompt, 1, 0), {"tokens": options.prompt,
                                                                             "torch_asked_by": run.how}),
              "attention_decode": run.attention_row(run.long, {"requests": run.long[0], "length": run.long[2] + 1}),
              "decode_step": step, "first_token": first}
    # The larger of the two sides' copies: what the memory can do.
    ceiling = max((rates["median"] for rates in result["copy_gb_per_s"].values()), default=None)
    for row in (result["attention_decode"], step):
        if row and ceiling:
            row["of_copy"] = row["gb_per_s"] / ceiling
    result["failures"] = run.failures
    result["seconds"] = time.monotonic() - run.start
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")

    for row in result["products"]:
        beside = (f"torch {row['torch_us']['median']:10.2f} us, {row['times_as_fast']['median']:.2f} times as fast"
                  if "torch_us" in row else "")
        print(f"{row['product']:8} {row['tokens']:5} rows {row['us']['median']:10.2f} us {row['gb_per_s']:7.0f} GB/s "
              f"{row['top_per_s']:7.1f} Top/s  {beside}")
    for name in ("attention_prefill", "attention_decode", "decode_step", "first_token", "copy_gb_per_s"):
        print(name, json.dumps(result[name]))
    sys.stdout.flush()
    for failure in run.failures:
        print(f"failed: {failure['part']}: {failure['error']}", file=sys.stderr)
    sys.exit(1 if run.failures else 0)


main()
