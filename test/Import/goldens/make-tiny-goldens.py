#!/usr/bin/env python3
"""Makes tiny-models.json: what transformers computes, in f32, for the tiny models that write-model writes from a seed.

usage: make-tiny-goldens.py WRITE_MODEL [OUTPUT]      (needs torch, transformers, gguf, numpy and libxxhash)

For each case the same program writes the Hugging Face folder, which transformers runs, and the GGUF file, whose tensors are
decoded by the gguf package and must equal the folder's to the bit. Hashes of all files are kept beside the logits, so that a
test notices a changed writer before it compares numbers.
"""
import ctypes
import ctypes.util
import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy
import torch
import transformers

CASES = {
    "llama-f32": "--family llama --type f32 --seed 1",
    "llama-f16": "--family llama --type f16 --seed 1",
    "llama-bf16": "--family llama --type bf16 --seed 1",
    "llama-tied": "--family llama --type f32 --seed 2 --tied",
    "llama-heads": "--family llama --type f32 --seed 3 --head-dim 32 --heads 4 --kv-heads 2 --hidden 64",
    "llama-odd-heads": "--family llama --type f32 --seed 4 --heads 7 --kv-heads 1 --head-dim 16 --hidden 112",
    "llama-rope": "--family llama --type f32 --seed 5 --rope llama3 --head-dim 64 --heads 2 --kv-heads 1 --hidden 128",
    "llama-q8_0": "--family llama --type q8_0 --seed 6",
    "llama-q4_0": "--family llama --type q4_0 --seed 7",
    "llama-q4_1": "--family llama --type q4_1 --seed 8 --tied --embedding-type q8_0 --pre smollm",
    "llama-q6_k": "--family llama --type q6_k --seed 9",
    "mistral-f32": "--family mistral --type f32 --seed 10 --window 4",
    "mistral-q4_0": "--family mistral --type q4_0 --seed 11 --window 4",
    "qwen2-f32": "--family qwen2 --type f32 --seed 12",
    "qwen2-bf16": "--family qwen2 --type bf16 --seed 12",
    "qwen2-q8_0": "--family qwen2 --type q8_0 --seed 13 --tied",
    "qwen2-q4_1": "--family qwen2 --type q4_1 --seed 14",
    "qwen3-f32": "--family qwen3 --type f32 --seed 15",
    "qwen3-bf16": "--family qwen3 --type bf16 --seed 15",
    "qwen3-q6_k": "--family qwen3 --type q6_k --seed 16",
}
LONG = {"llama-rope": 500}  # so many positions instead of 24


def xxh3(data):
    library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")

    class Hash128(ctypes.Structure):
        _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]

    library.XXH3_128bits.restype = Hash128
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    value = library.XXH3_128bits(data, len(data))
    return f"{value.high:016x}{value.low:016x}"


def undo_interleave(rows, heads):
    d = rows.shape[0] // heads
    return rows.reshape(heads, d // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def check_gguf(path, model):
    """The GGUF file holds the folder's numbers."""
    state = model.state_dict()
    reader = gguf.GGUFReader(path)
    architecture = bytes(reader.fields["general.architecture"].parts[-1]).decode()
    names = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
    parts = {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
             "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm",
             "attn_k_norm": "self_attn.k_norm", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
             "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
    for tensor in reader.tensors:
        if tensor.name == "rope_freqs.weight":
            continue
        stem, leaf = tensor.name.rsplit(".", 1)
        if stem.startswith("blk."):
            _, layer, part = stem.split(".", 2)
            name = f"model.layers.{layer}.{parts[part]}.{leaf}"
        else:
            name = f"{names[stem]}.{leaf}"
        values = gguf.dequantize(tensor.data, tensor.tensor_type)
        if architecture == "llama" and stem.endswith(("attn_q", "attn_k")):
            heads = model.config.num_attention_heads if stem.endswith("q") else model.config.num_key_value_heads
            values = undo_interleave(values, heads)
        expected = state[name].float().numpy()
        assert numpy.array_equal(values.reshape(expected.shape), expected), (path, tensor.name)


def run(case, flags, write_model, scratch):
    folder, file = scratch / case, scratch / (case + ".gguf")
    for container, path in (("hf", folder), ("gguf", file)):
        subprocess.run([write_model, *flags.split(), "--container", container, "-o", path], check=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    model.eval()
    check_gguf(file, model)
    count = LONG.get(case, 24)
    tokens = [(i * i * 7 + i * 37 + 11) % 297 for i in range(count)]
    positions = [0, 1, 3, 4, 5, count // 2, count - 2, count - 1]
    ids = list(range(0, 320, 10))
    with torch.no_grad():
        logits = model(torch.tensor([tokens])).logits[0].double()
    return {
        "name": case, "flags": flags,
        "hashes": {**{p.name: xxh3(p.read_bytes()) for p in sorted(folder.iterdir())}, "gguf": xxh3(file.read_bytes())},
        "tokens": tokens, "positions": positions, "ids": ids,
        "logits": [[float(f"{logits[p, i]:.8g}") for i in ids] for p in positions],
        "best": [int(logits[p].argmax()) for p in positions],
        "log_sum_exp": [float(f"{logits[p].logsumexp(0):.8g}") for p in positions],
    }


def main():
    write_model = pathlib.Path(sys.argv[1]).resolve()
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "tiny-models.json"
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as scratch:
        cases = [run(case, flags, write_model, pathlib.Path(scratch)) for case, flags in CASES.items()]
    lines = ",\n".join(json.dumps(case) for case in cases)
    versions = json.dumps({"transformers": transformers.__version__, "torch": torch.__version__})
    output.write_text('{"made_by": "make-tiny-goldens.py", "versions": ' + versions + ', "cases": [\n' + lines + "\n]}\n")


main()
