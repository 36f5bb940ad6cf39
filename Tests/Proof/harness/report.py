"""The record as tables in Markdown, and their place in Docs/Security.md: everything below its last heading."""

import pathlib

from attacks import ATTACKS, NOT_APPLICABLE, ROWS, SECTIONS


PAGE = pathlib.Path("Docs/Security.md")
HEADING = "## What was tried, and seen\n"


def write(record):
    """Puts the tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[:text.index(HEADING)] + HEADING + "\n" + tables(record), encoding="utf-8")


def tables(record):
    lines = []
    for letter, title in SECTIONS.items():
        rows = [row for row in ROWS if row.startswith(letter)]
        lines += [f"### {letter}. {title}", ""] + (promises(rows, record) if letter == "P" else table(rows, record)) + [""]
    return "\n".join(lines)


def promises(rows, record):
    """The attacks on a promise stand in the rows that they try first."""
    lines = ["| | attacker | tried in | what was seen |", "| --- | --- | --- | --- |"]
    for row in rows:
        attacks = [attack for attack in ATTACKS if row in attack.rows.split()]
        places = sorted({attack.rows.split()[0] for attack in attacks}, key=list(ROWS).index)
        whole = sum(1 for attack in attacks if record.whole(attack))
        parts = sum(1 for attack in attacks if record.passed(attack)) - whole
        seen = f"{whole} of {len(attacks)} attacks passed" + (f", {parts} in part" if parts else "")
        lines.append(f"| {row} | {ROWS[row]} | {', '.join(places)} | {seen} |")
    return lines


def table(rows, record):
    lines = ["| row | what | attack | command | what was seen | what shows that it can fail |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        for entry in (entry for entry in NOT_APPLICABLE if row in entry.rows.split()):
            lines.append(f"| {row} | {ROWS[row]} | – | – | *not applicable yet*: {entry.why} | – |")
        for attack in (attack for attack in ATTACKS if row in attack.rows.split()):
            lines.append("| " + " | ".join(cells(row, attack, record)) + " |")
    return lines


def cells(row, attack, record):
    """An attack on several rows is told in full at the first of them."""
    if row != attack.rows.split()[0]:
        return [row, ROWS[row], attack.title, f"see {attack.rows.split()[0]}", "", ""]
    return [row, ROWS[row], attack.title, f"`{str(attack.command)}`".replace("|", "\\|"), seen(record, attack), control(record, attack)]


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
    return ("passed: " if record.whole(attack) else "passed in part: ") + ", ".join(parts) + f"; {max(entry['seconds'] for entry in passed)} s"


def control(record, attack):
    seen = [words for entry in record.passed(attack)[-1:] for words in entry["controls"]]
    return "; ".join([attack.control, *seen]).replace("|", "\\|")
