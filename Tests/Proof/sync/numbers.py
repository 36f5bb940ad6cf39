"""The thief of a locked disk writes records of the list with numbers at their limits, long texts, and thousands of versions of one field.

They are signed and sealed as they should be. No command of the other device ends by a signal or takes long, and it goes on to sync.
"""

import pathlib
import sys
import time
from secrets import token_bytes

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import not_run  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from support.sync_homes import Pair  # noqa: E402
from sync.forging import Forger, stolen  # noqa: E402
from syncformat.keys import LIST  # noqa: E402
from vaultformat.encoding import i64, sized, u32, u64  # noqa: E402

MOST, LEAST, DAY, LATER = 2**63 - 1, -2**63, 172_800_000, 4_000_000_000_000
NUMBERS = (MOST, LEAST, MOST - 1, LEAST + 1, MOST // 2, LEAST // 2, 0, -1, MOST // DAY * DAY - 1, (LEAST // DAY + 1) * DAY - 1)
TEXTS = (b"", b"\xff\xfe", b"\0", b"\x1b[31mred", b"a\nb", "\u202eabc".encode(), b"x" * 100_000, b"e" + "\u0301".encode() * 20_000, b"..", b"-rf")
ZONES = (b"/../../../../etc/passwd", b"/<+99>-99:99:99", b"//dev/zero", b"/" + b"A" * 5_000)
OCCURRENCES = (b"99991231T235959", b"00010101T000000", b"20261130,99991231", b"99991231,00010101")
TIMES_OF_DAY = b";".join(name + b"=" + b",".join(b"%d" % each for each in range(count)) for name, count in ((b"BYHOUR", 24), (b"BYMINUTE", 60), (b"BYSECOND", 60)))
RULES = (b"FREQ=DAILY;INTERVAL=1000", b"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", b"FREQ=MONTHLY;BYSETPOS=-366;BYDAY=MO", b"FREQ=DAILY;" + TIMES_OF_DAY)
PLACE = u32(5) + u64(1 << 20) + b"\x11" * 16
SLOW = 30


def time_of(number):
    return b"\0" if number is None else b"\1" + i64(number)


def due(occurrence, number, text=b"", edited=False):
    return 36, i64(occurrence) + bytes([edited]) + time_of(number) + sized(text)


def completion(occurrence, following, number, rule):
    return 37, b"\1" + i64(following) + time_of(number) + sized(b"") + time_of(number) * 3 + sized(rule), i64(occurrence)


def tasks():
    """The fields of each task: number, content, detail."""
    daily = 39, b"FREQ=DAILY"
    for number in NUMBERS:
        bytes_ = i64(number)
        yield [(42, bytes_), due(number, LATER), daily]
        yield [due(number, LATER, edited=True), daily, (46, bytes_), (45, i64(-1 - number))]
        yield [due(0, number), daily, (46, bytes_), (45, bytes_)]
        yield [(40, bytes_), (41, bytes_), (46, i64(LATER))]
        yield [(34, b"\1"), (43, bytes_ + i64(-1 - number)), (44, bytes([number % 2]))]
        yield [due(0, LATER), daily, completion(0, number, number, b"FREQ=YEARLY")]
        yield [due(number, LATER), daily, completion(number, LATER, number, b"FREQ=DAILY;COUNT=10000")]
        subtask = b"abcdef" + token_bytes(10)
        yield [(48, b"sub", subtask), (49, PLACE, subtask)] + [(field, bytes_, subtask) for field in (52, 53, 54)]
    for text in TEXTS:
        for field in (32, 33, 35, 57, 58):
            yield [(field, text)]
        yield [(38, b"\1", text[:1000]), (55, text), (47, text), (999, text[:1000], text[:1000])]
        yield [(36, i64(0) + b"\0" + text), (39, text)] + [(field, text) for field in (40, 42, 43, 45, 46)]
    for occurrence in [b"20261130T100000" + zone for zone in ZONES] + list(OCCURRENCES):
        for rule in RULES:
            yield [due(0, LATER, occurrence), (39, rule)]


READS = [words.split() for words in (
    "task list", "task list --done", "task list --overdue", "task list --waiting", "task list --order due", "task list --order created", "task list --reveal --search abc", "task stats",
    "task export", "task export --format taskwarrior", "task export --format todo.txt", "task export --format icalendar", "remind --once", "sync log", "sync check", "doctor")]


class Scene:
    def __init__(self, pair):
        self.pair, self.runs, self.slowest = pair, 0, 0

    def put(self, records, clock=None, **more):
        """A segment of the first device. `records` are object, number, content and detail."""
        forger = Forger(stolen(self.pair, self.pair.first, LIST))
        forger.clock = clock or forger.clock
        return forger.put([forger.record(*each) for each in records], **more)

    def run(self, *words):
        start = time.monotonic()
        found = self.pair.second.direct(*words, code=None)
        took = time.monotonic() - start
        assert 0 <= found.returncode <= 10 and took < SLOW, (words, found.returncode, took, found.stderr[-300:])
        self.runs, self.slowest = self.runs + 1, max(self.slowest, took)
        return found

    def goes_on(self, what):
        """What the other device writes now arrives, and the other way round."""
        for home, other in (self.pair.homes, self.pair.homes[::-1]):
            task = home.add(f"{what} {home.name}")
            home.sync(code=None)
            other.sync(code=None)
            assert f"{what} {home.name}" in other.task_names(), what
            assert home.direct("task", "done", task, code=None).returncode == 0, what


def fields(scene):
    made = 0
    for part in parts(list(tasks()), 20):
        records = []
        for fields_ in part:
            made += 1
            task = b"\x90" + u32(made) + token_bytes(11)
            records.append((task, 1, b"\2"))
            given = {field for field, *_ in fields_}
            records += [(task, field, content) for field, content in ((32, b"forged %d" % made), (58, b"q%05d" % made)) if field not in given]
            records += [(task, *each) for each in fields_]
        scene.put(records)
    scene.run("sync", "now")
    for words in READS:
        scene.run(*words)
    ids = [task["id"] for task in scene.pair.second.tasks("--limit", "1000")]
    for part in parts(ids, 10):
        for words in (("task", "done"), ("task", "undone"), ("task", "edit", "--due", "tomorrow 9:00"), ("task", "edit", "--wait", "tomorrow"), ("task", "done")):
            scene.run(*words, "--yes", *part)
        scene.run("task", "undo")
    scene.run("sync", "now")
    for words in READS:
        scene.run(*words)
    assert len(ids) > made // 2, (made, len(ids))
    print(f"control: {len(ids)} of {made} forged tasks are in the list")
    return made


def parts(all_, count):
    return [all_[start:start + count] for start in range(0, len(all_), count)]


def many(scene):
    """Thousands of versions, tags, subtasks and tasks that come before others."""
    task, subtasks = token_bytes(16), [b"s%05d" % number + token_bytes(10) for number in range(4_000)]
    scene.put([(task, 1, b"\2"), (task, 58, b"zzzzzz")] + [(task, 38, b"\1", b"t%d" % number) for number in range(6_000)])
    for _ in range(3):
        scene.put([(task, 32, b"version %d" % number) for number in range(2_000)])
    scene.put([record for each in subtasks for record in ((task, 48, b"x", each), (task, 49, u32(6) + u64(1) + bytes(16) + PLACE * 4, each))])
    scene.put([(task, 49, PLACE * 30_000, subtasks[0])])
    scene.run("sync", "now")
    scene.run("task", "list")
    scene.run("task", "edit", "zzzzzz", "--name", "mine")
    scene.run("sync", "now")
    others = [token_bytes(16) for _ in range(4_000)]
    scene.put([record for number, each in enumerate(others) for record in ((each, 1, b"\2"), (each, 32, b"c"), (each, 56, b"\1", others[number - 1]))])
    scene.run("sync", "now")
    scene.run("task", "list", "--ready")


def main():
    with Pair() as pair:
        pair.first.add("ordinary")
        pair.sync()
        # In UTC some searches for times end early.
        pair.second.environment["TZ"] = "Europe/Kyiv"
        scene = Scene(pair)
        made = fields(scene)
        many(scene)
    figures = 0
    for what, more in [(f"time {number}", {"time": number}) for number in NUMBERS[:3]] + [(f"clock {number:x}", {"clock": number}) for number in (2**61 + 2**20 - 10, 2**63 - 10)]:
        with Pair() as pair:
            pair.first.add("ordinary")
            pair.sync()
            other = Scene(pair)
            path = other.put([(token_bytes(16), 1, b"\2")], **more)
            report = other.run("sync", "now")
            other.run("sync", "check")
            if b"does not open" in report.stderr or report.returncode:
                path.unlink()
            other.goes_on(what)
            scene.runs, scene.slowest, figures = scene.runs + other.runs, max(scene.slowest, other.slowest), figures + 1
    print(f"proof: tasks={made} numbers={figures} commands={scene.runs} slowest-seconds={round(scene.slowest)}")


main()
