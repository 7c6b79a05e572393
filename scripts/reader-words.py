#!/usr/bin/env python3
"""The words of commands that requests do not contain: what a command may say of itself. Run by `make teach-reader`.

Prints each run of letters, digits and underscores that stands in the commands of some pairs whose requests do not contain it."""
import collections
import glob
import os
import re

FEWEST = 5
WORD = re.compile(r"[A-Za-z0-9_]+")


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    counts = collections.Counter()
    for file in sorted(glob.glob(os.path.join(root, "data/pairs/*.tsv"))):
        for line in open(file, encoding="utf8"):
            *request, command = line.rstrip("\n").split("\t")
            if command == "-" or command.startswith("@"):
                continue
            said = " ".join(request).lower()
            counts.update(word for word in set(WORD.findall(command)) if word.lower() not in said)
    print("\n".join(sorted(word for word, count in counts.items() if count >= FEWEST)))


main()
