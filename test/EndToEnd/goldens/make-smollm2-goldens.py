#!/usr/bin/env python3
"""Makes smollm2.json: what transformers in f32 answers on SmolLM2-135M-Instruct, de-quantized from its GGUF file.

    python3 make-smollm2-goldens.py SmolLM2-135M-Instruct.Q4_1.gguf smollm2.json

Needs torch, transformers and gguf (made with the versions that the file names); the tests that read the result need
none of them. For each of eight prompts: the token ids, 32 greedy tokens with end tokens ignored, and at 32 positions
of the prompt and 32 generated steps the log-sum-exp, the 64 largest logits with their ids and the logits of 64 fixed
random ids. Numbers are base64 of little-endian f32 and i32, rows in order.
"""
import base64, hashlib, json, os, random, sys
import torch, transformers
from transformers import AutoModelForCausalLM

STEPS, ROWS, TOP, FIXED = 32, 32, 64, 64

PROSE = ("The harbour was quiet in the early morning. Boats rocked against their ropes, gulls walked along the wall, and "
         "an old man mended a net with slow, exact movements. He had done this every day for fifty years, and he did not "
         "look at his hands. Far out, beyond the lighthouse, a line of rain was coming in from the sea. ")
CHAT = ("<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n")
PROMPTS = {
    "chat": CHAT.format("Why is the sky blue?"),
    "chat-list": CHAT.format("List three things to pack for a week in the mountains, and say why."),
    "prose": PROSE,
    "code": "def fibonacci(n):\n    \"\"\"Returns the n-th Fibonacci number.\"\"\"\n    a, b = 0, 1\n    for _ in range(n):\n        "
            "a, b = b, a + b\n    return a\n\n\ndef is_prime(n):\n    \"\"\"Returns whether n is a prime number.\"\"\"\n",
    "languages": "Guten Morgen, wie geht es Ihnen? Bonjour, comment allez-vous ? Buenos días, ¿cómo está usted? "
                 "おはようございます。今日はいい天気ですね。 Доброе утро, как ваши дела? صباح الخير. 早上好,你好吗?",
    "emoji": "Today was a good day 😀🎉! We went to the beach 🏖️, ate ice cream 🍦🍨 and watched the sunset 🌅. "
             "My family 👨‍👩‍👧‍👦 loved it ❤️. Tomorrow we will",
    "numbers": "1, 2, 4, 8, 16, 32, 64, 128, 256,     512\n3.14159 * 2 = 6.28318\n| a | b |\n|---|---|\n| 1 | 1000000 |\n| 2 |",
    "long": None,  # 600 tokens, made below
}



def make_tokenizer(path):
    """The GGUF file's own vocabulary with the pre-split rule that its key names (single digits, then GPT-2's)."""
    from gguf import GGUFReader
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    fields = GGUFReader(path).fields
    assert fields["tokenizer.ggml.pre"].contents() == "smollm"
    tokens = fields["tokenizer.ggml.tokens"].contents()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ", 1)) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t, k in zip(tokens, kinds) if k == 3])
    return tokenizer


def base64_of(tensor):
    return base64.b64encode(tensor.contiguous().numpy().tobytes()).decode()


def rows_of(logits, ids):
    top = torch.topk(logits, TOP, dim=-1)
    return {"log_sum_exp": base64_of(torch.logsumexp(logits.double(), -1).float()),
            "mean": base64_of(logits.double().mean(-1).float()),
            "top_ids": base64_of(top.indices.int()), "top_logits": base64_of(top.values.float()),
            "fixed_logits": base64_of(logits[:, ids].float())}


def main(gguf_path, output):
    torch.manual_seed(0)
    torch.set_num_threads(2)
    tokenizer = make_tokenizer(gguf_path)
    model = AutoModelForCausalLM.from_pretrained(os.path.dirname(gguf_path), gguf_file=os.path.basename(gguf_path),
                                                 dtype=torch.float32, attn_implementation="eager").eval()
    fixed = random.Random(7).sample(range(model.config.vocab_size), FIXED)
    result = {"model_sha256": hashlib.sha256(open(gguf_path, "rb").read()).hexdigest(),
              "made_with": {"transformers": transformers.__version__, "torch": torch.__version__},
              "fixed_ids": fixed, "prompts": []}
    for name, text in PROMPTS.items():
        if text is None:
            ids = tokenizer.encode(PROSE * 12, add_special_tokens=False).ids[:600]
            # Different sentences in the middle, so that the text is no plain repetition.
            middle = tokenizer.encode(PROMPTS["code"] + PROMPTS["chat-list"], add_special_tokens=False).ids
            ids[200:200 + len(middle)] = middle
        else:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
        with torch.no_grad():
            cache_ids = torch.tensor([ids])
            out = model(cache_ids, use_cache=True)
            prompt_logits, past = out.logits[0], out.past_key_values
            generated, step_logits, last = [], [], out.logits[0, -1]
            for _ in range(STEPS):
                token = int(last.argmax())
                generated.append(token)
                out = model(torch.tensor([[token]]), past_key_values=past, use_cache=True)
                last = out.logits[0, -1]
                step_logits.append(last)
        rows = sorted({round(i * (len(ids) - 1) / (ROWS - 1)) for i in range(ROWS)}) if len(ids) >= ROWS else list(range(len(ids)))
        result["prompts"].append({"name": name, "text": text, "tokens": ids, "greedy": generated, "prompt_rows": rows,
                                  "prompt": rows_of(prompt_logits[rows], fixed), "steps": rows_of(torch.stack(step_logits), fixed)})
        print(name, len(ids), tokenizer.decode(generated, skip_special_tokens=False)[:150].replace("\n", "\\n"), flush=True)
    json.dump(result, open(output, "w"), indent=0)


if __name__ == "__main__":
    main(*sys.argv[1:])
