"""Tests/Proof/coverage.py REPORT LIST: lines of the core that were run, by the compiler's own report; writes the others to LIST."""

import json
import sys

CORE = ["SecretMemory", "VaultSealing", "VaultCore", "VaultStorage", "VaultAgent"]
LEAST = 95


def main(report, missing):
    with open(report) as file:
        files = json.load(file)["data"][0]["files"]
    failed = False
    figures = []
    with open(missing, "w") as output:
        for module in CORE:
            lines = run = 0
            for entry in (entry for entry in files if f"/Sources/{module}/" in entry["filename"]):
                counts = counted(entry["segments"])
                lines += len(counts)
                run += sum(1 for count in counts.values() if count)
                name = entry["filename"].split("/Sources/")[1]
                for line in sorted(line for line, count in counts.items() if not count):
                    output.write(f"Sources/{name}:{line}\n")
            share = 100 * run / lines if lines else 0
            failed |= share < LEAST
            figures += [f"{module}-lines={lines}", f"{module}-run={run}"]
            print(f"{module}: {run} of {lines} lines, {share:.1f} %")
    print("proof: " + " ".join(figures))
    if failed:
        sys.exit(f"less than {LEAST} of 100 lines; {missing} lists them")


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
