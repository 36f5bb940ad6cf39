"""The record as tables in Markdown, and their place in Docs/Security.md: between their heading and the next part."""

import pathlib
import re

from attacks import ATTACKS, NOT_APPLICABLE, ROWS, SECTIONS


PAGE = pathlib.Path("Docs/Security.md")
HEADING = "### Attacks and results\n"
# A line about a promise, or about an attack in the row that has it in full.
LINE = re.compile(r"\| (P\d+) \||\| \w+ \| [^|]* \| `([\w-]+)`: ")


def write(record, attacks=ATTACKS):
    """Puts the tables into the page. Of some attacks only: what else is on the page stays, and so do the promises."""
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(HEADING) + len(HEADING)
    end = text.find("\n## ", start)
    new = tables(record)
    if len(attacks) < len(ATTACKS):
        new = merged(text[start:end], new, {attack.name for attack in attacks if record.rounds(attack)})
    PAGE.write_text(text[:start] + "\n" + new + (text[end:] if end >= 0 else ""), encoding="utf-8")


def merged(before, after, tried):
    """The tables, in which only these attacks have other lines than before."""
    old = {key(line): line for line in before.splitlines() if key(line)}
    return "".join((line if key(line) in tried or key(line) not in old else kept(line, old[key(line)])) + "\n" for line in after.splitlines())


def kept(line, old):
    """An earlier line. The subject of its row may stand in another line now."""
    return old if line.startswith("| P") else "|".join(line.split("|", 3)[:3] + old.split("|", 3)[3:])


def key(line):
    found = LINE.match(line)
    return found and (found[1] or found[2])


def tables(record):
    lines = []
    for letter, title in SECTIONS.items():
        rows = [row for row in ROWS if row.startswith(letter)]
        lines += [f"#### {letter}. {title}", ""] + (promises(rows, record) if letter == "P" else table(rows, record)) + [""]
    return "\n".join(lines)


def promises(rows, record):
    """The attacks on a promise stand in the rows that they try first."""
    lines = ["| promise | tried in | result |", "|---|---|---|"]
    for row in rows:
        attacks = [attack for attack in ATTACKS if row in attack.rows.split()]
        places = sorted({first(attack) for attack in attacks}, key=list(ROWS).index)
        whole = sum(1 for attack in attacks if record.whole(attack))
        parts = sum(1 for attack in attacks if record.passed(attack)) - whole
        seen = f"{whole} of {len(attacks)} attacks passed" + (f", {parts} in part" if parts else "")
        lines.append(f"| {row} | {', '.join(places)} | {seen} |")
    return lines


def table(rows, record):
    lines = ["| row | subject | attack | command | result | control |", "|---|---|---|---|---|---|"]
    for row in rows:
        entries = [["–", "–", f"*not applicable*: {reason(entry, row)}", "–"] for entry in NOT_APPLICABLE if row in entry.rows.split()]
        attacks = [attack for attack in ATTACKS if row in attack.rows.split()]
        entries += [cells(attack, record) for attack in attacks if first(attack) == row]
        elsewhere = {}
        for attack in attacks:
            if first(attack) != row:
                elsewhere.setdefault(first(attack), []).append(f"`{attack.name}`")
        if elsewhere:
            entries.append([("also " if entries else "") + "; ".join(f"{', '.join(names)} in {place}" for place, names in elsewhere.items())])
        # The subject stands in the first line of its row only.
        for subject, entry in zip([ROWS[row]] + [""] * len(entries), entries):
            lines.append("| " + " | ".join([row, subject, *entry]) + " |")
    return lines


def first(entry):
    """The row that has an attack, or a reason, in full."""
    return entry.rows.split()[0]


def reason(entry, row):
    return entry.why if first(entry) == row else f"see {first(entry)}"


def cells(attack, record):
    return [f"`{attack.name}`: {attack.title}", f"`{str(attack.command)}`".replace("|", "\\|"), seen(record, attack), control(record, attack)]


def seen(record, attack):
    passed = record.passed(attack)
    if not passed:
        rounds = record.rounds(attack)
        return f"*{rounds[-1]['verdict']}*: {rounds[-1]['why']}" if rounds else "*not tried yet*"
    parts = []
    for amount in attack.amounts:
        done = record.done(attack, amount)
        share = "" if done >= amount.long else f" ({done / amount.long:.0%} of {amount.long:,})"
        parts.append(f"{done:,} {amount.unit}{share}")
    figures = {}
    for entry in passed:
        for name, value in entry["figures"].items():
            figures[name] = figures.get(name, 0) + value
    parts += [f"{name.replace('-', ' ')} {value:,}" for name, value in figures.items()]
    tests = max(entry["tests"] for entry in passed)
    if tests:
        parts.append(f"{tests} test{'' if tests == 1 else 's'}")
    skipped = sorted({why for entry in passed for why in entry["skipped"]})
    parts += [f"*not run*: {why}" for why in skipped]
    words = "passed" if record.whole(attack) else "passed in part"
    return words + (": " + ", ".join(parts) if parts else "") + f"; {max(entry['seconds'] for entry in passed)} s"


def control(record, attack):
    """The controls as they came out, or the one that a test checks without a word."""
    seen = [words for entry in record.passed(attack)[-1:] for words in entry["controls"]]
    return "; ".join(dict.fromkeys(seen or [attack.control])).replace("|", "\\|")
