"""Trains the small vocabularies of this folder and writes what the reference libraries make of the corpus.

Needs the Python packages tokenizers, sentencepiece and (for --smollm2) gguf. The tests need none of them.

  python make-goldens.py                        vocabularies/*.json and goldens/*.json
  python make-goldens.py --smollm2 FILE.gguf    goldens/smollm2.json only, from that model's own tokens and merges
"""
import argparse, json, os, tempfile
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
import corpus

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = corpus.texts()

LLAMA = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
         r"\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA.replace("{1,3}", "")
QWEN35 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"
          r"\s*[\r\n]+|\s+(?!\S)|\s+")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
TEKKEN = (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*|"
          r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
GPT4O = (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{SUFFIX}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{SUFFIX}|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def bytes_only():
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


RULES = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                       pre_tokenizers.ByteLevel(add_prefix_space=False)]),
    "llama-bpe": pre_tokenizers.Sequence([split(LLAMA), bytes_only()]),
    "qwen2": pre_tokenizers.Sequence([split(QWEN2), bytes_only()]),
}
# Rules that share a vocabulary with one above: they cut differently, and that is what is compared.
MORE_RULES = {
    "qwen35": split(QWEN35), "tekken": split(TEKKEN), "gpt-4o": split(GPT4O),
    "digits-3": pre_tokenizers.Sequence([split(r"\p{N}{1,3}"), split(LLAMA)]),
    "digit-runs": pre_tokenizers.Sequence([pre_tokenizers.Digits(), split(QWEN2)]),
}
MARKERS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def write(folder, name, value):
    with open(os.path.join(HERE, folder, name), "w") as f:
        json.dump(value, f, ensure_ascii=True, separators=(",", ":"))
        f.write("\n")


def train(name, rule):
    tokenizer = Tokenizer(models.BPE(ignore_merges=name == "llama-bpe"))
    if name == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = rule
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    size = 2000 + len(alphabet) + len(MARKERS)
    tokenizer.train_from_iterator(corpus.training_texts(), trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, special_tokens=MARKERS, show_progress=False))
    if name == "llama-bpe":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)])
    return tokenizer


def reopened(base, **changes):
    """The tokenizer with some components of its file replaced; returns it and the replaced parts as JSON."""
    document = json.loads(base.to_str())
    for key, component in changes.items():
        if key != "added_tokens":
            component = None if component is None else json.loads(component.__getstate__())
        changes[key] = document[key] = component
    return Tokenizer.from_str(json.dumps(document)), changes


def golden(name, vocabulary, tokenizer, changes, texts=None, add_special=False):
    listed = TEXTS if texts is None else texts
    ids = [tokenizer.encode(t, add_special_tokens=add_special).ids for t in listed]
    value = {"vocabulary": vocabulary, "changes": changes, "add_special": add_special, "ids": ids}
    if texts is not None:
        value["texts"] = texts
        value["decoded"] = [tokenizer.decode(i, skip_special_tokens=False) for i in ids]
    write("goldens", name + ".json", value)


def hash_ids(tokenizer):
    """FNV-1a over the ids of every assigned plane's code points beside a letter, a space and a digit, 64 to a text."""
    value = 0xcbf29ce484222325
    points = [c for c in [*range(0x20000), *range(0xe0000, 0xe0200)] if not 0xd800 <= c < 0xe000]
    for i in range(0, len(points), 64):
        for token in tokenizer.encode("".join(f"a{chr(c)} {chr(c)}1" for c in points[i:i + 64]),
                                      add_special_tokens=False).ids:
            value = (value ^ token) * 0x100000001b3 & 0xffffffffffffffff
    return value


def byte_level():
    hashes = {}
    for name, rule in RULES.items():
        tokenizer = train(name, rule)
        document = json.loads(tokenizer.to_str())
        if name != "gpt-2":  # both spellings of merges occur in the wild
            document["model"]["merges"] = [" ".join(m) for m in document["model"]["merges"]]
        write("vocabularies", name + ".json", document)
        golden(name, name, tokenizer, {})
        hashes[name] = hash_ids(tokenizer)
        if name == "llama-bpe":
            golden("start-token", name, tokenizer, {}, ["", "Hello", "Hello <|endoftext|>"], True)
        if name != "qwen2":
            continue
        for more, cut in MORE_RULES.items():
            other, changes = reopened(tokenizer, pre_tokenizer=pre_tokenizers.Sequence([cut, bytes_only()]))
            golden(more, name, other, changes)
            hashes[more] = hash_ids(other)
        markers(tokenizer)
    # Characters that Unicode gave a meaning after the oldest table among the libraries count as different: see the test.
    write("goldens", "every-character.json", {k: f"{v:016x}" for k, v in hashes.items()})


MARKER_TEXTS = ["<m>word", "<m> word", "x<m> y", "x <m>y", "x <m> y", "<m>", " <m> ", "<m><m>", "a<m>b", "a <m><m> b",
                "<m>\n\nword", "word\t<m>", "<<m>>", "<m", "m>", "<m>1", "é<m>é", "_<m>", "-<m>-", "<m><mm>", "<mm>",
                "a<mm> b", "  <m>  <mm>  ", "e\u0301<m>e\u0301", "<m>\u0301"]


def added(ids, **flags):
    base = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return [{"id": ids, "content": "<m>", **base, **flags}, {"id": ids + 1, "content": "<mm>", **base, **flags}]


def markers(tokenizer, prefix="markers"):
    """Added tokens with every flag, beside letters, spaces and each other."""
    document = json.loads(tokenizer.to_str())
    size = tokenizer.get_vocab_size()
    sets = []
    for flags in ({}, {"lstrip": True}, {"rstrip": True}, {"lstrip": True, "rstrip": True}, {"single_word": True},
                  {"normalized": True}, {"normalized": True, "lstrip": True}, {"single_word": True, "rstrip": True}):
        other, changes = reopened(tokenizer, added_tokens=document["added_tokens"] + added(size, **flags))
        sets.append((flags, other, changes))
    for flags, other, changes in sets:
        golden("-".join([prefix] + sorted(flags)), document_name(prefix), other, changes, MARKER_TEXTS)


def document_name(prefix):
    return "qwen2" if prefix == "markers" else "sentencepiece"


def sentence_piece():
    import sentencepiece as spm
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")
        lines = [t.replace("\n", " ") for t in corpus.training_texts() if t.strip() and "\x00" not in t]
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_prefix=path, model_type="bpe", vocab_size=2400, byte_fallback=True,
            normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=0.98,
            allow_whitespace_only_pieces=True, split_digits=True, minloglevel=2, num_threads=1)
        model = spm.SentencePieceProcessor(model_file=path + ".model")
    count = model.get_piece_size()
    pieces = [model.id_to_piece(i) for i in range(count)]
    scores = [model.get_score(i) for i in range(count)]
    kinds = [2 if model.is_unknown(i) else 3 if model.is_control(i) else 6 if model.is_byte(i) else 1 for i in range(count)]
    write("vocabularies", "sentencepiece-scores.json", {"tokens": pieces, "scores": scores, "types": kinds})
    texts = [t for t in TEXTS if "\x00" not in t and "\u2581" not in t and "<s>" not in t]
    write("goldens", "sentencepiece-scores.json", {
        "texts": texts, "ids": [model.encode(t) for t in texts], "decoded": [model.decode(model.encode(t)) for t in texts]})

    # The same vocabulary as a tokenizer.json: every way to cut a piece in two, best result first.
    vocabulary = {p: i for i, p in enumerate(pieces)}
    merges = []
    for piece, number in vocabulary.items():
        if kinds[number] != 1:
            continue
        for at in range(1, len(piece)):
            left, right = vocabulary.get(piece[:at]), vocabulary.get(piece[at:])
            if left is not None and right is not None and kinds[left] == kinds[right] == 1:
                merges.append((-scores[number], left, right, piece[:at], piece[at:]))
    merges = [(left, right) for _, _, _, left, right in sorted(merges)]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in ("<unk>", "<s>", "</s>")])
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    write("vocabularies", "sentencepiece.json", json.loads(tokenizer.to_str()))
    golden("sentencepiece", "sentencepiece", tokenizer, {})
    sample = TEXTS[:60:3] + TEXTS[60:160:4]
    for scheme in ("always", "first", "never"):
        for cut in (True, False):
            # A Metaspace decoder drops every leading space of the first token, also those of the text; we drop one.
            decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                                         decoders.Strip(" ", 0 if scheme == "never" else 1, 0)])
            other, changes = reopened(tokenizer, normalizer=None, decoder=decoder,
                                      pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme=scheme, split=cut))
            golden(f"metaspace-{scheme}-{'split' if cut else 'whole'}", "sentencepiece", other, changes,
                   sample + [m.replace("<m>", "</s>") for m in MARKER_TEXTS])
    no_bytes = json.loads(tokenizer.to_str())
    no_bytes["model"]["byte_fallback"] = False
    unknown = Tokenizer.from_str(json.dumps(no_bytes))
    write("goldens", "unknown-characters.json", {
        "vocabulary": "sentencepiece", "model": {"byte_fallback": False}, "changes": {}, "add_special": False,
        "texts": sample, "ids": [unknown.encode(t, add_special_tokens=False).ids for t in sample]})
    markers(tokenizer, "sentencepiece-markers")


def smollm2(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = RULES["smollm"]
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t, k in zip(tokens, kinds) if k == 3])
    golden("smollm2", "smollm2", tokenizer, {})


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--smollm2", metavar="FILE.gguf")
    options = arguments.parse_args()
    if options.smollm2:
        smollm2(options.smollm2)
    else:
        write("goldens", "corpus.json", TEXTS)
        byte_level()
        sentence_piece()
