"""Random histories of sync, built with optimisation: of the model, of the secrets and of the list. Prints the seeds of those that fail.

    python3 Tests/Proof/sync/histories.py [model | secrets | list]... [FIRST COUNT]

Without numbers it begins at 0 and tries 10,000 of each kind: about an hour. Each part of them is a process of its own."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from harness import building  # noqa: E402

KINDS = {
    "model": "SyncTests.ModelTests/histories",
    "secrets": "SecretMirrorHistoryTests/histories",
    "list": "TaskMirrorHistoryTests/histories",
}
CONTROL = "SyncTests.ModelTests/control|SecretMirrorHistoryTests/control|TaskMirrorHistoryTests/control"
PART = 250


def run(tests, **variables):
    """The exit code and the output of some tests."""
    words = [building.BUNDLES["optimised"], "--testing-library", "swift-testing", "--filter", tests]
    result = subprocess.run(
        words, env=dict(os.environ, **variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    found = re.search(r"Test run with [1-9]\d* tests? in ", result.stdout)
    return result.returncode or (0 if found else 1), result.stdout


def histories(kind, first, count):
    """The seeds that fail. Where a process ends without a word about one, each of its seeds is tried alone."""
    code, output = run(KINDS[kind], TASKVAULT_SYNC_SEED=str(first), TASKVAULT_SYNC_HISTORIES=str(count))
    failed = sorted({int(seed) for seed in re.findall(r"seed (\d+): ", output)})
    if failed or code == 0 or count == 1:
        return failed or [first] * (code != 0)
    return [seed for each in range(first, first + count) for seed in histories(kind, each, 1)]


def main(words):
    kinds = [word for word in words if word in KINDS] or list(KINDS)
    numbers = [int(word) for word in words if word not in KINDS]
    count = numbers[1] if numbers else int(os.environ.get("TASKVAULT_SYNC_HISTORIES") or 10_000)
    start = numbers[0] if numbers else int(os.environ.get("TASKVAULT_ROUND") or 0) * count
    is_failed = False
    for kind in kinds:
        for first in range(start, start + count, PART):
            part = min(PART, start + count - first)
            for seed in histories(kind, first, part):
                is_failed = True
                print(f"{kind} {seed} failed: TASKVAULT_SYNC_SEED={seed} TASKVAULT_SYNC_HISTORIES=1 swift test --filter {KINDS[kind]}", flush=True)
            print(f"proof: {kind}={part}", flush=True)
    code, output = run(CONTROL)
    if code:
        sys.exit(output)
    print("control: without each of ten rules the model fails; a value, a text, a mark or an order that one home lacks is noticed")
    sys.exit(is_failed)


if not os.path.exists(building.BUNDLES["optimised"]):
    building.make("optimised")
main(sys.argv[1:])
