#!/usr/bin/env python3
"""Every op of a dialect has each of its places: record, verifier, evaluator, lowering, import row, tests.

llm:  summary; description with an ```mlir example, a numbered constraint (c1) and a word about empty sets; the family's
      file in Dialect/Llm/IR; its evaluator in Dialect/Llm/Reference, declared in Operations.h; its lowering in
      Conversion/LlmToTile, allowed by CheckGroup.cpp; an importer that builds it, or "Import: none" with the reason in its
      description; test/Dialect/Llm, test/Numerics/<op>.mlir and a module of test/Numerics/Kernels.
tile, exec: record, verifier (its own or by traits), lowering and a test in test/Dialect. Copies in flight (RingOps.td) are
      lowered for a GPU alone.
The checking dialect of test/Dialect/Check is exempt.
"""
import os
import re

import records
import tree

args = tree.arguments(__doc__)

# Ops of llm that hold others or data together and compute nothing: what they need not have, and why.
STRUCTURE = {
    "file": "names a source file",
    "weight": "holds a weight's expression",
    "get_weight": "names a weight",
    "yield": "ends a region",
    "kernel": "groups ops; its contents are evaluated and lowered",
    "make_batch": "packs index arrays for tests and the evaluator",
}
# Ops that stand only inside llm.weight: lib/Pipeline evaluates them when the artifact is written.
EXPRESSION = {"source_tensor", "permute_rows", "concat_rows", "slice_rows", "convert", "repack"}
LOWERINGS = {"Tile": ["lib/Conversion/TileToCpu"], "Exec": ["lib/Conversion/ExecToLLVM"]}
VERIFYING_TRAITS = ("PredOpTrait", "TypesMatchWith", "AllTypesMatch", "NativeOpTrait")


def mentions(folder, pattern, suffix=".cpp"):
    return any(re.search(pattern, tree.text(args.source, name)) for name in tree.files(args.source, [suffix], [folder]))


def exists(path):
    return os.path.exists(os.path.join(args.source, path))


def check_record(place, op):
    if not op["summary"]:
        tree.offence(place, "no summary", "say in one line what the op computes")
    if len((op["description"] or "").strip()) < 40:
        tree.offence(place, "no description", "say what it computes, shapes and units included")


def check_llm(name, op):
    place, mnemonic, cls = records.place(name, op), op["opName"], op["!name"].split("_")[-1]
    family = op["!locs"][0].split("Ops.td")[0]
    description = op["description"] or ""
    check_record(place, op)
    if "```mlir" not in description:
        tree.offence(place, f"llm.{mnemonic} has no example", "add an ```mlir block to its description")
    if not exists(f"lib/Dialect/Llm/IR/{family}Ops.cpp"):
        tree.offence(place, f"lib/Dialect/Llm/IR/{family}Ops.cpp is missing", "verify, infer, fold and cost go there")
    if not mentions("test/Dialect/Llm", rf"\bllm\.{mnemonic}\b", ".mlir"):
        tree.offence(place, f"no test in test/Dialect/Llm mentions llm.{mnemonic}", "add syntax and verifier tests")
    if mnemonic in STRUCTURE:
        return
    if not re.search(r"\bc1\b", description):
        tree.offence(place, f"llm.{mnemonic} has no numbered constraint", "number them c1, c2 ... and name them in errors")
    if not re.search(r"\b[Ee]mpty\b|\bno (rows|tokens|keys)\b|\bidentity\b", description):
        tree.offence(place, f"llm.{mnemonic} does not say what an empty set gives", "state the identity element")
    if mnemonic in EXPRESSION:
        if not mentions("lib/Pipeline", rf"\b{cls}\b"):
            tree.offence(place, f"lib/Pipeline does not evaluate llm.{mnemonic}", "add it to the weight evaluator")
    elif not mentions("lib/Conversion/LlmToTile", rf"\b{cls}\b"):
        tree.offence(place, f"no lowering of llm.{mnemonic}", f"add it to lib/Conversion/LlmToTile/{family}.cpp")
    if not mentions("lib/Dialect/Llm/Reference", rf"\b{cls}\b") and mnemonic not in EXPRESSION:
        tree.offence(place, f"the reference does not evaluate llm.{mnemonic}",
                     f"add it to lib/Dialect/Llm/Reference/{family}.cpp")
    if not mentions("lib/Dialect/Llm/Reference", rf"\bevaluate\({cls}\b", "Operations.h"):
        tree.offence(place, f"Operations.h does not declare the evaluation of llm.{mnemonic}",
                     "declare it in lib/Dialect/Llm/Reference/Operations.h, which attaches it to the op")
    if mnemonic not in EXPRESSION and not mentions("lib/Conversion/LlmToTile", rf"\b{cls}\b", "CheckGroup.cpp"):
        tree.offence(place, f"no kernel may hold llm.{mnemonic}",
                     "say in lib/Conversion/LlmToTile/CheckGroup.cpp which forms of it can be built")
    if mnemonic not in EXPRESSION and not mentions("test/Numerics/Kernels", rf"\bllm\.{mnemonic}\b", ".mlir"):
        tree.offence(place, f"no compiled kernel of llm.{mnemonic} is tested", "use it in a module of test/Numerics/Kernels")
    if not mentions("lib/Import", rf"\b{cls}\b") and not re.search(r"Import:\s+none", description):
        tree.offence(place, f"no importer builds llm.{mnemonic}", 'import it, or say "Import: none, because ..." in its description')
    tests = [f"test/Numerics/{mnemonic}.mlir", f"test/Numerics/{mnemonic.replace('_', '-')}.mlir"]
    if mnemonic not in EXPRESSION and not any(exists(test) for test in tests):
        tree.offence(place, f"{tests[1]} is missing", "compare the compiled op with worked-out values")


def check_lower(level, name, op):
    place, cls = records.place(name, op), op["!name"].split("_")[-1]
    check_record(place, op)
    traits = [t["def"] for t in op["traits"]]
    by_trait = any(set(VERIFYING_TRAITS) & set(all_records[t]["!superclasses"]) for t in traits if t in all_records)
    if not (op["hasVerifier"] or op["hasRegionVerifier"] or by_trait):
        tree.offence(place, "no verifier", "set hasVerifier, or state the rule with a trait")
    lowerings = ["lib/Conversion/TileToGpu"] if op["!locs"][0].startswith("RingOps.td") else LOWERINGS[level]
    if not any(mentions(folder, rf"\b{cls}\b") for folder in lowerings):
        tree.offence(place, f"no lowering of {cls}", f"add it to {' or '.join(lowerings)}")
    mnemonic = f"{level.lower()}.{op['opName']}"
    if not mentions(f"test/Dialect/{level}", rf"\b{re.escape(mnemonic)}\b", ".mlir"):
        tree.offence(place, f"no test in test/Dialect/{level} mentions {mnemonic}", "add syntax and verifier tests")


count = 0
for level, file in records.dialect_files(args).items():
    all_records = records.load(args, file)
    for record in records.instances(all_records, "Op"):
        if not record["opDialect"] or record["opDialect"]["def"] != f"{level}_Dialect":
            continue
        count += 1
        if level == "Llm":
            check_llm(file, record)
        else:
            check_lower(level, file, record)
if count == 0:
    tree.offence("include/adze/Dialect", "no ops were found", "name the dialects <Level>_Dialect in <Level>Ops.td")
print(f"one op, one place: {count} ops")
