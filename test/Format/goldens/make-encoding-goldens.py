#!/usr/bin/env python3
"""Makes encodings.json: random blocks of every encoding and the bits of the f32 values that the gguf package decodes.

usage: make-encoding-goldens.py [OUTPUT]      (needs gguf and numpy)

Scales are random f16 patterns (subnormals and negative ones included, infinities and NaNs not); codes are random bytes.
"""
import json
import pathlib
import sys

import gguf
import numpy
from gguf.constants import GGMLQuantizationType as T

# name, type, block bytes, blocks, byte offsets of f16 numbers in a block
ROWS = [("f32", T.F32, 4, 8, []), ("f16", T.F16, 2, 64, [0]), ("bf16", T.BF16, 2, 64, []), ("q8_0", T.Q8_0, 34, 4, [0]),
        ("q4_0", T.Q4_0, 18, 4, [0]), ("q4_1", T.Q4_1, 20, 4, [0, 2]), ("q6_k", T.Q6_K, 210, 2, [208])]


def main():
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "encodings.json"
    random = numpy.random.default_rng(20)
    lines = []
    for name, kind, size, count, halves in ROWS:
        blocks = random.integers(0, 256, (count, size), dtype=numpy.uint8)
        for offset in halves:
            pattern = random.integers(0, 0x7C00, count).astype(numpy.uint16) | (
                random.integers(0, 2, count).astype(numpy.uint16) << 15)
            pattern[0] &= 0x83FF  # a subnormal
            blocks[:, offset:offset + 2] = pattern.view(numpy.uint8).reshape(count, 2)
        if name in ("f32", "bf16"):  # keep infinities and NaNs out
            blocks[:, -1] &= 0xBF
        values = gguf.dequantize(blocks.reshape(1, -1), kind).astype(numpy.float32).reshape(-1)
        lines.append(json.dumps({"encoding": name, "bytes": blocks.tobytes().hex(),
                                 "values": " ".join(f"{bits:08x}" for bits in values.view(numpy.uint32))}))
    output.write_text('{"made_by": "make-encoding-goldens.py", "cases": [\n' + ",\n".join(lines) + "\n]}\n")


main()
