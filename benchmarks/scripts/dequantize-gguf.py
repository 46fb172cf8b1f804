#!/usr/bin/env python3
"""Writes a GGUF file's weights as F32, everything else as it is: the model that both sides' KL is measured against.

    dequantize-gguf.py MODEL.Q4_1.gguf MODEL.F32.gguf

The values are those that the file's own codes and scales stand for (gguf.quants). Needs numpy and gguf.
"""
import sys

import numpy
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize


def main(source, output):
    reader = GGUFReader(source)
    writer = GGUFWriter(output, reader.fields["general.architecture"].contents(), use_temp_file=True)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        if field.types[0] == GGUFValueType.ARRAY:
            writer.add_key_value(name, field.contents(), GGUFValueType.ARRAY, sub_type=field.types[-1])
        else:
            writer.add_key_value(name, field.contents(), field.types[0])
    writer.add_file_type(0)  # all F32
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        writer.add_tensor(tensor.name, values.reshape([int(n) for n in reversed(tensor.shape)]),
                          raw_dtype=GGMLQuantizationType.F32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(*sys.argv[1:])
