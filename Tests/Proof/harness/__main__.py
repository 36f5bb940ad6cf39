"""The command line of Tests/Proof/run."""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import requirements  # noqa: E402
from attacks import ATTACKS, NOT_APPLICABLE, ROWS  # noqa: E402
from harness import building, record, report, running  # noqa: E402


def main(arguments):
    options = {word for word in arguments if word.startswith("--")}
    names = [word for word in arguments if not word.startswith("--")]
    if unknown := options - {"--short", "--figures", "--until-long", "--again", "--list", "--report", "--document", "--check"}:
        sys.exit(f"unknown: {' '.join(sorted(unknown))}; the head of Tests/Proof/run says what there is")
    attacks = [attack for attack in ATTACKS if attack.tries(names)]
    if not attacks:
        sys.exit(f"no attack is for {' '.join(names)}; --list says what there is")
    if "--list" in options:
        for attack in attacks:
            print(f"{attack.rows}: {attack.title}\n    {attack.command}")
    elif "--check" in options:
        check()
    elif "--report" in options:
        print(report.tables(record.Record()))
    elif "--document" in options:
        report.write(record.Record(), attacks)
    else:
        try:
            attempt(attacks, options)
        except KeyboardInterrupt:
            running.end_all()
            sys.exit("\ninterrupted; the next run goes on here")


def check():
    """Each row of the checklist has an attack, or the reason why not, and stands in Docs/Security.md; each requirement has its tests."""
    tried = {row for entry in (*ATTACKS, *NOT_APPLICABLE) for row in entry.rows.split()}
    wrong = [f"{row}: no attack" for row in ROWS if row not in tried] + [f"{row}: no such row" for row in sorted(tried - set(ROWS))]
    page = report.PAGE.read_text(encoding="utf-8")
    wrong += [f"{row}: not in Docs/Security.md" for row in ROWS if f"| {row} |" not in page]
    wrong += [f"{attack.name}: nothing shows that it can fail" for attack in ATTACKS if not attack.control]
    if len({attack.name for attack in ATTACKS}) != len(ATTACKS):
        wrong.append("two attacks have one name")
    wrong += requirements.gaps()
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(ROWS)} rows, {len(ATTACKS)} attacks, {len(requirements.REQUIREMENTS)} requirements")


def attempt(attacks, options):
    seen = record.Record()
    form = "short" if "--short" in options else "figures" if "--figures" in options else "hour"
    attacks = [attack for attack in attacks if attack.belongs(form)]
    building.build(attacks)
    failed, left_out, in_part, again = [], [], [], "--again" in options
    while True:
        waiting = [attack for attack in attacks if attack.name not in failed + left_out and (again or wanted(attack, seen, form, options, in_part))]
        again = False
        if not waiting:
            break
        for lane in ([attack for attack in waiting if not attack.alone], [attack for attack in waiting if attack.alone]):
            verdicts = side_by_side(lane, seen, form)
            failed += [name for name, verdict in verdicts if verdict == "failed"]
            left_out += [name for name, verdict in verdicts if verdict == "not run"]
            in_part += [name for name, verdict in verdicts if verdict == "passed in part"]
        if "--until-long" not in options:
            break
    passed = len(attacks) - len(failed) - len(left_out)
    print(f"\n{passed} of {len(attacks)} attacks did what was promised; Tests/Proof/run --report prints what was seen")
    for title, names in (("not run", left_out), ("passed in part", sorted(set(in_part)))):
        if names:
            print(f"{title}: " + ", ".join(names))
    if failed:
        sys.exit("not as promised: " + ", ".join(failed))


def wanted(attack, seen, form, options, in_part):
    """What was tried in part is tried again by the next run, which may be somewhere else."""
    if attack.name not in in_part and not seen.whole(attack, form):
        return True
    return "--until-long" in options and any(seen.done(attack, amount) < amount.long for amount in attack.amounts)


def side_by_side(attacks, seen, form):
    """Some more at once than there are processors, because most wait for processes; those that must be alone are. What became of each."""
    queue, verdicts, lock = list(attacks), [], threading.Lock()

    def work():
        while True:
            with lock:
                if not queue:
                    return
                attack = queue.pop(0)
                round_number = len(seen.rounds(attack))
            log = os.path.join(record.FOLDER, f"{attack.name}.log")
            outcome = running.run(attack, form, round_number, log)
            if running.interrupted:
                return
            with lock:
                seen.add(attack, form, outcome)
                figures = " ".join(f"{name}={value}" for name, value in outcome.figures.items())
                print(f"{time.strftime('%H:%M:%S')} {attack.rows}: {attack.title}: {outcome.words}, {outcome.seconds} s", figures, outcome.why, flush=True)
                verdicts.append((attack.name, outcome.words))
                if outcome.verdict == "failed":
                    print(running.complaint(log), flush=True)

    lanes = 1 if any(attack.alone for attack in attacks) else (os.cpu_count() or 1) + 1
    threads = [threading.Thread(target=work) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return verdicts


main(sys.argv[1:])
