"""The allow-table: which room may include which. A room is a folder below lib/ and include/adze/."""

BASE = ["Support", "Format", "Text", "Layout", "Abi"]  # every room may include these; they see only each other
COMPILER = ["Dialect", "Import", "Transforms", "Conversion", "Target", "Pipeline"]
RUNTIME = "Runtime/"

# room: what it may include besides itself and BASE. A name stands for the folder and all below it; longest match wins.
ALLOWED = {
    **{room: [] for room in BASE},
    "Dialect/Llm": [],
    "Dialect/Tile": [],
    "Dialect/Exec": [],
    "Import": ["Dialect/Llm"],
    "Transforms/NumericEffect": [],
    "Transforms/Llm": ["Dialect/Llm", "Target/TargetInfo", "Transforms/NumericEffect"],
    "Transforms/Tile": ["Dialect/Tile", "Target/TargetInfo", "Transforms/NumericEffect"],
    "Transforms/Exec": ["Dialect/Exec", "Transforms/NumericEffect"],
    "Conversion/KernelAbi": ["Dialect/Llm"],
    "Conversion/LlmToTile": ["Dialect/Llm", "Dialect/Tile", "Target/TargetInfo", "Conversion/KernelAbi", "Transforms/NumericEffect"],
    "Conversion/LlmToExec": ["Dialect/Llm", "Dialect/Exec", "Conversion/KernelAbi", "Transforms/NumericEffect"],
    "Conversion/MathFunctions": [],
    "Conversion/TileToCpu": ["Dialect/Tile", "Target/TargetInfo", "Transforms/NumericEffect", "Conversion/MathFunctions"],
    "Conversion/TileToGpu": ["Dialect/Tile", "Target/TargetInfo", "Transforms/NumericEffect", "Conversion/MathFunctions"],
    "Conversion/ExecToLLVM": ["Dialect/Exec", "Transforms/NumericEffect"],
    "Target": [],
    "Target/TargetInfo": [],
    "Pipeline": COMPILER,
    "Runtime/Artifact": [],
    "Runtime/Device": [],
    "Runtime/Comm": ["Runtime/Device", "Runtime/Artifact"],
    "Runtime/KvCache": ["Runtime/Device", "Runtime/Artifact"],
    "Runtime/Scheduler": ["Runtime/KvCache", "Runtime/Comm", "Runtime/Device", "Runtime/Artifact"],
    "Runtime/Engine": ["Runtime/Scheduler", "Runtime/KvCache", "Runtime/Comm", "Runtime/Device", "Runtime/Artifact"],
    "Runtime/Bench": ["Runtime/Engine", "Runtime/Scheduler", "Runtime/KvCache", "Runtime/Device", "Runtime/Artifact"],
    "Runtime/Check": ["Runtime/Engine", "Runtime/Scheduler", "Runtime/KvCache", "Runtime/Device", "Runtime/Artifact"],
    "Runtime/Server": ["Runtime"],
    "Runtime/Api": ["Runtime"],
    "tools/adze": ["Runtime"],
    **{f"tools/adze-{tool}": COMPILER for tool in ("compile", "opt", "reduce", "lsp-server")},
}

# Headers of others, by prefix, and the only rooms that may include them.
FOREIGN = {"mlir/": COMPILER + ["tools/adze-"], "llvm/": COMPILER + ["tools/adze-"],
           "cuda": ["Runtime/Device/Cuda"], "nccl": ["Runtime/Comm/Nccl"]}


def below(name, folder):
    return name == folder or name.startswith(folder + "/") or (folder.endswith("-") and name.startswith(folder))


def room_of(path):
    """'lib/Dialect/Llm/IR/X.cpp' or 'include/adze/...' or 'tools/adze/X.cpp' -> the row that speaks for it."""
    for prefix in ("include/adze/", "lib/"):
        if path.startswith(prefix):
            path = path[len(prefix) :]
    matches = [room for room in ALLOWED if below(path.split(".")[0], room)]
    return max(matches, key=len) if matches else None


def may_include(room, header):
    """`header` is a path below include/adze without suffix, for example 'Dialect/Llm/IR/LlmOps'."""
    allowed = [room] + BASE + ([] if room in BASE else ALLOWED[room])
    return any(below(header, name) for name in allowed)
