#!/usr/bin/env python3
"""Teaches the reader: a small language model that turns a request into a command or a verb. Run by `make teach-reader`; takes about
fifteen minutes on one GPU. data/pairs/README.md describes the pairs, data/reader/CARD.md the weights. Needs torch, transformers, tokenizers,
safetensors and numpy, here only.

1. Trains all weights of the base: one pass over the public pairs, four over ours. The loss is on the command alone.
2. Extracts a low-rank update from the difference between these weights and the base.
3. Refines its factors with the trained model as the teacher, while factors and merged weights are rounded to int8 as they will be at
   run time, so that what truncation and rounding cost is learnt back.
4. Writes the factors as int8, and scores each stage on every fiftieth request, which no stage learns from.

The files are safetensors. For each matrix of the base, named as in its GGUF, `NAME.A` (rank x columns) and `NAME.B` (rows x rank) are
int8, and `NAME.A.scale` and `NAME.B.scale` hold an f32 for each of their rows: NAME += (B * B.scale) @ (A * A.scale). Rows of q and k are
in GGUF's order, in which the halves of the rotary embedding are interleaved. Norms are whole, in f32, and replace those of the base."""
import argparse
import glob
import hashlib
import json
import lzma
import math
import os
import random
import re
import struct
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch.func import functional_call
from transformers import LlamaConfig, LlamaForCausalLM

BASE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# The names of a layer's matrices and norms in the GGUF and in transformers.
PARTS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
MATRICES = [part for part in PARTS if "norm" not in part]
EOS = 0
# Tokens of an example at most.
LONGEST = 128
# Tokens of an answer at most.
ANSWER = 72
# No file of the weights is larger, in bytes.
PART = 15_000_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--base", required=True, help="SmolLM2-135M-Instruct.Q4_1.gguf")
    parser.add_argument("--pairs", default="data/pairs")
    parser.add_argument("--public", help="public pairs, JSON lines with nl and cmd, .xz")
    parser.add_argument("--out", default="target/reader")
    parser.add_argument("--whole", help="where the wholly trained weights are kept; if the file exists, they are not trained again")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--extract", type=int, nargs="*", default=[], help="ranks to score without refining")
    parser.add_argument("--rank", type=int, nargs="*", default=[108], help="ranks to refine and write")
    parser.add_argument("--refine", type=int, default=4, help="passes over our pairs when refining")
    parser.add_argument("--refine-lr", type=float, default=6e-4)
    parser.add_argument("--spread", action="store_true", help="gives ranks to the matrices by the energy of their difference")
    parser.add_argument("--ask", nargs="*", default=[], help="JSON files [{id, query}, ...]; the ranked answers go to OUT")
    parser.add_argument("--name", default="reader")
    parser.add_argument("--steps", type=int, default=0, help="a rehearsal: this many steps of each training, and few requests")
    return parser.parse_args()


START = time.time()


def say(*words):
    print(f"[{time.time() - START:5.0f}s]", *words, flush=True)


# The base.


class Gguf:
    """The metadata and tensors of a GGUF file in the types of the base: F32, Q4_1 and Q8_0."""

    SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        self.at = 8
        tensors, fields = self.scalar("Q"), self.scalar("Q")
        self.fields = {self.text(): self.value(self.scalar("I")) for _ in range(fields)}
        heads = []
        for _ in range(tensors):
            name = self.text()
            shape = [self.scalar("Q") for _ in range(self.scalar("I"))][::-1]
            heads.append((name, shape, self.scalar("I"), self.scalar("Q")))
        start = -(-self.at // 32) * 32
        self.tensors = {name: self.tensor(shape, kind, start + at) for name, shape, kind, at in heads}

    def scalar(self, kind):
        value = struct.unpack_from("<" + kind, self.bytes, self.at)[0]
        self.at += struct.calcsize("<" + kind)
        return value

    def text(self):
        length = self.scalar("Q")
        self.at += length
        return self.bytes[self.at - length : self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            of, count = self.scalar("I"), self.scalar("Q")
            return [self.value(of) for _ in range(count)]
        return self.scalar(self.SCALARS[kind])

    def tensor(self, shape, kind, at):
        count = math.prod(shape)
        if kind == 0:
            return np.frombuffer(self.bytes, "<f4", count, at).reshape(shape)
        block = {3: np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)]), 8: np.dtype([("d", "<f2"), ("q", "i1", 32)])}[kind]
        blocks = np.frombuffer(self.bytes, block, count // 32, at)
        scale = blocks["d"].astype(np.float32)[:, None]
        if kind == 8:
            return (blocks["q"] * scale).reshape(shape)
        low_and_high = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], axis=1)
        return (low_and_high * scale + blocks["m"].astype(np.float32)[:, None]).reshape(shape)


def halves_apart(rows, heads):
    """Rows of q or k from GGUF's order, in which the halves of the rotary embedding are interleaved, to that of transformers."""
    return rows.reshape(heads, -1, 2, rows.shape[-1]).swapaxes(1, 2).reshape(rows.shape)


def halves_interleaved(rows, heads):
    return rows.reshape(heads, 2, -1, rows.shape[-1]).swapaxes(1, 2).reshape(rows.shape)


class Model:
    """The model, its tokenizer and its base. Weights are kept by kind, those of all layers in one tensor."""

    def __init__(self, path):
        gguf = Gguf(path)
        field = lambda key: gguf.fields["llama." + key]
        self.heads = {"attn_q": field("attention.head_count"), "attn_k": field("attention.head_count_kv")}
        self.layers = field("block_count")
        theta = field("rope.freq_base")
        config = LlamaConfig(
            vocab_size=field("vocab_size"),
            hidden_size=field("embedding_length"),
            intermediate_size=field("feed_forward_length"),
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads["attn_q"],
            num_key_value_heads=self.heads["attn_k"],
            rms_norm_eps=1e-5,
            tie_word_embeddings=True,
            max_position_embeddings=2048,
            rope_theta=theta,
            rope_parameters={"rope_type": "default", "rope_theta": theta},
            bos_token_id=EOS,
            eos_token_id=EOS,
            pad_token_id=EOS,
        )
        self.llama = LlamaForCausalLM(config).float().cuda()
        self.llama.tie_weights()
        self.base = {}
        for part in PARTS:
            layers = [gguf.tensors[f"blk.{i}.{part}.weight"] for i in range(self.layers)]
            if part in self.heads:
                layers = [halves_apart(rows, self.heads[part]) for rows in layers]
            self.base[part] = torch.from_numpy(np.stack(layers)).cuda()
        self.base["token_embd"] = torch.from_numpy(gguf.tensors["token_embd.weight"])[None].contiguous().cuda()
        self.base["output_norm"] = torch.from_numpy(gguf.tensors["output_norm.weight"].copy())[None].cuda()
        tokens, merges = gguf.fields["tokenizer.ggml.tokens"], gguf.fields["tokenizer.ggml.merges"]
        vocabulary = {token: i for i, token in enumerate(tokens)}
        self.tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(pair.split(" ")) for pair in merges]))
        digits = pre_tokenizers.Digits(individual_digits=True)
        letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, letters])
        self.tokenizer.decoder = decoders.ByteLevel()
        self.load(self.base)

    def name(self, part, layer):
        """The name of a weight in `self.llama.model`."""
        others = {"token_embd": "embed_tokens.weight", "output_norm": "norm.weight"}
        return others.get(part) or f"layers.{layer}.{PARTS[part]}.weight"

    def named(self, weights):
        return {self.name(part, i): row for part, rows in weights.items() for i, row in enumerate(rows)}

    @torch.no_grad()
    def load(self, weights):
        parameters = dict(self.llama.model.named_parameters())
        for name, weight in self.named(weights).items():
            parameters[name].copy_(weight)

    def weights(self):
        parameters = dict(self.llama.model.named_parameters())
        of = lambda part, rows: torch.stack([parameters[self.name(part, i)].detach() for i in range(len(rows))])
        return {part: of(part, rows) for part, rows in self.base.items()}

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def prompt(self, request):
        """A request, or one with a command before it: `command⏎# request` or `command⏎! output`."""
        before, newline, rest = request.partition("\n")
        return self.encode(f"$ {before}\n{rest}\n$" if newline else f"# {request.strip()}\n$")


# The data.


def pairs(folder):
    """Our pairs to learn from, and those held out, with their file. The verbs come first: they win over other files."""
    files = sorted(glob.glob(folder + "/*.tsv"), key=lambda file: (not os.path.basename(file).startswith("verbs"), file))
    ours, held, seen = [], [], set()
    for file in files:
        name = os.path.basename(file)[:-4]
        for line in open(file, encoding="utf8"):
            row = line.rstrip("\n").split("\t")
            if len(row) == 3:
                row = [f"{row[0]}\n{'!' if name.startswith('fixes') else '#'} {row[1]}", row[2]]
            if row[0] in seen:
                continue
            seen.add(row[0])
            if int(hashlib.sha1(row[0].encode()).hexdigest()[:8], 16) % 50 == 0:
                held.append((row[0], row[1], name))
            else:
                ours.append((row[0], row[1]))
    return ours, held


def public_pairs(path):
    found = []
    for line in lzma.open(path, "rt", encoding="utf8"):
        pair = json.loads(line)
        command = re.sub(r"\{\{(.*?)\}\}", r"\1", pair["cmd"])
        if "\n" not in command:
            found.append((" ".join(pair["nl"].split()), command))
    return found


def examples(model, data):
    rows = [(model.prompt(request), model.encode(" " + command) + [EOS]) for request, command in data]
    return [(prompt + answer, len(prompt)) for prompt, answer in rows if len(prompt) + len(answer) <= LONGEST]


def batches(data, size=128):
    """Examples of about the same length together."""
    data = random.sample(data, len(data))
    for i in range(0, len(data), size * 32):
        part = sorted(data[i : i + size * 32], key=lambda example: len(example[0]))
        groups = [part[j : j + size] for j in range(0, len(part), size)]
        random.shuffle(groups)
        yield from groups


def tensors(group):
    """The tokens, and the token that is to follow at each place of the answers."""
    length = (max(len(tokens) for tokens, _ in group) + 7) // 8 * 8
    x = torch.zeros(len(group), length, dtype=torch.long)
    y = torch.full((len(group), length), -100)
    for i, (tokens, start) in enumerate(group):
        x[i, : len(tokens)] = torch.tensor(tokens)
        y[i, start - 1 : len(tokens) - 1] = torch.tensor(tokens[start:])
    return x.cuda(non_blocking=True), y.cuda(non_blocking=True)


# Training.


def logits(model, x, at, weights=None):
    """What the model expects at the places `at`, with its own weights or others."""
    with torch.autocast("cuda", torch.bfloat16):
        if weights is None:
            hidden = model.llama.model(x).last_hidden_state
            return F.linear(hidden[at], model.llama.model.embed_tokens.weight).float()
        hidden = functional_call(model.llama.model, model.named(weights), (x,), {"use_cache": False}).last_hidden_state
        return F.linear(hidden[at], weights["token_embd"][0]).float()


def train(label, data, epochs, rate, trained, loss_of, steps):
    optimizer = torch.optim.AdamW(trained, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    total = epochs * sum(1 for _ in batches(data))
    total = min(total, steps or total)
    step = 0
    for _ in range(epochs):
        for group in batches(data):
            if step >= total:
                break
            for options in optimizer.param_groups:
                options["lr"] = rate * min(1, (step + 1) / 60) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / total)))
            loss = loss_of(*tensors(group))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step % 200 == 1:
                say(label, step, "/", total, "loss", round(loss.item(), 3))


def train_whole(model, ours, public, epochs, steps):
    trained = list(model.llama.model.parameters())
    model.llama.requires_grad_(True)

    def loss_of(x, y):
        at = y != -100
        return F.cross_entropy(logits(model, x, at), y[at])

    if public:
        train("public", public, 1, 5e-4, trained, loss_of, steps)
    train("ours", ours, epochs, 4e-4, trained, loss_of, steps)
    model.llama.requires_grad_(False)


# The low-rank update.


class Difference:
    """What training changed in the matrices, by its principal directions."""

    def __init__(self, whole, base):
        self.change = {part: whole[part] - base[part] for part in MATRICES + ["token_embd"]}
        self.directions, self.energy = {}, {}
        for part, change in self.change.items():
            wide = change.shape[2] > change.shape[1]
            gram = torch.stack([(m @ m.T if wide else m.T @ m) for m in change.double()])
            energy, directions = torch.linalg.eigh(gram)
            self.energy[part] = energy.flip(-1).clamp(min=0).float()
            self.directions[part] = directions.flip(-1).float()

    def ranks(self, rank, spread):
        """The rank of each kind of matrix; spread, each eight go where they explain most for their size, in as many bytes."""
        cost = {part: sum(change.shape[1:]) * len(change) for part, change in self.change.items()}
        even = {part: min(rank, self.directions[part].shape[-1]) for part in cost}
        if not spread:
            return even
        budget = sum(cost[part] * even[part] for part in cost)
        ranks = {part: 16 for part in cost}
        while True:
            gain = lambda part: self.energy[part][:, ranks[part] : ranks[part] + 8].sum().item() / cost[part]
            left = budget - sum(cost[part] * ranks[part] for part in cost)
            open_parts = [part for part in cost if cost[part] * 8 <= left and ranks[part] + 8 <= self.directions[part].shape[-1]]
            if not open_parts:
                return ranks
            ranks[max(open_parts, key=gain)] += 8

    def factors(self, ranks):
        found = {}
        for part, change in self.change.items():
            directions = self.directions[part][:, :, : ranks[part]]
            root = self.energy[part][:, : ranks[part]].clamp(min=1e-12) ** 0.25
            if change.shape[2] > change.shape[1]:
                a, b = directions.transpose(1, 2) @ change, directions
                a, b = a / root[:, :, None], b * root[:, None, :]
            else:
                a, b = directions.transpose(1, 2), change @ directions
                a, b = a * root[:, :, None], b / root[:, None, :]
            found[part] = (a.contiguous(), b.contiguous())
        return found

    def explained(self, ranks):
        kept = lambda part: (self.energy[part][:, : ranks[part]].sum() / self.energy[part].sum()).item()
        return {part: round(kept(part), 3) for part in ranks}


def rounded(x):
    """x rounded to int8 with a scale for each row; the gradient passes as if it were not."""
    scale = (x.detach().abs().amax(-1, keepdim=True) / 127).clamp(min=1e-12)
    return x + (torch.round(x.detach() / scale) * scale - x.detach())


def even_columns(a, b):
    """The factors with columns of B of the same size, so that one scale for each row of B serves them all."""
    size = b.detach().pow(2).mean(1, keepdim=True).sqrt().clamp(min=1e-12)
    return a * size.transpose(1, 2), b / size


def merged(model, factors, norms, as_shipped):
    weights = dict(norms)
    for part, (a, b) in factors.items():
        if as_shipped:
            a, b = even_columns(a, b)
            a, b = rounded(a), rounded(b)
        weight = torch.baddbmm(model.base[part], b, a)
        weights[part] = rounded(weight) if as_shipped else weight
    return weights


def refine(model, whole, factors, data, epochs, rate, steps):
    """Learns the factors further, with the wholly trained model as the teacher."""
    model.load(whole)
    factors = {part: tuple(factor.clone().requires_grad_() for factor in pair) for part, pair in factors.items()}
    norms = {part: rows.clone().requires_grad_() for part, rows in whole.items() if "norm" in part}
    trained = [factor for pair in factors.values() for factor in pair] + list(norms.values())

    def loss_of(x, y):
        at = y != -100
        with torch.no_grad():
            teacher = F.log_softmax(logits(model, x, at), -1)
        student = F.log_softmax(logits(model, x, at, merged(model, factors, norms, True)), -1)
        distance = F.kl_div(student, teacher, log_target=True, reduction="batchmean")
        return distance + 0.2 * F.nll_loss(student, y[at])

    train("refine", data, epochs, rate, trained, loss_of, steps)
    detached = {part: tuple(factor.detach() for factor in pair) for part, pair in factors.items()}
    return detached, {part: rows.detach() for part, rows in norms.items()}


def write(model, factors, norms, path, facts):
    """Writes int8 factors, in as many files as are needed."""
    flat = {}
    for part, rows in norms.items():
        for i, row in enumerate(rows):
            flat[f"blk.{i}.{part}.weight" if part in PARTS else f"{part}.weight"] = row.cpu().contiguous()
    for part, (a, b) in factors.items():
        a, b = even_columns(a, b)
        for i in range(len(a)):
            rows = halves_interleaved(b[i], model.heads[part]) if part in model.heads else b[i]
            name = f"blk.{i}.{part}.weight" if part in PARTS else f"{part}.weight"
            for factor, x in (("A", a[i]), ("B", rows)):
                scale = (x.abs().amax(-1, keepdim=True) / 127).clamp(min=1e-12)
                flat[f"{name}.{factor}"] = torch.round(x / scale).to(torch.int8).cpu().contiguous()
                flat[f"{name}.{factor}.scale"] = scale[:, 0].cpu().contiguous()
    files, size = [{}], 0
    for name, tensor in flat.items():
        bytes_here = tensor.numel() * tensor.element_size()
        if size + bytes_here > PART:
            files.append({})
            size = 0
        files[-1][name] = tensor
        size += bytes_here
    for i, tensors_here in enumerate(files):
        save_file(tensors_here, f"{path}-{i + 1}-of-{len(files)}.safetensors", facts)
    return len(files)


def read(model, path):
    """The weights that a runtime makes of the files and the base, before it rounds them."""
    flat = {}
    for file in glob.glob(path + "-*-of-*.safetensors"):
        with safe_open(file, "pt") as tensors_here:
            flat.update({name: tensors_here.get_tensor(name).float().cuda() for name in tensors_here.keys()})
    weights = {}
    for part, base in model.base.items():
        rows = []
        for i in range(len(base)):
            name = f"blk.{i}.{part}.weight" if part in PARTS else f"{part}.weight"
            if name in flat:
                rows.append(flat[name])
                continue
            a, b = (flat[f"{name}.{factor}"] * flat[f"{name}.{factor}.scale"][:, None] for factor in "AB")
            b = halves_apart(b, model.heads[part]) if part in model.heads else b
            rows.append(base[i] + b @ a)
        weights[part] = torch.stack(rows)
    return weights


def as_int8(weights, block=None):
    """Rounds matrices to int8, with a scale for each row or for each block of a row."""
    found = {}
    for part, rows in weights.items():
        blocks = rows if block is None or "norm" in part else rows.unflatten(-1, (-1, block))
        found[part] = rows if "norm" in part else rounded(blocks).reshape(rows.shape)
    return found


class RoundedInputs:
    """While it lasts, what goes into each matrix is rounded to int8 too, with a scale for each token or block."""

    def __init__(self, model, block=None):
        self.linear = [module for module in model.llama.modules() if isinstance(module, torch.nn.Linear)]
        self.block = block

    def __enter__(self):
        shaped = lambda x: x if self.block is None else x.unflatten(-1, (-1, self.block))
        hook = lambda module, inputs: (rounded(shaped(inputs[0])).reshape(inputs[0].shape),)
        self.hooks = [module.register_forward_pre_hook(hook) for module in self.linear]

    def __exit__(self, *_):
        for hook in self.hooks:
            hook.remove()


# Scores.


@torch.no_grad()
def answers(model, requests, beams):
    """The best answers to each request, with the sum of their log-probabilities."""
    model.llama.eval()
    found = [None] * len(requests)
    order = sorted(range(len(requests)), key=lambda i: len(requests[i]))
    size = 1000 // beams
    for start in range(0, len(order), size):
        part = order[start : start + size]
        prompts = [model.prompt(requests[i])[-400:] for i in part]
        width = max(map(len, prompts))
        x = torch.tensor([[EOS] * (width - len(prompt)) + prompt for prompt in prompts]).cuda()
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]).cuda()
        made = model.llama.generate(
            x, attention_mask=mask, max_new_tokens=ANSWER, num_beams=beams, num_return_sequences=beams, do_sample=False,
            length_penalty=0.0, return_dict_in_generate=True, output_scores=beams > 1, eos_token_id=EOS, pad_token_id=EOS,
        )  # fmt: skip
        texts = [model.tokenizer.decode([t for t in row if t != EOS]).strip() for row in made.sequences[:, width:].tolist()]
        scores = made.sequences_scores.tolist() if beams > 1 else [0.0] * len(texts)
        for j, i in enumerate(part):
            found[i] = [(texts[k], round(scores[k], 3)) for k in range(j * beams, (j + 1) * beams)]
    return found


GROUPS = ["chinese", "languages", "verbs", "followups", "fixes"]


def score(model, held, label, beams, results):
    got = answers(model, [request for request, _, _ in held], beams)
    sums = {}
    for (_, command, file), ranked in zip(held, got):
        group = next((group for group in GROUPS if file.startswith(group)), "english")
        for key in (group, "all"):
            sums.setdefault(key, [0, 0, 0])
            sums[key][0] += 1
            sums[key][1] += ranked[0][0] == command
            sums[key][2] += any(text == command for text, _ in ranked)
    figures = {key: [n, round(first / n, 4), round(among / n, 4)] for key, (n, first, among) in sums.items()}
    say(f"{label:28}", f"beams {beams}", json.dumps(figures))
    results["figures"][f"{label}, beams {beams}"] = figures
    if beams > 1:
        rows = [{"query": q, "want": c, "file": f, "answers": g} for (q, c, f), g in zip(held, got)]
        results["answers"][label] = rows


def main():
    given = arguments()
    torch.manual_seed(1)
    random.seed(1)
    torch.set_float32_matmul_precision("high")
    os.makedirs(given.out, exist_ok=True)
    if hashlib.sha256(open(given.base, "rb").read()).hexdigest() != BASE_SHA256 and not given.steps:
        raise SystemExit(f"{given.base} is not the base: its SHA-256 must be {BASE_SHA256}")
    model = Model(given.base)
    ours, held = pairs(given.pairs)
    held = held[:64] if given.steps else held
    ours, public = examples(model, ours), examples(model, public_pairs(given.public)) if given.public else []
    say("pairs", len(ours), "held out", len(held), "public", len(public))
    with torch.no_grad():
        x, y = tensors(ours[:256])
        say("loss of the base", round(F.cross_entropy(logits(model, x, y != -100), y[y != -100]).item(), 3))
    results = {"figures": {}, "answers": {}}

    def keep():
        path = f"{given.out}/{given.name}.json"
        json.dump(results, open(path + ".new", "w", encoding="utf8"), ensure_ascii=False)
        os.replace(path + ".new", path)

    def ask(label):
        for file in given.ask:
            cases = json.load(open(file, encoding="utf8"))[: 8 if given.steps else None]
            ranked = answers(model, [case["query"] for case in cases], 5)
            results["answers"][f"{label}, {os.path.basename(file)}"] = [
                {"id": case["id"], "query": case["query"], "answers": found} for case, found in zip(cases, ranked)
            ]
            keep()
            say("answered", file)

    if given.whole and os.path.exists(given.whole):
        whole = torch.load(given.whole, map_location="cuda")
        model.llama.requires_grad_(False)
        model.load(whole)
    else:
        train_whole(model, ours, public, given.epochs, given.steps)
        whole = model.weights()
        if given.whole:
            torch.save(whole, given.whole)
        say("trained")
        score(model, held, "whole", 1, results)
        score(model, held, "whole", 5, results)
        keep()
        ask("whole")

    difference = Difference(whole, model.base)
    say("principal directions found")
    norms = {part: rows for part, rows in whole.items() if "norm" in part}
    for rank in given.extract:
        for spread in (False, True):
            ranks = difference.ranks(rank, spread)
            say("rank", rank, "spread" if spread else "even", ranks, "explained", difference.explained(ranks))
            model.load(merged(model, difference.factors(ranks), norms, False))
            score(model, held, f"extracted {rank}{' spread' if spread else ''}", 1, results)
    keep()

    for rank in given.rank:
        ranks = difference.ranks(rank, given.spread)
        factors, learnt_norms = refine(model, whole, difference.factors(ranks), ours, given.refine, given.refine_lr, given.steps)
        path = f"{given.out}/{given.name}" + (f"-r{rank}" if len(given.rank) > 1 else "")
        facts = {"base_sha256": BASE_SHA256, "ranks": json.dumps(ranks), "format": "aside-reader-1"}
        say("written", write(model, factors, learnt_norms, path, facts), "files", json.dumps(ranks))
        model.load(merged(model, factors, learnt_norms, False))
        score(model, held, f"refined {rank}", 1, results)
        weights = read(model, path)
        model.load(as_int8(weights))
        score(model, held, f"int8 {rank}, row", 1, results)
        with RoundedInputs(model):
            score(model, held, f"int8 {rank}, row, inputs", 1, results)
        keep()
        model.load(as_int8(weights, 32))
        with RoundedInputs(model, 32):
            score(model, held, f"int8 {rank}, block, inputs", 1, results)
        model.load(as_int8(weights))
        with RoundedInputs(model):
            score(model, held, f"shipped {rank}", 5, results)
            keep()
            ask(f"shipped {rank}")
    keep()
    say("done")


main()
