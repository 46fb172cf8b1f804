#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets into corpus/. Standard library only; the same bytes every time.

The good files are tiny and complete; each bad one breaks a single rule. Inputs that fuzzing found to matter are added by
hand beside them, under the name of the fault. corpus/tokenizer-table holds serialise() of the table of
corpus/tokenizer-json/byte-level, which only our own code can make.
"""
import json
import os
import struct

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def put(target, name, content):
    folder = os.path.join(ROOT, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def safetensors(header, data=b"\0" * 64, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


put("safetensors", "two-tensors", safetensors({"__metadata__": {"format": "pt"}, "a": tensor("F32", [2, 4], 0, 32),
                                               "b": tensor("BF16", [16], 32, 64)}))
put("safetensors", "shape-larger-than-range", safetensors({"a": tensor("F32", [1000, 1000], 0, 4)}))
put("safetensors", "begin-after-end", safetensors({"a": tensor("F32", [1], 8, 4)}))
put("safetensors", "end-behind-file", safetensors({"a": tensor("F32", [100], 0, 400)}))
put("safetensors", "header-of-2-63-bytes", safetensors({}, length=1 << 63))
put("safetensors", "overlap", safetensors({"a": tensor("F32", [16], 0, 64), "b": tensor("F32", [16], 0, 64)}))
put("safetensors", "name-twice", safetensors(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8",'
                                             b'"shape":[1],"data_offsets":[1,2]}}'))
put("safetensors", "product-wraps", safetensors({"a": tensor("F32", [1 << 62, 4], 0, 64)}))
put("safetensors", "empty", b"")


def string(text, length=None):
    return struct.pack("<Q", len(text) if length is None else length) + text.encode()


def gguf(keys, tensors, data=b"", version=3, counts=None, magic=b"GGUF"):
    counts = counts or (len(tensors), len(keys))
    out = magic + struct.pack("<IQQ", version, *counts)
    for key, kind, value in keys:
        out += string(key) + struct.pack("<I", kind) + value
    for name, dims, kind, offset in tensors:
        out += string(name) + struct.pack("<I", len(dims)) + b"".join(struct.pack("<Q", d) for d in dims)
        out += struct.pack("<IQ", kind, offset)
    return out + b"\0" * (-len(out) % 32) + data


U32, F32, BOOL, STRING, ARRAY = 4, 6, 7, 8, 9
keys = [("general.architecture", STRING, string("llama")), ("llama.block_count", U32, struct.pack("<I", 2)),
        ("llama.rope.freq_base", F32, struct.pack("<f", 10000.0)), ("tokenizer.ggml.add_bos_token", BOOL, b"\1"),
        ("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", STRING, 2) + string("a") + string("b"))]
matrix = [("blk.0.attn_q.weight", [32, 2], 0, 0)]
put("gguf", "small", gguf(keys, matrix, b"\0" * 256))
put("gguf", "quantized", gguf(keys, [("w", [32, 2], 2, 0), ("v", [32], 8, 64)], b"\0" * 128))
put("gguf", "alignment-0", gguf(keys + [("general.alignment", U32, struct.pack("<I", 0))], matrix, b"\0" * 256))
put("gguf", "2-60-tensors", gguf(keys, matrix, b"\0" * 256, counts=(1 << 60, len(keys))))
put("gguf", "2-60-keys", gguf(keys, matrix, b"\0" * 256, counts=(1, 1 << 60)))
put("gguf", "dims-product-wraps", gguf(keys, [("w", [1 << 40, 1 << 40], 0, 0)], b"\0" * 256))
put("gguf", "9-dims", gguf(keys, [("w", [1] * 9, 0, 0)], b"\0" * 256))
put("gguf", "string-of-2-63-bytes", gguf([("general.name", STRING, string("x", 1 << 63))], [], b""))
put("gguf", "array-of-2-62-elements", gguf([("a", ARRAY, struct.pack("<IQ", U32, 1 << 62))], [], b""))
put("gguf", "array-of-arrays", gguf([("a", ARRAY, struct.pack("<IQ", ARRAY, 1) + struct.pack("<IQ", U32, 0))], [], b""))
put("gguf", "offset-behind-file", gguf(keys, [("w", [32], 0, 1 << 62)], b"\0" * 128))
put("gguf", "key-twice", gguf(keys + keys[:1], matrix, b"\0" * 256))
put("gguf", "version-9", gguf(keys, matrix, b"\0" * 256, version=9))
put("gguf", "other-magic", gguf(keys, matrix, b"\0" * 256, magic=b"GGML"))

vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "\u0120": 5, "\u0120a": 6}
bpe = {
    "version": "1.0", "truncation": None, "padding": None,
    "added_tokens": [{"id": 7, "content": "<|im_end|>", "single_word": False, "lstrip": False, "rstrip": False,
                      "normalized": False, "special": True}],
    "normalizer": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    "post_processor": None,
    "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
              "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
              "vocab": vocabulary, "merges": [["a", "b"], ["ab", "c"], ["\u0120", "a"]]},
}
put("tokenizer-json", "byte-level", json.dumps(bpe))
put("tokenizer-json", "merges-as-strings", json.dumps({**bpe, "model": {**bpe["model"], "merges": ["a b", "ab c"]}}))
put("tokenizer-json", "merge-of-unknown", json.dumps({**bpe, "model": {**bpe["model"], "merges": [["a", "zz"]]}}))
put("tokenizer-json", "id-twice", json.dumps({**bpe, "model": {**bpe["model"], "vocab": {**vocabulary, "d": 0}}}))
put("tokenizer-json", "huge-id", json.dumps({**bpe, "model": {**bpe["model"], "vocab": {**vocabulary, "d": 1 << 40}}}))
put("tokenizer-json", "half-a-surrogate", json.dumps(bpe).replace("<|im_end|>", "\\ud800"))

TEMPLATES = {
    "chatml": "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
              "{{ '<|im_start|>system\nYou are helpful<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + "
              "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}"
              "{{ '<|im_start|>assistant\n' }}{% endif %}",
    "macro": "{% macro shout(x) %}{{ x | upper | trim }}{% endmacro %}{{ bos_token }}{{ shout(messages[0].content) }}",
    "filters": "{{ messages | map(attribute='content') | join(', ') | replace('a', 'b') | length }}",
    "slices": "{{ messages[-1]['content'][::-1][1:5] }}{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}"
              "{% endfor %}{{ ns.n }}",
    "endless": "{% for a in range(1000000) %}{% for b in range(1000000) %}x{% endfor %}{% endfor %}",
    "doubling": "{% set ns = namespace(s='ab') %}{% for a in range(64) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}",
    "recursion": "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}",
    "parentheses": "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "refuses": "{{ raise_exception('no') }}",
    "unfinished": "{% if messages",
}
for name, source in TEMPLATES.items():
    put("chat-template", name, source)

put("json", "values", json.dumps({"a": [1, -2, 2.5, "x\u00e9", True, None], "b": {"c": {}}}))
put("json", "deep", "[" * 1000)
put("json", "key-twice", '{"a": 1, "a": 2}')
put("json", "large-number", "[1e999, 18446744073709551616, -9223372036854775809]")
put("manifest", "empty-object", "{}")
