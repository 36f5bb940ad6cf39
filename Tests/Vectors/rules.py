#!/usr/bin/python3
"""rules.py [--check]: writes Rules/occurrences.txt and Rules/generated.txt, the occurrences of repetition rules as python-dateutil finds them.

The rules have the shapes that Thunderbird, Apple's Reminders, Google Calendar, Nextcloud Tasks and Tasks.org write. A line has the first
occurrence, the rule and the next occurrences, at most twenty: all are local times, because dateutil compares the end of a rule with them.
A rule with an end in UTC (`UNTIL=…Z`) has all times in UTC. The generated rules are those of a seed, all different.
With --check, nothing is written; the exit code is 1 if the file differs.
"""

import datetime
import pathlib
import random
import sys

from dateutil.rrule import rrulestr

FOLDER = pathlib.Path(__file__).resolve().parent / "Rules"
SEED, GENERATED = 2048, 220
COUNT = 20
CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def code(day):
    return CODES[datetime.date.fromisoformat(f"{day[:4]}-{day[4:6]}-{day[6:8]}").weekday()]


def thunderbird():
    """BYDAY before or after INTERVAL, BYMONTH in yearly rules, UNTIL in UTC or as a date, EXDATE lines."""
    for start in ("20261207T090000", "20270130T233000", "20280229"):
        yield start, "FREQ=DAILY"
        yield start, "FREQ=DAILY;COUNT=10"
        yield start, "FREQ=DAILY;INTERVAL=3;COUNT=7"
        yield start, "FREQ=DAILY;INTERVAL=10"
        yield start, "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR"
        yield start, f"FREQ=WEEKLY;BYDAY={code(start)}"
        yield start, f"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,{code(start)},FR"
        yield start, f"FREQ=MONTHLY;BYMONTHDAY={int(start[6:8])}"
        yield start, "FREQ=MONTHLY;BYMONTHDAY=-1"
        yield start, "FREQ=MONTHLY;BYDAY=2MO"
        yield start, "FREQ=MONTHLY;BYDAY=-1FR;INTERVAL=2"
        yield start, f"FREQ=YEARLY;BYMONTHDAY={int(start[6:8])};BYMONTH={int(start[4:6])}"
        yield start, "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"
        yield start, "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU;COUNT=12"
    yield "20261207T090000", "FREQ=WEEKLY;UNTIL=20270201T090000;BYDAY=MO,TH"
    yield "20261207", "FREQ=DAILY;UNTIL=20261224"
    yield "20261207T090000", "FREQ=DAILY;EXDATE=20261209T090000,20261212T090000"
    yield "20261207", "FREQ=WEEKLY;COUNT=8;EXDATE=20261214,20270104"


def apple():
    """BYSETPOS with BYDAY for *the first weekday*, several months in a year, WKST and UNTIL."""
    for start in ("20261201T080000", "20270331", "20260519T213000"):
        yield start, "FREQ=MONTHLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1"
        yield start, "FREQ=MONTHLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"
        yield start, "FREQ=MONTHLY;BYDAY=SU,SA;BYSETPOS=1"
        yield start, "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-2"
        yield start, "FREQ=MONTHLY;BYDAY=TU;BYSETPOS=3"
        yield start, "FREQ=MONTHLY;BYMONTHDAY=1,15,-1"
        yield start, "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1"
        yield start, "FREQ=YEARLY;BYMONTH=1,4,7,10"
        yield start, "FREQ=YEARLY;BYMONTH=3,9;BYDAY=1MO"
        yield start, "FREQ=YEARLY;BYMONTH=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"
        yield start, "FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=-1"
        yield start, "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU"
        yield start, "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=MO"
        yield start, "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SA,SU;WKST=SA"
        yield start, "FREQ=DAILY;INTERVAL=2;UNTIL=20270430" + ("T235959" if "T" in start else "")
        yield start, "FREQ=YEARLY;BYDAY=20MO"
        yield start, "FREQ=YEARLY;BYDAY=-1FR"


def google():
    """WKST first, COUNT or UNTIL, BYDAY with numbers."""
    for start in ("20261204T170000", "20270107", "20260831T070000"):
        until = "T225959" if "T" in start else ""
        yield start, "FREQ=WEEKLY;WKST=SU;COUNT=9;BYDAY=FR"
        yield start, "FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=MO,WE,FR"
        yield start, "FREQ=WEEKLY;WKST=MO;INTERVAL=4;BYDAY=TH,SU;COUNT=15"
        yield start, f"FREQ=WEEKLY;WKST=SU;UNTIL=20270330{until};BYDAY=FR,TU"
        yield start, "FREQ=MONTHLY;BYDAY=1FR"
        yield start, "FREQ=MONTHLY;BYDAY=-1TH"
        yield start, "FREQ=MONTHLY;INTERVAL=6;BYDAY=1TH"
        yield start, "FREQ=MONTHLY;BYMONTHDAY=29"
        yield start, "FREQ=MONTHLY;BYDAY=5MO"
        yield start, "FREQ=MONTHLY;WKST=SU;COUNT=5;BYMONTHDAY=31"
        yield start, "FREQ=YEARLY;INTERVAL=2"
        yield start, "FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15;COUNT=4"
        yield start, "FREQ=DAILY;INTERVAL=7;BYDAY=FR,TH"


def nextcloud():
    """BYMONTH, BYMONTHDAY and BYSETPOS in any order; several days of several months."""
    for start in ("20270115T120000", "20270115"):
        yield start, "FREQ=DAILY;BYMONTH=1,2"
        yield start, "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29"
        yield start, "FREQ=WEEKLY;BYMONTH=5,6,7;BYDAY=SA"
        yield start, "FREQ=MONTHLY;BYMONTH=3,6,9,12;BYMONTHDAY=-1"
        yield start, "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR"
        yield start, "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13"
        yield start, "FREQ=MONTHLY;BYDAY=1MO,3MO,-1FR"
        yield start, "FREQ=MONTHLY;BYSETPOS=1,-1;BYDAY=MO,TU,WE,TH,FR"
        yield start, "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1,2,3;BYSETPOS=2"
        yield start, "FREQ=YEARLY;BYMONTHDAY=1,-1"
        yield start, "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO"
        yield start, "FREQ=YEARLY;BYWEEKNO=1,53"
        yield start, "FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU"
        yield start, "FREQ=YEARLY;BYYEARDAY=1,100,-1"
        yield start, "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=TU"


def tasks_org():
    """A unit with INTERVAL, and BYDAY where a person chose weekdays. Times of day more than once."""
    for start in ("20260301T180000", "20260831", "20240229T070000"):
        for unit in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
            yield start, f"FREQ={unit};INTERVAL=1"
            yield start, f"FREQ={unit};INTERVAL=5"
            yield start, f"FREQ={unit};INTERVAL=2;COUNT=6"
        yield start, "FREQ=WEEKLY;INTERVAL=1;BYDAY=SU,SA"
        yield start, "FREQ=MONTHLY;INTERVAL=1;BYDAY=-1SU"
        yield start, "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31"
    for rule in (
        "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0",
        "FREQ=DAILY;BYHOUR=8;BYMINUTE=0,20,40;COUNT=15",
        "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7,19;BYMINUTE=30;BYSECOND=0",
        "FREQ=MONTHLY;BYDAY=MO;BYHOUR=8,12;BYSETPOS=-1",
        "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;BYHOUR=15;BYMINUTE=0;BYSECOND=0",
    ):
        yield "20260302T080000", rule


def shape(pick):
    """The parts of a random rule, as RFC 5545 allows them together. Week 53 is left out: dateutil finds it in wrong years."""
    unit = pick.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = ["FREQ=" + unit]

    def add(part, *values):
        parts.append(f"{part}=" + ",".join(str(value) for value in values))

    def days(most, ordinals=(), chance=0.7):
        return [(str(pick.choice(ordinals)) if ordinals and pick.random() < chance else "") + day for day in pick.sample(CODES, pick.randint(1, most))]

    def months(count):
        return sorted(pick.sample(range(1, 13), count))

    if pick.random() < 0.4:
        add("INTERVAL", pick.choice([2, 3, 4, 5, 7]))
    kind = pick.random()
    if unit == "DAILY":
        if kind < 0.3:
            add("BYDAY", *days(3))
        elif kind < 0.5:
            add("BYMONTH", *months(3))
        elif kind < 0.7:
            add("BYMONTHDAY", *pick.sample([1, 2, 5, 10, 15, 20, 28, 30, 31, -1, -2, -7], 4))
    elif unit == "WEEKLY":
        if kind < 0.7:
            add("BYDAY", *days(4))
        if pick.random() < 0.4:
            add("WKST", pick.choice(CODES))
        if pick.random() < 0.15:
            add("BYMONTH", *months(4))
    elif unit == "MONTHLY":
        if kind < 0.35:
            add("BYDAY", *days(3, (1, 2, 3, 4, -1, -2)))
        elif kind < 0.6:
            add("BYMONTHDAY", *pick.sample([1, 2, 5, 10, 15, 20, 28, 29, 30, 31, -1, -2, -7, -31], pick.randint(1, 3)))
        elif kind < 0.8:
            add("BYDAY", *days(5))
            add("BYSETPOS", *pick.sample([1, 2, 3, -1, -2], pick.randint(1, 2)))
        elif kind < 0.9:
            add("BYDAY", *days(3))
            add("BYMONTHDAY", *pick.sample(range(1, 32), 8))
        if pick.random() < 0.15:
            add("BYMONTH", *months(4))
    elif kind < 0.25:
        add("BYMONTH", *months(2))
        add("BYDAY", *days(3, (1, 2, 3, 4, -1, -2)))
    elif kind < 0.45:
        add("BYMONTH", *months(2))
        add("BYMONTHDAY", *pick.sample([1, 15, 28, 29, 30, -1, -3], 2))
    elif kind < 0.55:
        add("BYDAY", *days(2, (1, 10, 20, 52, -1, -5), 1))
    elif kind < 0.65:
        add("BYWEEKNO", *pick.sample([1, 2, 20, 30, 52], 2))
        add("BYDAY", *days(3))
    elif kind < 0.75:
        add("BYYEARDAY", *pick.sample([1, 60, 100, 200, 365, 366, -1, -100], 3))
    elif kind < 0.85:
        add("BYMONTH", *months(2))
        add("BYDAY", *days(5))
        add("BYSETPOS", pick.choice([1, 2, 3, -1]))
    return parts


def generate(pick, kinds=("day", "local", "utc")):
    """Rules with their first occurrences, without end: the start, the parts, and `Z` for an end in UTC. Each has many occurrences."""
    while True:
        parts, kind = shape(pick), pick.choice(kinds)
        base = datetime.datetime(2026, 12, 1) + datetime.timedelta(days=pick.randrange(400))
        if kind != "day":
            base = base.replace(hour=pick.choice([0, 3, 9, 23]), minute=pick.choice([0, 30]))
        form = "%Y%m%d" if kind == "day" else "%Y%m%dT%H%M%S"
        first = next(iter(rrulestr(";".join(parts), dtstart=base)), None)
        if first is None or first.year > 2100:
            continue
        times = []
        for time in rrulestr(";".join(parts), dtstart=first):
            if time.year > 2500 or len(times) > COUNT:
                break
            times.append(time)
        if len(times) < COUNT:
            continue
        end = pick.random()
        if end < 0.2:
            parts.append(f"COUNT={pick.randint(3, 15)}")
        elif end < 0.6:
            # At an occurrence, or just before it.
            until = pick.choice(times[2:]) - datetime.timedelta(seconds=pick.choice([0, 0, 1]) if kind != "day" else 0)
            parts.append("UNTIL=" + until.strftime(form) + ("Z" if kind == "utc" else ""))
        if pick.random() < 0.2:
            parts.append("EXDATE=" + ",".join(time.strftime(form) for time in sorted(pick.sample(times[1:], 2))))
        yield first.strftime(form), ";".join(parts)


def occurrences(start, rule):
    """The occurrences after the first."""
    # An end in UTC needs a start in UTC.
    zone = "Z" if any(part.startswith("UNTIL=") and part.endswith("Z") for part in rule.split(";")) else ""
    parts = [part for part in rule.split(";")]
    left = [part[7:] for part in parts if part.startswith("EXDATE=")]
    text = f"DTSTART:{start}{zone}\nRRULE:" + ";".join(part for part in parts if not part.startswith("EXDATE="))
    text += "".join("\nEXDATE:" + ",".join(time + zone for time in each.split(",")) for each in left)
    form = "%Y%m%dT%H%M%S" if "T" in start else "%Y%m%d"
    first = datetime.datetime.strptime(start, form)
    found = []
    # A rule counts its start; dateutil does so if the start is a time of the rule. Exceptions count, too.
    if "COUNT=" in rule:
        assert next(iter(rrulestr(text.split("\nEXDATE")[0]))) == first, (start, rule)
    for time in rrulestr(text):
        time = time.replace(tzinfo=None)
        if time <= first:
            continue
        if len(found) == COUNT or time.year > 9999:
            break
        found.append(time.strftime(form))
    return found


def main():
    seen = []
    for source in (thunderbird, apple, google, nextcloud, tasks_org):
        for start, rule in source():
            if "COUNT=" in rule:
                first = next(iter(rrulestr(f"DTSTART:{start}\nRRULE:" + rule.split(";EXDATE")[0])))
                start = first.strftime("%Y%m%dT%H%M%S" if "T" in start else "%Y%m%d")
            if (start, rule) not in seen:
                seen.append((start, rule))
    generated, parts = [], set()
    for start, rule in generate(random.Random(SEED)):
        if rule not in parts and len(generated) < GENERATED:
            parts.add(rule)
            generated.append((start, rule))
        if len(generated) == GENERATED:
            break
    FOLDER.mkdir(exist_ok=True)
    for name, rules in (("occurrences", seen), ("generated", generated)):
        lines = ["\t".join([start, rule, " ".join(occurrences(start, rule))]).rstrip() for start, rule in rules]
        text = "".join(line + "\n" for line in lines)
        file = FOLDER / f"{name}.txt"
        if sys.argv[1:] == ["--check"]:
            if file.read_text() != text:
                sys.exit(f"{name}.txt differs")
        else:
            file.write_text(text)


if __name__ == "__main__":
    main()
