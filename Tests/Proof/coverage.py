"""Tests/Proof/coverage.py REPORT LIST: lines of the core that were run, by the compiler's own report; writes the others to LIST."""

import json
import re
import sys

CORE = ["SecretMemory", "Sealing", "VaultCore", "VaultStorage", "VaultAgent"]
# Is built along, and the core's tests run some of it: it has to come out as what they do not cover.
BESIDE = "Tasks"
LEAST = 95


def main(report, missing):
    with open(report) as file:
        files = json.load(file)["data"][0]["files"]
    lines, run, _ = measured(files, BESIDE)
    if not run or not too_little(lines, run):
        sys.exit(f"{BESIDE}: {run} of {lines} lines; of a module that these tests are not for, some lines and too few are expected to run")
    print(f"control: {BESIDE}, outside the scope of these tests, fails with {run} of {lines} lines")
    failed = False
    figures = []
    with open(missing, "w") as output:
        for module in CORE:
            lines, run, others = measured(files, module)
            output.writelines(f"{line}\n" for line in others)
            failed |= too_little(lines, run)
            figures += [f"{module}-lines={lines}", f"{module}-run={run}"]
            print(f"{module}: {run} of {lines} lines, {share(lines, run):.1f} %")
    print("proof: " + " ".join(figures))
    if failed:
        sys.exit(f"less than {LEAST} of 100 lines; {missing} lists them")


def measured(files, module):
    """A module's lines, how many of them were run, and where the others are."""
    lines = run = 0
    others = []
    for entry in (entry for entry in files if re.search(rf"/Sources/\w+/{module}/", entry["filename"])):
        counts = counted(entry["segments"])
        lines += len(counts)
        run += sum(1 for count in counts.values() if count)
        name = entry["filename"].split("/Sources/")[1]
        others += [f"Sources/{name}:{line}" for line in sorted(counts) if not counts[line]]
    return lines, run, others


def share(lines, run):
    return 100 * run / lines if lines else 0


def too_little(lines, run):
    return share(lines, run) < LEAST


def counted(segments):
    """How often each line with code was run: a line counts as its segment that was run most (llvm-cov's own way)."""
    counts = {}
    for (line, _, count, has_count, _, is_gap), following in zip(segments, segments[1:] + [None]):
        if not has_count or is_gap:
            continue
        last = following[0] if following else line
        for number in range(line, last + (1 if following and following[1] > 1 else 0)):
            counts[number] = max(counts.get(number, 0), count)
        counts[line] = max(counts.get(line, 0), count)
    return counts


main(*sys.argv[1:])
