"""What was seen so far, for each attack and commit, in .build/proof/record.json. It is written after each attack, as a whole or not at all."""

import json
import os
import subprocess
from dataclasses import asdict

FOLDER = ".build/proof"


class Record:
    def __init__(self):
        os.makedirs(FOLDER, exist_ok=True)
        self.path = os.path.join(FOLDER, "record.json")
        self.commit = tree()
        try:
            with open(self.path) as file:
                self.entries = json.load(file)
        except FileNotFoundError:
            self.entries = []

    def rounds(self, attack):
        return [entry for entry in self.entries if entry["attack"] == attack.name and entry["commit"] == self.commit]

    def passed(self, attack, form=None):
        return [entry for entry in self.rounds(attack)
                if entry["verdict"] == "passed" and (form is None or entry["form"] == form)]

    def done(self, attack, amount):
        """How often it was done in all rounds that passed."""
        return sum(entry["amounts"].get(amount.variable, 0) for entry in self.passed(attack))

    def add(self, attack, form, outcome):
        self.entries.append({
            "attack": attack.name, "commit": self.commit, "form": form,
            "amounts": {amount.variable: amount.of(form) for amount in attack.amounts}, **asdict(outcome)})
        with open(self.path + ".new", "w") as file:
            json.dump(self.entries, file, indent=1)
        os.replace(self.path + ".new", self.path)


def tree():
    """The commit, and whether anything of the program differs from it: a changed tree has proved nothing yet."""
    git = ["git", "-c", "safe.directory=*"]
    commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    if commit.returncode != 0:
        return "no commit"
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", "Sources", "Tests", "Package.swift"], capture_output=True, text=True)
    return commit.stdout.strip() + ("+" if changed.stdout.strip() else "")
