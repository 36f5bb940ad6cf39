"""The record as tables in Markdown, as they stand in Docs/Security.md."""

from attacks import ATTACKS, NOT_APPLICABLE, ROWS, SECTIONS


def report(record):
    for letter, title in SECTIONS.items():
        print(f"### {letter}. {title}\n")
        print("| row | attack | command | what was seen | what shows that it can fail |")
        print("| --- | --- | --- | --- | --- |")
        for row in (row for row in ROWS if row.startswith(letter)):
            for entry in (entry for entry in NOT_APPLICABLE if row in entry.rows.split()):
                print(f"| {row} | {ROWS[row]} | – | *not applicable yet*: {entry.why} | – |")
            for attack in (attack for attack in ATTACKS if row in attack.rows.split()):
                cells = [row, attack.title, f"`{str(attack.command)}`".replace("|", "\\|"), seen(record, attack), control(record, attack)]
                print("| " + " | ".join(cells) + " |")
        print()


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
    return "passed: " + ", ".join(parts) + f"; {max(entry['seconds'] for entry in passed)} s"


def control(record, attack):
    seen = [words for entry in record.passed(attack)[-1:] for words in entry["controls"]]
    return "; ".join([attack.control, *seen]).replace("|", "\\|")
