#!/usr/bin/env python3
"""Makes tiny-models.json: what transformers computes, in f32, for the tiny models that write-model writes from a seed.

usage: make-tiny-goldens.py WRITE_MODEL [OUTPUT]      (needs torch, transformers, gguf, numpy and libxxhash)

A case is one set of numbers: a family's shape, tied or not, and a way to store them. Numbers of float types are exact in f32,
f16 and bf16 alike, so one case and one row of logits serves six files: a Hugging Face folder and a GGUF file of each. Numbers of
a quantized type are one GGUF file; the folder that transformers reads holds what it decodes to. Every folder is loaded and every
GGUF file is decoded by the gguf package here, and must hold the case's numbers to the bit. Hashes of all files are kept beside
the logits, so that a test notices a changed writer before it compares numbers.
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

# flags, and the flags of the shape whose rows are whole blocks of 256
FAMILIES = {
    "llama2": ("--family llama --heads 4 --kv-heads 2", "--heads 4 --kv-heads 2"),
    "llama3": ("--family llama --rope llama3 --hidden 128 --heads 4 --kv-heads 1", "--hidden 256"),
    "smollm2": ("--family llama --pre smollm --hidden 288 --heads 9 --kv-heads 3",
                "--hidden 768 --heads 12 --kv-heads 4 --layers 1"),
    "mistral": ("--family mistral --window 8", ""),
    "qwen2": ("--family qwen2 --heads 4 --kv-heads 2", ""),
    "qwen3": ("--family qwen3 --heads 4 --kv-heads 2", ""),
}
FLOATS, BLOCKS = ["f32", "f16", "bf16"], ["q8_0", "q4_0", "q4_1", "q6_k"]
# Rotary scaling changes what lies beyond the old length, 64; a window matters once the prompt is longer.
PROMPT, LENGTHS = [(i * i * 7 + i * 37 + 11) % 297 for i in range(200)], {"llama3": 200}
EXTRA = {  # shapes and files that are no row of the table
    "llama-head-width": ("--family llama --head-dim 32 --heads 4 --kv-heads 2 --hidden 64", ["hf-f32", "gguf-f32"]),
    "llama-odd-heads": ("--family llama --heads 7 --kv-heads 1 --head-dim 16 --hidden 112", ["hf-f32", "gguf-f32"]),
    "llama3-new-spelling": ("--family llama --rope llama3 --hidden 128 --spelling 5", ["hf-bf16"]),
    "smollm2-mixed-types": ("--family llama --pre smollm --tied --embedding-type q8_0", ["gguf-q4_1"]),
    "mistral-window-in-gguf": ("--family mistral --window 4", ["gguf-f32"]),
}


def all_cases():
    for family, (flags, wide) in FAMILIES.items():
        for head in ("tied", "untied"):
            base = f"{flags} --{head}"
            hf, gguf_files = [f"hf-{t}" for t in FLOATS], [f"gguf-{t}" for t in FLOATS]
            if "--window" in flags:  # GGUF has no key for this window
                yield f"{family}-{head}-float", base, hf
                base = base.replace("--window 8", "--window 0")
                yield f"{family}-{head}-float-full", base, gguf_files
            else:
                yield f"{family}-{head}-float", base, hf + gguf_files
            for block in BLOCKS:
                yield f"{family}-{head}-{block}", f"{base} {wide}" if block == "q6_k" else base, [f"gguf-{block}"]
    for name, (flags, files) in EXTRA.items():
        yield name, flags, files


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


def load(folder):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    return model.eval()


def run(case, flags, files, seed, write_model, scratch):
    flags = f"{flags} --seed {seed}"

    def write(container, kind):
        path = scratch / f"{case}-{container}-{kind}"
        command = [write_model, *flags.split(), "--type", kind, "--container", container, "-o", path]
        subprocess.run(command, check=True)
        return path

    own = files[0].split("-")[1]
    model = load(write("hf", "f32" if own in FLOATS else own))
    state = model.state_dict()
    hashes = {}
    for file in files:
        container, kind = file.split("-")
        path = write(container, kind)
        if container == "gguf":
            check_gguf(path, model)
            hashes[file] = {"gguf": xxh3(path.read_bytes())}
        else:
            other = load(path).state_dict()
            assert state.keys() == other.keys() and all(torch.equal(state[k], other[k]) for k in state), (case, file)
            hashes[file] = {p.name: xxh3(p.read_bytes()) for p in sorted(path.iterdir())}
    count = LENGTHS.get(case.split("-")[0], 24)
    positions = [0, 4, 9, count // 2, count - 1]
    ids = list(range(0, 320, 20))
    with torch.no_grad():
        logits = model(torch.tensor([PROMPT[:count]])).logits[0].double()
    return {
        "name": case, "flags": flags, "files": hashes, "count": count, "positions": positions, "ids": ids,
        "logits": [[float(f"{logits[p, i]:.8g}") for i in ids] for p in positions],
        "largest": [float(f"{logits[p].abs().max():.8g}") for p in positions],
        "best": [int(logits[p].argmax()) for p in positions],
    }


def main():
    write_model = pathlib.Path(sys.argv[1]).resolve()
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "tiny-models.json"
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as scratch:
        cases = [run(name, flags, files, seed, write_model, pathlib.Path(scratch))
                 for seed, (name, flags, files) in enumerate(all_cases(), 1)]
    lines = ",\n".join(json.dumps(case) for case in cases)
    versions = json.dumps({"transformers": transformers.__version__, "torch": torch.__version__})
    output.write_text('{"made_by": "make-tiny-goldens.py", "versions": ' + versions + ', "tokens": ' + json.dumps(PROMPT)
                      + ', "cases": [\n' + lines + "\n]}\n")


main()
