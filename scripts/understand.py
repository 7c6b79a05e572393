#!/usr/bin/env python3
"""Trains the learned classifier of the embedded engine: text under crates/aside-translate/data/understand becomes weights beside it.
Run by `make teach-understand`; docs/understand.md says more. Needs numpy, scipy and scikit-learn, here only.

Requests are featurised by the engine itself: a test of aside-translate writes their traits, and the candidates for given weights.
The verifier is fitted on the classifier's results for voices and frames that it was not trained on."""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "crates/aside-translate/data/understand")
VOICES = ["chatty", "chinese", "foreign", "goal", "plain", "terse"]
# The voices that are held out in turn, for the verifier: they have requests for every frame.
UNHEARD = ["foreign", "goal"]
# Limits the size of the weights: drops traits of fewer requests, and keeps this many entries.
MIN_REQUESTS = 2
ENTRIES = 1_100_000
RIDGE = 0.3
# The weight of parts of words relative to whole words.
LETTERS = 0.4
SEED = 18
# For each fold: the share of frames that are left out, and the share of the held-out voice that is used.
LEFT_OUT = 0.18
ASKED = float(os.environ.get("ASKED", "0.5"))

NAMES = "one score margin none top known rarest unheard share doubt ruled values guesses rival agreed first".split()
SHARE, FIRST = NAMES.index("share"), NAMES.index("first")
# Features without meaning for a draft of a composed domain: it is always ruled, and doubts are set by hand.
UNUSED = [NAMES.index(name) for name in ("ruled", "agreed", "unheard", "first")]

FILL = {
    "dir": ["src", "docs", "logs", "build", "~/Downloads", "the current directory", "this folder", "/tmp", "images", "/var/log"],
    "file": ["notes.md", "a.txt", "data.csv", "error.log", "main.py", "config.json", "README.md", "src/app.js"],
    "file2": ["b.txt", "old.md", "other.csv", "backup.log"],
    "kind": ["pdf files", "python files", "images", "jpg files", "log files", "*.txt files", "csv files", "videos", "files"],
    "n": ["5", "10", "20", "three"], "n2": ["30", "50"], "size": ["10MB", "100 MB", "1 GB", "500k"],
    "time": ["2 days", "a week", "30 days", "an hour", "3 months"], "name": ["test", "backup", "old", "reports"],
    "text": ["'error'", '"TODO"', "'foo bar'", '"timeout"', "'user_id'"], "text2": ["'warning'", '"done"', "'baz'"],
    "archive": ["backup.tar.gz", "app.zip"],
}


def rows(name):
    with open(os.path.join(DATA, name)) as file:
        return [line.rstrip("\n").split("\t") for line in file if line[0] != "#"]


def composed(rng, each=9):
    """The templates with filled slots: domain, number of the template, request."""
    made = []
    for number, (domain, template) in enumerate(rows("composed.txt")):
        seen = set()
        for _ in range(each):
            text = re.sub(r"\[([^\]]*)\]", lambda found: rng.choice(found[1].split("|")), template)
            text = re.sub(r"\{(\w+)\}", lambda found: rng.choice(FILL[found[1]]), text)
            seen.add(" ".join(text.split()))
        made += [(domain, number, text) for text in sorted(seen)]
    return made


def learned_from():
    """The development half of the evaluation, where a composed domain answers: domain and request."""
    folder = os.path.join(ROOT, "crates/aside/eval/dev")
    for name, domain in [("files", "files"), ("fileops", "files"), ("archives", "files"), ("text", "text")]:
        with open(os.path.join(folder, name + ".txt")) as file:
            yield from ((domain, line[2:].strip()) for line in file if line.startswith("? "))


def slip(rng, text):
    """A typo in one word: two letters swapped, one doubled, or one missing."""
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if places:
        at = rng.choice(places)
        word, spot = words[at], rng.randrange(1, len(words[at]) - 2)
        words[at] = rng.choice([
            word[:spot] + word[spot + 1] + word[spot] + word[spot + 2:], word[:spot] + word[spot:spot + 1] + word[spot:],
            word[:spot] + word[spot + 1:]])
    return " ".join(words)


POLITE = ["please {}", "{} please", "can you {}", "i want to {}", "how do i {}", "how to {}", "{} now", "hey, {}", "i need to {}"]


def engine(**files):
    """Runs the engine's test, which writes the requested file."""
    env = dict(os.environ, **{"ASIDE_UNDERSTAND_" + name.upper(): path for name, path in files.items()})
    command = os.environ.get("TEACH", "cargo test -q -p aside-translate --lib learned::tests::teach").split()
    subprocess.run(command, env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def fnv(text):
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


class Reader:
    """A ridge regression on one-hot frames, in the dual form; the weights are pruned and rounded as they are stored."""

    def __init__(self, requests, frames):
        counts = {}
        for traits in requests:
            for trait in traits:
                counts[trait] = counts.get(trait, 0) + 1
        kept = sorted(trait for trait, count in counts.items() if count >= MIN_REQUESTS)
        self.traits = {trait: number for number, trait in enumerate(kept)}
        rarity = np.log(len(requests) / np.array([counts[trait] for trait in kept])) + 1
        rarity *= [LETTERS if trait.startswith("g ") else 1.0 for trait in kept]
        self.rarity = np.clip(np.round(rarity * 16), 1, 255) / 16
        self.names = sorted(set(frames))
        number = {name: at for at, name in enumerate(self.names)}
        truth = np.array([number[frame] for frame in frames])
        matrix = self.matrix(requests)
        gram = np.asarray((matrix @ matrix.T).todense(), dtype=np.float32)
        gram[np.diag_indices_from(gram)] += RIDGE
        target = np.zeros((len(frames), len(self.names)), np.float32)
        target[np.arange(len(frames)), truth] = 1
        dual = scipy.linalg.cho_solve(scipy.linalg.cho_factor(gram, lower=True, overwrite_a=True), target, overwrite_b=True)
        del gram
        member = sp.csr_matrix((np.ones(len(frames), np.float32), (truth, np.arange(len(frames)))))
        occurs = (member @ (matrix > 0).astype(np.float32)).tocsr()
        is_word = np.array([trait.startswith("w ") for trait in kept])
        parts, cut = [], None
        transposed = matrix.T.tocsr()
        for start in range(0, len(self.names), 100):
            dense = (transposed @ dual[:, start:start + 100]).T
            if cut is None:
                strength = np.sort(np.abs(dense * self.rarity).ravel())
                cut = strength[-int(ENTRIES * dense.shape[0] / len(self.names))]
            for at, weights in enumerate(dense):
                own = np.zeros(len(kept), bool)
                own[occurs[start + at].indices] = True
                keep = np.nonzero((np.abs(weights * self.rarity) >= cut) | (own & is_word))[0]
                parts.append((np.full(len(keep), start + at), keep, weights[keep], (own & is_word)[keep]))
        frame, trait, weight, own = (np.concatenate(part) for part in zip(*parts))
        self.step = float(np.float32(np.quantile(np.abs(weight), 0.9995) / 127))
        rounded = np.clip(np.round(weight / self.step), -127, 127)
        # A word that occurs in requests for a frame keeps a non-zero weight, which records that.
        rounded = np.where(own, np.maximum(rounded, 1), rounded).astype(np.int8)
        kept = rounded != 0
        self.entries = sp.csr_matrix((rounded[kept], (trait[kept], frame[kept])), shape=(len(self.traits), len(self.names)))
        self.entries.sort_indices()

    def matrix(self, requests):
        places, columns = [], []
        for at, traits in enumerate(requests):
            known = [self.traits[trait] for trait in set(traits) if trait in self.traits]
            columns += known
            places += [at] * len(known)
        values = self.rarity[columns]
        matrix = sp.csr_matrix((values, (places, columns)), shape=(len(requests), len(self.traits)), dtype=np.float32)
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        return sp.diags(1 / np.maximum(lengths, 1e-9)).astype(np.float32) @ matrix

    def scores(self, requests):
        return np.asarray((self.matrix(requests) @ self.entries.astype(np.float32)).todense()) * self.step

    def save(self, path):
        rows = sorted((fnv(trait), number) for trait, number in self.traits.items())
        rows = [row for at, row in enumerate(rows) if at == 0 or rows[at - 1][0] != row[0]]
        order = [number for _, number in rows]
        entries = self.entries[order]
        names = "\n".join(self.names).encode() + b"\n"
        with open(path, "wb") as file:
            file.write(b"ASIDEWT1" + struct.pack("<IIIf", len(order), entries.nnz, len(names), self.step) + names)
            file.write(np.array([hash for hash, _ in rows], "<u4").tobytes())
            file.write(entries.indptr.astype("<u4").tobytes())
            file.write((self.rarity[order] * 16).astype("u1").tobytes())
            file.write(entries.indices.astype("<u2").tobytes() + entries.data.tobytes())
        return path


class Corpus:
    """All training data: frame, voice, request, traits."""

    def __init__(self, folder):
        rng = random.Random(SEED)
        taught = [(frame, voice, text) for voice in VOICES for frame, text in rows(voice + ".tsv")]
        taught += [("none", f"none{at % 2}", text) for at, (_, text) in enumerate(rows("none.tsv"))]
        for domain, number, text in composed(rng):
            frame = "none" if domain == "not" else domain
            taught.append((frame, f"composed{number % 2}", text))
        taught += [(domain, f"dev{at % 2}", text) for at, (domain, text) in enumerate(learned_from())]
        slips = [(frame, voice + "+", slip(rng, text)) for frame, voice, text in taught if rng.random() < 0.12]
        polite = [(frame, voice + "+", rng.choice(POLITE).format(text)) for frame, voice, text in taught
                  if voice == "plain" and rng.random() < 0.15 and not text.endswith("?")]
        taught += slips + polite
        names = write(os.path.join(folder, "requests"), (f"{at}\t{text}" for at, (_, _, text) in enumerate(taught)))
        traits = os.path.join(folder, "traits")
        if not os.environ.get("REUSE"):
            engine(requests=names, traits=traits)
        self.rows = []
        for line in open(traits):
            name, text, *seen = line.rstrip("\n").split("\t")
            if name.startswith("hit:"):
                self.rows.append((name[4:], "hit", text, seen))
            else:
                frame, voice, _ = taught[int(name)]
                self.rows.append((frame, voice, text, seen))
        rules = {row[0] for row in self.rows if row[1] == "hit"} | {"none", "files", "text"}
        self.rows = [row for row in self.rows if row[0] in rules]


def fold(corpus, voice, number, folder):
    """The features of candidates for requests in a held-out voice, some of them for frames that were left out."""
    rng = random.Random(SEED + number)
    frames = sorted({row[0] for row in corpus.rows} - {"none", "files", "text"})
    without = set(rng.sample(frames, int(LEFT_OUT * len(frames))))
    half = str(number % 2)
    unheard = {name + plus for name in (voice, "none" + half, "composed" + half, "dev" + half) for plus in ("", "+")}
    taught = [row for row in corpus.rows if row[1] not in unheard and row[0] not in without]
    asked = [row for row in corpus.rows if row[1] in unheard and not row[1].endswith("+")]
    asked = [row for row in asked if row[1] != voice or rng.random() < ASKED]
    reader = Reader([row[3] for row in taught], [row[0] for row in taught])
    scores = reader.scores([row[3] for row in asked])
    best = [reader.names[at] for at in scores.argmax(axis=1)]
    known = [(guess, row[0]) for guess, row in zip(best, asked) if row[0] not in without and row[1] == voice]
    print(f"{voice}: {len(taught)} taught, {len(reader.traits)} traits, {reader.entries.nnz} entries; frame right at 1 "
          f"{np.mean([guess == frame for guess, frame in known]):.3f} of {len(known)}", flush=True)
    path = lambda name: os.path.join(folder, f"{name}{number}")
    engine(requests=write(path("asked"), (f"{at}\t{row[2]}" for at, row in enumerate(asked))),
           weights=reader.save(path("weights")), facts=path("facts"), without=write(path("without"), sorted(without)))
    return facts(path("facts"), asked, without)


def facts(path, asked, without):
    """For each request its candidates: rule, permitted, composed, values, command; and whether each is right."""
    found = [dict(truth=None if row[0] in without else row[0], voice=row[1], text=row[2], candidates=[]) for row in asked]
    for line in open(path):
        name, rule, *rest = line.rstrip("\n").split("\t")
        if rule in "?^":
            continue
        permitted, is_composed, values, command = rest[0] == "1", rest[1] == "1", rest[2], rest[3]
        found[int(name)]["candidates"].append((rule, permitted, is_composed, np.array(values.split(" "), float), command))
    for row in found:
        truth = row["truth"]
        same = {command for rule, _, _, _, command in row["candidates"] if rule == truth}
        if truth in ("files", "text"):
            # These domains answer the requests that they were written for, best candidate first; the rest has no label.
            is_sure = row["voice"].startswith("dev")
            right = [True if is_composed and values[FIRST] and (is_sure or values[SHARE] > 0.9) else None
                     for _, _, is_composed, values, _ in row["candidates"]]
        else:
            right = [rule == truth or command in same for rule, _, _, _, command in row["candidates"]]
        row["right"] = right
    return found


def regress(values, right):
    # Regularised: some features are rare.
    return LogisticRegression(C=0.3, max_iter=5000, fit_intercept=False).fit(values, right).coef_[0]


def confidence(fitted, candidate):
    rule, _, is_composed, values, _ = candidate
    return 1 / (1 + np.exp(-values @ fitted[1 if is_composed else 0]))


def first(fitted, row):
    shown = [(confidence(fitted, candidate), bool(right)) for candidate, right in zip(row["candidates"], row["right"])
             if candidate[1]]
    return max(shown, key=lambda pair: pair[0], default=(0.0, False))


def fit(found):
    fitted = []
    for is_composed in (False, True):
        pairs = [(candidate[3], right) for row in found for candidate, right in zip(row["candidates"], row["right"])
                 if candidate[1] and candidate[2] == is_composed and right is not None]
        values = np.array([values for values, _ in pairs])
        if is_composed:
            values[:, UNUSED] = 0
        fitted.append(regress(values, np.array([right for _, right in pairs])))
    # The shown candidate is the best of several, which makes it more likely to be wrong than each by itself: fits again on those alone.
    for _ in range(2):
        tops = [[], []]
        for row in found:
            shown = [(confidence(fitted, candidate), candidate, right)
                     for candidate, right in zip(row["candidates"], row["right"]) if candidate[1] and right is not None]
            if shown:
                _, candidate, right = max(shown, key=lambda entry: entry[0])
                tops[candidate[2]].append((candidate[3], right))
        for side in (0, 1):
            sums = np.array([values for values, _ in tops[side]]) @ fitted[side]
            platt = LogisticRegression(C=10.0).fit(sums[:, None], [right for _, right in tops[side]])
            fitted[side] = fitted[side] * platt.coef_[0][0]
            fitted[side][0] += platt.intercept_[0]
    return fitted


def report(name, fitted, found):
    found = [row for row in found if row["truth"] not in ("files", "text")]
    tops = [first(fitted, row) for row in found]
    said = np.array([top[0] for top in tops])
    right = np.array([top[1] for top in tops])
    scope = np.array([row["truth"] not in (None, "none") for row in found])
    shown = said > 0
    bins = np.clip((said * 10).astype(int), 0, 9)
    error = sum(abs(said[(bins == bin) & shown].sum() - right[(bins == bin) & shown].sum()) for bin in range(10)) / shown.sum()
    table = "  ".join(f"{said[bins == bin].mean():.2f}:{right[bins == bin].mean():.2f}({(bins == bin).sum()})"
                      for bin in range(10) if (shown & (bins == bin)).any())
    print(f"{name}: {len(found)} asked, {scope.mean():.2f} in scope; calibration error {error:.3f}\n  {table}")
    for bar in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9):
        over = said >= bar
        print(f"  from {bar}: {over.mean():.3f} shown, {right[over].mean():.3f} of them right; of what is in scope "
              f"{(right & over)[scope].mean():.3f} right; of none {over[~scope].mean():.3f} shown")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    corpus = Corpus(folder)
    print(f"{len(corpus.rows)} requests", flush=True)
    found = [fold(corpus, voice, number, folder) for number, voice in enumerate(UNHEARD)]
    for number, voice in enumerate(UNHEARD):
        others = [row for at, rows in enumerate(found) if at != number for row in rows]
        report(voice, fit(others), found[number])
    fitted = fit([row for rows in found for row in rows])
    lines = ["# What facts about a draft count, for rules and for composed domains. Made by `make teach-understand`."]
    lines += [f"{name} {rules:.4f} {domains:.4f}" for name, rules, domains in zip(NAMES, *fitted)]
    write(os.path.join(DATA, "verifier.txt"), lines)
    reader = Reader([row[3] for row in corpus.rows], [row[0] for row in corpus.rows])
    reader.save(os.path.join(DATA, "reader.weights"))
    rng = random.Random(SEED)
    sample = rng.sample([row for row in corpus.rows if row[1] in VOICES], 60)
    lines = ["# request, and the best three frames with their scores. Made by `make teach-understand`."]
    for row, scores in zip(sample, reader.scores([row[3] for row in sample])):
        best = np.argsort(-scores)[:3]
        lines.append("\t".join([row[2]] + [f"{reader.names[at]} {scores[at]:.5f}" for at in best]))
    write(os.path.join(DATA, "expected.tsv"), lines)


if __name__ == "__main__":
    main()
