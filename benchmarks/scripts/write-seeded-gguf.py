#!/usr/bin/env python3
"""Writes a GGUF model of Llama's architecture with random weights from a seed, for measuring speed at a size that no
last-level cache holds. Tokenizer and chat template are copied from another GGUF file.

    write-seeded-gguf.py --like SmolLM2-135M-Instruct.Q4_1.gguf [--layers 28] [--hidden 2048] [--heads 32] [--kv-heads 8]
                         [--ffn 8192] [--encoding Q4_1] [--seed 1] -o seeded.gguf

The defaults are the widths of Llama-3.2-1B with the layers of its 3B sibling: 1.07 GB in Q4_1. Codes are uniform, scales
differ by block, and a weight's variance is 1 / inputs, so that activations keep a sane size through all layers. The same
arguments give the same bytes: numpy's PCG64 and integer arithmetic alone make the codes. Needs numpy and gguf.
"""
import argparse

import numpy
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter

BLOCK = 32


def halves(values):
    return values.astype(numpy.float16).view(numpy.uint8).reshape(-1, 2)


def blocks(random, rows, columns, encoding):
    """Bytes of one matrix, [rows, bytes of a row]."""
    count = rows * columns // BLOCK
    # Scales of 0.75 to 1.25 times the one that gives the variance: (16^2 - 1) / 12 and (255^2 - 1) / 12 are those of codes.
    factor = (96 + random.integers(0, 64, count, dtype=numpy.int64)) / 128.0
    if encoding == "Q8_0":
        codes = random.integers(-127, 128, (count, BLOCK), dtype=numpy.int8)
        scale = factor / numpy.sqrt(columns * (255.0**2 - 1) / 12)
        parts = [halves(scale), codes.view(numpy.uint8)]
    else:
        codes = random.integers(0, 256, (count, BLOCK // 2), dtype=numpy.uint8)
        scale = factor / numpy.sqrt(columns * (16.0**2 - 1) / 12)
        parts = [halves(scale)] + ([halves(-7.5 * scale)] if encoding == "Q4_1" else []) + [codes]
    return numpy.concatenate(parts, axis=1).reshape(rows, -1)


def copy_tokenizer(writer, path):
    for name, field in GGUFReader(path).fields.items():
        if not name.startswith("tokenizer."):
            continue
        kind = field.types[0]
        if kind == GGUFValueType.ARRAY:
            writer.add_key_value(name, field.contents(), kind, sub_type=field.types[-1])
        else:
            writer.add_key_value(name, field.contents(), kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--like", required=True)
    for name, value in (("layers", 28), ("hidden", 2048), ("heads", 32), ("kv-heads", 8), ("ffn", 8192), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--encoding", choices=("Q4_0", "Q4_1", "Q8_0"), default="Q4_1")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    like = GGUFReader(options.like).fields
    vocabulary = len(like["tokenizer.ggml.tokens"].data)
    width = options.hidden // options.heads

    # The writer keeps no tensor in memory that is handed over as a lazily written temporary file.
    writer = GGUFWriter(options.output, "llama", use_temp_file=True)
    writer.add_name(f"Seeded {options.layers} x {options.hidden}, seed {options.seed}")
    writer.add_block_count(options.layers)
    writer.add_context_length(8192)
    writer.add_embedding_length(options.hidden)
    writer.add_feed_forward_length(options.ffn)
    writer.add_head_count(options.heads)
    writer.add_head_count_kv(options.kv_heads)
    writer.add_rope_freq_base(500000.0)
    writer.add_rope_dimension_count(width)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(vocabulary)
    copy_tokenizer(writer, options.like)

    random = numpy.random.Generator(numpy.random.PCG64(options.seed))

    def matrix(name, rows, columns, encoding):
        kind = getattr(GGMLQuantizationType, encoding)
        writer.add_tensor(name, blocks(random, rows, columns, encoding), raw_dtype=kind)

    def norm(name):
        writer.add_tensor(name, numpy.ones(options.hidden, dtype=numpy.float32))

    matrix("token_embd.weight", vocabulary, options.hidden, "Q8_0")
    for layer in range(options.layers):
        prefix = f"blk.{layer}."
        norm(prefix + "attn_norm.weight")
        norm(prefix + "ffn_norm.weight")
        for name, rows, columns in (("attn_q", options.hidden, options.hidden),
                                    ("attn_k", options.kv_heads * width, options.hidden),
                                    ("attn_v", options.kv_heads * width, options.hidden),
                                    ("attn_output", options.hidden, options.hidden),
                                    ("ffn_gate", options.ffn, options.hidden), ("ffn_up", options.ffn, options.hidden),
                                    ("ffn_down", options.hidden, options.ffn)):
            matrix(f"{prefix}{name}.weight", rows, columns, options.encoding)
    norm("output_norm.weight")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
