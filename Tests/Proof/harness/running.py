"""Runs one attack as a process, within its time, and reads from its output what came of it."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field

from harness.attack import Program

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# A suite that is skipped has a line of its own beside those of its tests.
SKIPPED = re.compile(r"^\S+ Test (?P<name>.+?) skipped(?:: \"(?P<why>.*)\")?\.?$")
SUMMARY = re.compile(r"Test run with (?P<tests>\d+) tests? in \d+ suites? passed")
NO_TESTS = re.compile(r"Test run with 0 tests")
# An attack prints what it did: "proof: bits=524288 silent=0", what showed that it can fail: "control: ...", and which part of it cannot run here.
FIGURES = re.compile(r"^proof: (?P<figures>.+)$")
CONTROL = re.compile(r"^control: (?P<words>.+)$")
NOT_RUN = re.compile(r"^not run: (?P<why>.+)$")


# Processes that are under way, each the first of its group, and whether a person ended them.
started = set()
interrupted = False


@dataclass
class Outcome:
    verdict: str  # passed, failed, not run
    why: str = ""
    seconds: int = 0
    tests: int = 0
    figures: dict = field(default_factory=dict)
    controls: list = field(default_factory=list)
    skipped: list = field(default_factory=list)

    @property
    def words(self):
        return "passed in part" if self.verdict == "passed" and self.skipped else self.verdict


def run(attack, form, round_number, log):
    environment = dict(os.environ, TASKVAULT_ROUND=str(round_number), FUZZ_SEED=str(20250 + round_number))
    for amount in attack.amounts:
        environment[amount.variable] = str(amount.of(form))
    beginning = time.monotonic()
    status = finish(attack, environment, log)
    outcome = judge(attack, status, log)
    outcome.seconds = round(time.monotonic() - beginning)
    return outcome


def finish(attack, environment, log):
    """The exit code, or None after the time is over: then its group of processes is ended. An agent that it started ends by its own limits."""
    with open(log, "wb") as output:
        process = subprocess.Popen(
            attack.command.words(), env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True)
        started.add(process)
        try:
            return process.wait(attack.limit)
        except subprocess.TimeoutExpired:
            end(process)
            return None
        finally:
            started.discard(process)


def end(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def end_all():
    global interrupted
    interrupted = True
    for process in list(started):
        end(process)


def judge(attack, status, log):
    outcome = Outcome("passed")
    summary = None
    is_empty = False
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in (COLOUR.sub("", line).rstrip("\n") for line in lines):
            if found := FIGURES.match(line):
                add(outcome.figures, found["figures"])
            elif found := CONTROL.match(line):
                outcome.controls.append(found["words"])
            elif found := SKIPPED.match(line):
                outcome.skipped.append(found["why"] or found["name"])
            elif found := NOT_RUN.match(line):
                outcome.skipped.append(found["why"])
            elif NO_TESTS.search(line):
                is_empty = True
            elif found := SUMMARY.search(line):
                summary = int(found["tests"])
    if status is None:
        return Outcome("failed", f"not done after {attack.limit} s")
    if status == 77:
        return Outcome("not run", "; ".join(sorted(set(outcome.skipped))) or "see the log")
    if status != 0:
        return Outcome("failed", f"exit code {status}")
    if is_empty:
        return Outcome("failed", "a filter names no test")
    if isinstance(attack.command, Program):
        if not outcome.controls:
            return Outcome("failed", "nothing showed that it can fail")
    else:
        if not summary:
            return Outcome("failed", "it did not say how many tests ran")
        if len(outcome.skipped) >= summary:
            return Outcome("not run", "; ".join(sorted(set(outcome.skipped))))
        outcome.tests = summary - len(outcome.skipped)
    return outcome


def add(figures, words):
    """Whole numbers are added up, over lines and over rounds."""
    for word in words.split():
        name, _, value = word.partition("=")
        if value.isdigit():
            figures[name] = figures.get(name, 0) + int(value)


def complaint(log):
    """What a failed attack said, in a few lines: what a test expected, or the end."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [COLOUR.sub("", line.rstrip("\n"))[:400] for line in file]
    expected = [line for line in lines if "recorded an issue" in line]
    return "\n".join(expected[:20] or lines[-40:])
