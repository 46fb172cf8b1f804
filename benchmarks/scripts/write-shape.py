#!/usr/bin/env python3
"""Writes a model of a known shape as a Hugging Face folder whose weights are a hole of the right size: it takes no disk,
and is compiled by `adze compile FOLDER --without-weights`, which reads no tensor's data.

    write-shape.py llama-3-8b [--layers 4] [--type BF16] -o FOLDER

The tokenizer knows bytes and one end token, and the ids above them are padding of the table: text goes in and out, and
means nothing. --layers takes fewer layers of the same widths, for measuring kernels. Standard library only.
"""
import argparse
import json
import os
import struct
import sys

# family, hidden, intermediate, heads, KV heads, head width, layers, vocabulary, context, base of rotary positions
SHAPES = {
    "llama-3-8b": ("llama", 4096, 14336, 32, 8, 128, 32, 128256, 8192, 500000.0),
    "llama-3.2-1b": ("llama", 2048, 8192, 32, 8, 64, 16, 128256, 131072, 500000.0),
    "qwen2.5-7b": ("qwen2", 3584, 18944, 28, 4, 128, 28, 152064, 32768, 1000000.0),
    "qwen3-0.6b": ("qwen3", 1024, 3072, 16, 8, 128, 28, 151936, 40960, 1000000.0),
    "small": ("llama", 256, 640, 8, 4, 32, 2, 768, 2048, 10000.0),
}
ARCHITECTURES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
TIED = {"llama-3.2-1b", "qwen3-0.6b"}
END = "<|end_of_text|>"
# A rule that Adze knows; the one of Llama 3.
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_letters():
    """The letter of each byte in a byte-level vocabulary: itself where it prints, else one from U+0100 on."""
    letters, following = [], 256
    for byte in range(256):
        if 0x21 <= byte <= 0x7E or 0xA1 <= byte <= 0xAC or 0xAE <= byte:
            letters.append(chr(byte))
        else:
            letters.append(chr(following))
            following += 1
    return letters


def tokenizer():
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": 256, "content": END, "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": True}],
            "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False}, level]},
            "post_processor": None,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": True,
                      "vocab": {letter: byte for byte, letter in enumerate(byte_letters())}, "merges": []}}


def tensors(family, hidden, inner, heads, kv_heads, width, layers, vocabulary, tied):
    yield "model.embed_tokens.weight", [vocabulary, hidden]
    for layer in range(layers):
        prefix = f"model.layers.{layer}."
        yield prefix + "input_layernorm.weight", [hidden]
        yield prefix + "post_attention_layernorm.weight", [hidden]
        for name, rows in (("q", heads * width), ("k", kv_heads * width), ("v", kv_heads * width)):
            yield f"{prefix}self_attn.{name}_proj.weight", [rows, hidden]
            if family == "qwen2":
                yield f"{prefix}self_attn.{name}_proj.bias", [rows]
        if family == "qwen3":
            yield prefix + "self_attn.q_norm.weight", [width]
            yield prefix + "self_attn.k_norm.weight", [width]
        yield prefix + "self_attn.o_proj.weight", [hidden, heads * width]
        yield prefix + "mlp.gate_proj.weight", [inner, hidden]
        yield prefix + "mlp.up_proj.weight", [inner, hidden]
        yield prefix + "mlp.down_proj.weight", [hidden, inner]
    yield "model.norm.weight", [hidden]
    if not tied:
        yield "lm_head.weight", [vocabulary, hidden]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--layers", type=int, help="fewer layers of the same widths")
    parser.add_argument("--type", choices=("F32", "F16", "BF16"), default="BF16")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    family, hidden, inner, heads, kv_heads, width, layers, vocabulary, context, base = SHAPES[options.shape]
    layers = layers if options.layers is None else options.layers
    if layers < 1:
        sys.exit(f"write-shape.py: --layers is {layers}; accepted: 1 or more")
    tied = options.shape in TIED
    config = {"architectures": [ARCHITECTURES[family]], "model_type": family, "hidden_act": "silu", "hidden_size": hidden,
              "intermediate_size": inner, "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": width,
              "num_hidden_layers": layers, "vocab_size": vocabulary, "max_position_embeddings": context,
              "rms_norm_eps": 1e-05, "rope_theta": base, "tie_word_embeddings": tied, "bos_token_id": 256,
              "eos_token_id": 256, "torch_dtype": {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[options.type]}
    os.makedirs(options.output, exist_ok=True)
    for name, content in (("config.json", config), ("tokenizer.json", tokenizer()),
                          ("tokenizer_config.json", {"bos_token": END, "eos_token": END, "add_bos_token": False})):
        with open(os.path.join(options.output, name), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)

    unit = 4 if options.type == "F32" else 2
    header, end = {}, 0
    for name, shape in tensors(family, hidden, inner, heads, kv_heads, width, layers, vocabulary, tied):
        size = unit
        for extent in shape:
            size *= extent
        header[name] = {"dtype": options.type, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(options.output, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)
    print(f"{options.output}: {options.shape}, {layers} layers, {end / 1e9:.2f} GB of weights that are not there")


main()
