#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets into corpus/ and their words into dictionaries/. Standard library only; the same
bytes every time.

The good files are tiny and complete; each bad one breaks a single rule. Inputs that fuzzing found to matter are added by
hand beside them, under the name of the fault. corpus/tokenizer-table holds serialise() of the table of
corpus/tokenizer-json/byte-level, which only our own code can make.
"""
import json
import os
import re
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

# A whole small model of each kind of container: what the doors accept, so that mutations reach every later check.
u32s = lambda *values: b"".join(struct.pack("<I", v) for v in values)
strings = lambda *texts: struct.pack("<IQ", STRING, len(texts)) + b"".join(string(t) for t in texts)


def model(tokenizer, extra=()):
    sizes = {"block_count": 1, "context_length": 64, "embedding_length": 32, "feed_forward_length": 48,
             "attention.head_count": 2, "attention.head_count_kv": 1, "attention.key_length": 16,
             "rope.dimension_count": 16, "vocab_size": 8}
    return [("general.architecture", STRING, string("llama")), ("general.quantization_version", U32, u32s(2)),
            *(("llama." + key, U32, u32s(value)) for key, value in sizes.items()),
            ("llama.attention.layer_norm_rms_epsilon", F32, struct.pack("<f", 1e-5)), *tokenizer, *extra]


words = ("a", "b", "c", "ab", "abc", "\u0120", "\u0120a", "<|im_end|>")
byte_level = [("tokenizer.ggml.model", STRING, string("gpt2")), ("tokenizer.ggml.pre", STRING, string("smollm")),
              ("tokenizer.ggml.tokens", ARRAY, strings(*words)),
              ("tokenizer.ggml.token_type", ARRAY, struct.pack("<IQ", 5, 8) + u32s(1, 1, 1, 1, 1, 1, 1, 3)),
              ("tokenizer.ggml.merges", ARRAY, strings("a b", "ab c", "\u0120 a")),
              ("tokenizer.ggml.eos_token_id", U32, u32s(7)), ("tokenizer.ggml.add_bos_token", BOOL, b"\0")]
pieces = ("<unk>", "<s>", "</s>", "<0x41>", "\u2581", "a", "b", "\u2581a")
sentence_piece = [("tokenizer.ggml.model", STRING, string("llama")), ("tokenizer.ggml.tokens", ARRAY, strings(*pieces)),
                  ("tokenizer.ggml.token_type", ARRAY, struct.pack("<IQ", 5, 8) + u32s(2, 3, 3, 6, 1, 1, 1, 1)),
                  ("tokenizer.ggml.scores", ARRAY, struct.pack("<IQ", F32, 8) + struct.pack("<8f", *range(0, -8, -1))),
                  ("tokenizer.ggml.bos_token_id", U32, u32s(1)), ("tokenizer.ggml.eos_token_id", U32, u32s(2)),
                  ("tokenizer.ggml.unknown_token_id", U32, u32s(0))]
sampling = [("general.sampling.temp", F32, struct.pack("<f", 0.5)), ("general.sampling.top_k", U32, u32s(40)),
            ("llama.rope.scaling.type", STRING, string("linear")),
            ("llama.rope.scaling.factor", F32, struct.pack("<f", 2.0))]
embedding = [("token_embd.weight", [32, 8], 1, 0), ("rope_freqs.weight", [8], 0, 512)]
put("gguf", "whole-byte-level", gguf(model(byte_level, sampling), embedding, b"\0\0\x80\x3f" * 160))
put("gguf", "whole-sentence-piece", gguf(model(sentence_piece), embedding, b"\0\0\x80\x3f" * 160))
put("gguf", "no-tokens", gguf(model([]), embedding, b"\0" * 640))

config = {
    "architectures": ["LlamaForCausalLM"], "attention_dropout": 0.0, "attention_bias": False, "mlp_bias": False,
    "bos_token_id": 1, "eos_token_id": [2, 3], "hidden_act": "silu", "hidden_size": 32, "initializer_range": 0.02,
    "intermediate_size": 48, "max_position_embeddings": 64, "model_type": "llama", "num_attention_heads": 2,
    "num_hidden_layers": 2, "num_key_value_heads": 1, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3",
                     "original_max_position_embeddings": 64},
    "tie_word_embeddings": False, "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": 320}
qwen = {**config, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "max_window_layers": 1, "sliding_window": 8,
        "use_sliding_window": True, "rope_scaling": None}
for key in ("attention_bias", "mlp_bias", "pretraining_tp"):
    del qwen[key]
put("config", "llama", json.dumps(config))
put("config", "llama-linear-rope", json.dumps({**config, "rope_scaling": {"type": "linear", "factor": 2.0}}))
put("config", "qwen2-windows", json.dumps(qwen))
put("config", "qwen2-layer-types", json.dumps({**qwen, "layer_types": ["full_attention", "sliding_attention"]}))
put("config", "qwen3-parameters", json.dumps({
    **{k: v for k, v in config.items() if k not in ("rope_scaling", "rope_theta", "mlp_bias", "pretraining_tp")},
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 16, "dtype": "float32",
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}}))
put("config", "mistral-window", json.dumps({
    **{k: v for k, v in config.items() if k not in ("attention_bias", "mlp_bias", "rope_scaling", "pretraining_tp")},
    "architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": 16}))
put("config", "2-40-layers", json.dumps({**config, "num_hidden_layers": 1 << 40}))
put("config", "no-heads", json.dumps({**config, "num_attention_heads": 0}))
put("config", "sizes-of-2-63", json.dumps({**config, "hidden_size": (1 << 63) - 1, "head_dim": -2}))
put("config", "list", "[]")

generation = {"_from_model_config": True, "bos_token_id": 1, "do_sample": True, "eos_token_id": [2, 3],
              "repetition_penalty": 1.05, "temperature": 0.7, "top_k": 20, "top_p": 0.8, "min_p": 0.05, "num_beams": 1,
              "length_penalty": 1.0, "transformers_version": "4.46.3"}
put("generation-config", "sampling", json.dumps(generation))
put("generation-config", "greedy", json.dumps({"do_sample": False, "temperature": 0.0, "eos_token_id": 2}))
put("generation-config", "huge-end-token", json.dumps({"eos_token_id": [1 << 63]}))
put("generation-config", "end-token-outside", json.dumps({"eos_token_id": 1000}))
put("generation-config", "beams", json.dumps({"num_beams": 4}))

parts = {"model.embed_tokens.weight": "model-00001-of-00002.safetensors", "lm_head.weight": "model-00002-of-00002.safetensors"}
put("shard-index", "two-files", json.dumps({"metadata": {"total_size": 100}, "weight_map": parts}))
put("shard-index", "leaves-the-folder", json.dumps({"weight_map": {"a": "../../etc/passwd", "b": "/etc/passwd", "c": ""}}))
put("shard-index", "no-string", json.dumps({"weight_map": {"a": 1}}))
put("shard-index", "empty-map", json.dumps({"weight_map": {}}))
put("shard-index", "tensor-twice", '{"weight_map": {"a": "x", "a": "y"}}')

# fuzz-mlir: the number of a file (Module/CMakeLists.txt) and of a module in it, the stage at which it is changed (7 more: for a
# GPU), a kernel, then changes. The first five modules of each as they are, from where they can be first; then a few changes.
with open(os.path.join(os.path.dirname(ROOT), "Module", "CMakeLists.txt"), encoding="utf-8") as file:
    SEEDS = re.search(r"ADZE_FUZZ_SEEDS\n(.*?)\)", file.read(), re.S)[1].split()
STAGES = {"Dialect/Tile": 4, "Transforms/Tile": 4, "Conversion/TileToCpu": 4, "Conversion/TileToGpu": 4,
          "Transforms/Exec": 3, "Conversion/ExecToLLVM": 3}
for number, seed in enumerate(SEEDS):
    with open(os.path.join(os.path.dirname(ROOT), "..", seed), encoding="utf-8") as file:
        parts = min(5, file.read().count("// -----\n") + 1)
    stage = STAGES.get(os.path.dirname(seed), 0)
    name = os.path.basename(seed).removesuffix(".mlir")
    for part in range(parts):
        suffix = f"-{part}" if parts > 1 else ""
        for_gpu = "thread" in seed or "Gpu" in seed
        if not for_gpu:
            put("mlir", f"{name}{suffix}-cpu", bytes([number, part, stage, 255 if stage else number]))
        if for_gpu or stage == 0 and "Numerics" in seed:
            put("mlir", f"{name}{suffix}-gpu", bytes([number, part, stage + 7, 255 if stage else number]))
for stage in range(0, 12, 2):
    state = bytes((stage * 37 + i * i * 11 + i * 101) % 256 for i in range(9 + 9 * (stage % 3)))
    put("mlir", f"changed-{stage:02}", bytes([stage % 4, 0, stage, stage]) + state)

# A dictionary for each target: the words that its reader looks for, as its sources spell them.
SOURCES = {
    "safetensors": ["lib/Import/HuggingFace/Safetensors.cpp"],
    "shard-index": ["lib/Import/HuggingFace/ShardIndex.cpp"],
    "config": ["lib/Import/HuggingFace/Config.cpp", "lib/Import/HuggingFace/RopeConfig.cpp", "lib/Import/Families"],
    "generation-config": ["lib/Import/HuggingFace/GenerationConfig.cpp"],
    "gguf": ["lib/Import/Gguf", "lib/Text/TokenizerGguf.cpp"],
    "tokenizer-json": ["lib/Text/TokenizerJson.cpp", "lib/Text/TokenizerJsonPipeline.cpp", "lib/Text/TokenizerConfig.cpp"],
    "manifest": ["lib/Format/Manifest.cpp"],
    "chat-template": ["lib/Text/Template"],
    "json": [],
}
MARKS = ["{", "}", "[", "]", ":", ",", '"', "null", "true", "false", "-1", "0", "1e308", "9223372036854775807",
         "18446744073709551615", "0.5", "\\u0000", "\\ud83d"]
GGUF_MARKS = ["GGUF"] + ["".join(map(chr, struct.pack("<I", n))) for n in range(13)] + ["\xff" * 8, "\0" * 7 + "\x80"]
TEMPLATE_MARKS = ["{{", "}}", "{%", "%}", "{#", "#}", "-%}", "{%-", "|", "~", "[::-1]", "loop.", "messages", "role", "content"]


def sources_below(place):
    path = os.path.join(os.path.dirname(ROOT), "..", "..", place)
    if os.path.isfile(path):
        return [path]
    return [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith((".cpp", ".h"))]


def escaped(word):
    return "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\x{ord(c):02X}" for c in word)


os.makedirs(os.path.join(os.path.dirname(ROOT), "dictionaries"), exist_ok=True)
for target, places in SOURCES.items():
    found = set()
    for place in places:
        for path in sources_below(place):
            with open(path, encoding="utf-8") as file:
                found |= set(re.findall(r'"([A-Za-z_|<>][\w.|<>\-]{1,47})"', file.read()))
    found -= {word for word in found if word.endswith((".h", ".cpp", ".inc"))}
    marks = GGUF_MARKS if target == "gguf" else TEMPLATE_MARKS if target == "chat-template" else MARKS
    with open(os.path.join(os.path.dirname(ROOT), "dictionaries", target + ".dict"), "w", encoding="ascii") as file:
        for word in marks + sorted(found):
            file.write(f'"{escaped(word)}"\n')
