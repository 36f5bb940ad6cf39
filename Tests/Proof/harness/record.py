"""What was seen so far, for each attack and state of the tree, in .build/proof/record.json. It is written after each attack, as a whole or not at all."""

import hashlib
import json
import os
import subprocess
from dataclasses import asdict

FOLDER = ".build/proof"


class Record:
    def __init__(self):
        os.makedirs(FOLDER, exist_ok=True)
        self.path = os.path.join(FOLDER, "record.json")
        self.tree = tree()
        try:
            with open(self.path) as file:
                self.entries = json.load(file)
        except FileNotFoundError:
            self.entries = []

    def rounds(self, attack):
        return [entry for entry in self.entries if entry["attack"] == attack.name and entry["tree"] == self.tree]

    def passed(self, attack, form=None):
        return [entry for entry in self.rounds(attack)
                if entry["verdict"] == "passed" and (form is None or entry["form"] == form)]

    def whole(self, attack, form=None):
        """The rounds in which every part of it could be tried."""
        return [entry for entry in self.passed(attack, form) if not entry["skipped"]]

    def done(self, attack, amount):
        """How often it was done in all rounds that passed."""
        return sum(entry["figures"].get(amount.figure, 0) if amount.figure else entry["amounts"].get(amount.variable, 0)
                   for entry in self.passed(attack))

    def add(self, attack, form, outcome):
        self.entries.append({
            "attack": attack.name, "tree": self.tree, "form": form,
            "amounts": {amount.variable: amount.of(form) for amount in attack.amounts}, **asdict(outcome)})
        with open(self.path + ".new", "w") as file:
            json.dump(self.entries, file, indent=1)
        os.replace(self.path + ".new", self.path)


def tree():
    """A name for the program's sources as they are: what was seen of them stays seen when an attack is made better. Sources with changes that
    are not committed have a name of their own, and have proved nothing yet."""
    parts = ["--", "Sources", "Package.swift"]
    files = git("ls-tree", "-r", "HEAD", *parts)
    if not files:
        return "no commit"
    changed = git("diff", "HEAD", *parts) + git("ls-files", "--others", "--exclude-standard", *parts)
    return hashlib.sha256((files + changed).encode()).hexdigest()[:12] + ("+" if changed else "")


def git(*words):
    return subprocess.run(["git", "-c", "safe.directory=*", *words], capture_output=True, text=True).stdout
