#!/usr/bin/python3
"""calendars.py SEED COUNT: prints calendars with tasks as icalendar writes them, and what they mean.

The output is a JSON array of objects: `file`, the text of a calendar, and `tasks`, an array of `name`, `due`, `next`, `tags` and `notes`; `next` has the
three occurrences after the due time of a repeated task. The due times are those that python-dateutil finds by the zones that the file defines, also zones that no machine has. Lines are folded, and end
with LF or CR LF. Times that clocks show twice or skip do not occur, because programs differ there.
"""

import datetime, dateutil.tz, icalendar, io, json, random, sys
import rules
seed, count = int(sys.argv[1]), int(sys.argv[2])
pick = random.Random(seed)
def offset(minutes):
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}{abs(minutes) % 60:02}"
def observance(kind, start, before, after, rule=None):
    lines = [f"BEGIN:{kind}", f"DTSTART:{start}", f"TZOFFSETFROM:{offset(before)}",
             f"TZOFFSETTO:{offset(after)}"]
    if rule: lines.append(rule)
    return lines + [f"END:{kind}"]
def zone(name):
    winter = pick.choice([-570, -300, -60, 0, 60, 345, 720])
    summer = winter + pick.choice([30, 60])
    lines = ["BEGIN:VTIMEZONE", f"TZID:{name}"]
    shape = pick.randrange(4)
    if shape == 0: lines += observance("STANDARD", "19700101T000000", winter, winter)
    else:
        start = ["", "19700308T020000", "20070311T020000", "20260101T020000"][shape]
        rules = ["", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
                 "RDATE:20260330T020000,20270329T020000,20280327T020000"]
        ends = ["", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
                "RDATE:20261026T030000,20271025T030000,20281030T030000"]
        lines += observance("DAYLIGHT", start, winter, summer, rules[shape])
        lines += observance("STANDARD", start[:4] + "1101T030000" if shape < 3 else "20260102T030000", summer, winter, ends[shape])
    return lines + ["END:VTIMEZONE"]
repetitions = rules.generate(pick, ("day", "utc"))
result = []
for number in range(count):
    names = [f"Zone {n}" for n in range(pick.randrange(1, 3))] + (["Europe/Berlin"] if pick.random() < .3 else [])
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//other//EN"]
    zones = [line for name in names for line in zone(name)]
    known = dateutil.tz.tzical(io.StringIO("\n".join(head + zones + ["END:VCALENDAR"]) + "\n"))
    body, expected = [], []
    for n in range(pick.randrange(1, 6)):
        todo = icalendar.Todo()
        name = " ".join(pick.choice(["milk", "Brot; Käse", "a, b", "日本", "back\\slash", "😀" * 30, "\"x\""]) for _ in range(pick.randrange(1, 5)))
        tags = pick.sample(["one", "two words", "Errands, urgent", "é", "x;y"], pick.randrange(0, 4))
        todo.add("summary", name)
        todo.add("uid", f"{number}-{n}")
        if tags: todo.add("categories", tags)
        if pick.random() < .5: todo.add("description", "line\n" + name)
        local = datetime.datetime(2026, 1, 10) + datetime.timedelta(minutes=15 * pick.randrange(0, 100_000), seconds=pick.choice([0, 1]))
        lines = todo.to_ical().decode().split("\r\n")
        kind, following = pick.randrange(5), []
        if kind == 0: due = None
        elif kind == 4:
            # A repetition of days, or of times in UTC.
            start, rule = next(repetitions)
            found = rules.occurrences(start, rule)[:3]
            while len(found) < 3: start, rule = next(repetitions); found = rules.occurrences(start, rule)[:3]
            parts = [part for part in rule.split(";") if not part.startswith("EXDATE=")]
            left = [part[7:] for part in rule.split(";") if part.startswith("EXDATE=")]
            def value(time): return time + "Z" if "T" in time else time
            def named(name): return name + ("" if "T" in start else ";VALUE=DATE") + ":"
            def meant(time):
                day = f"{time[:4]}-{time[4:6]}-{time[6:8]}"
                return f"{day}T{time[9:11]}:{time[11:13]}:{time[13:]}.000Z" if "T" in time else day
            more = [named("DTSTART") + value(start), "RRULE:" + ";".join(parts)]
            if pick.random() < .5: more.append(named("DUE") + value(start))
            for times in left: more.append(named("EXDATE") + ",".join(value(time) for time in times.split(",")))
            pick.shuffle(more)
            lines[-2:-2] = more
            due, following = meant(start), [meant(time) for time in found]
        elif kind == 1:
            lines.insert(-2, f"DUE;VALUE=DATE:{local:%Y%m%d}")
            due = f"{local:%Y-%m-%d}"
        elif kind == 2:
            lines.insert(-2, f"DUE:{local:%Y%m%dT%H%M%SZ}")
            due = f"{local:%Y-%m-%dT%H:%M:%S}.000Z"
        else:
            tzid = pick.choice(names)
            lines.insert(-2, (f'DUE;TZID="{tzid}"' if pick.random() < .5 else f"DUE;TZID={tzid}") + f":{local:%Y%m%dT%H%M%S}")
            time = local.replace(tzinfo=known.get(tzid))
            if not dateutil.tz.datetime_exists(time) or dateutil.tz.datetime_ambiguous(time): lines.pop(-3); due = None
            else: due = f"{time.astimezone(datetime.timezone.utc):%Y-%m-%dT%H:%M:%S}.000Z"
        body += [line for line in lines if line]
        expected.append({"name": name, "due": due, "next": following, "tags": ["-".join(tag.split()) for tag in tags], "notes": str(todo.get("description", ""))})
    text = pick.choice(["\r\n", "\n"]).join(head + (zones + body if pick.random() < .7 else body + zones) + ["END:VCALENDAR", ""])
    result.append({"file": text, "tasks": expected})
print(json.dumps(result))
