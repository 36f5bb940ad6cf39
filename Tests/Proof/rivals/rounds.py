"""Taking turns: product and rivals go round by round, in changing order, so that a busy moment of the machine hits all of them."""

import os
import shutil
import statistics
import sys

from .process import Measured
from .tool import GaveUp, Stopped, Wrong

OPERATIONS = ("read", "list", "add", "change")


def rounds_for(seconds, quick):
    """Enough for a median of what takes milliseconds, fewer of what is slow."""
    steps = ((0.3, 5), (3, 3)) if quick else ((0.2, 21), (1.5, 11), (10, 5), (45, 3))
    return next((count for limit, count in steps if seconds < limit), 1)


class Run:
    """All measurements; `results` is what is printed, drawn and written as JSON."""

    def __init__(self, machine, kinds, quick):
        self.machine, self.kinds, self.quick = machine, kinds, quick
        self.results = {"operations": {name: {} for name in OPERATIONS}, "importing": {}, "memory": {}, "disk": {}, "made": {}}
        self.failures = []
        self.stopped = set()

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    def attempt(self, key, function):
        """What the function gives, or a record of why it gives nothing. What was stopped at a size is not tried at a larger one."""
        if key in self.stopped:
            return {"stopped": self.machine.limit, "tried": False}
        try:
            return function()
        except Stopped as stopped:
            self.stopped.add(key)
            return {"stopped": stopped.limit, "tried": True, "by itself": isinstance(stopped, GaveUp)}
        except (Wrong, OSError) as error:
            self.failures.append(str(error))
            self.say(f"  FAILED: {error}")
            return {"failed": str(error)}

    def take_turns(self, operation, entries, again):
        """Entries are (label, function of the round); gives back a record for each label."""
        measured, wanted, ended = {label: [] for label, _ in entries}, {label: 1 for label, _ in entries}, {}
        turn = 0
        while any(turn < wanted[label] and label not in ended for label, _ in entries):
            start = turn % len(entries)
            for label, function in entries[start:] + entries[:start]:
                if turn >= wanted[label] or label in ended:
                    continue
                one = self.attempt((operation, label), lambda: function(turn))
                if isinstance(one, Measured):
                    measured[label].append(one)
                    # The first is not the measure of all: it may have met something cold.
                    fastest = min(each.seconds for each in measured[label])
                    wanted[label] = max(turn + 1, rounds_for(fastest, self.quick))
                else:
                    ended[label] = one
                    again(label, one)
            turn += 1
        return {label: ended.get(label) or record(measured[label]) for label, _ in entries}

    def at(self, size):
        """Everything at one size."""
        tools, ways = [], []
        self.say(f"{size:,} items")
        folder = os.path.join(self.machine.folder, str(size))
        for kind in self.kinds:
            tool = kind(self.machine, os.path.join(folder, kind.name))
            tools.append(tool)
            seconds = self.attempt(("fill", kind.name), lambda: tool.fill(size))
            if not isinstance(seconds, dict):
                self.say(f"  {kind.name}: made in {seconds:.1f} s")
                self.results["made"].setdefault(str(size), {})[kind.name] = seconds
                self.results["disk"].setdefault(str(size), {})[kind.name] = space(tool.files())
                seconds = self.attempt(("open", kind.name), lambda: tool.open() or 0)
            if isinstance(seconds, dict):
                # What it may have begun must not disturb the others.
                tool.close()
                self.say(f"  {kind.name}: no store of this size")
                for operation in OPERATIONS:
                    self.results["operations"][operation].setdefault(str(size), {}).update({label: seconds for label in kind.labels})
            else:
                ways += [(tool, way) for way in tool.ways()]
        try:
            for operation in OPERATIONS:
                self.operate(operation, size, ways)
        finally:
            for tool in tools:
                tool.close()
            shutil.rmtree(folder, ignore_errors=True)

    def operate(self, operation, size, ways):
        entries = [(way.label, self.step(operation, size, tool, way)) for tool, way in ways if getattr(way, operation)]
        if operation == "read":
            entries.append(("/bin/true", lambda turn: self.machine.run("/bin/true")))
        owners = {way.label: tool for tool, way in ways}

        def again(label, ended):
            # A daemon may still be at it: what was stopped begins anew.
            if ended.get("tried"):
                self.say(f"  {operation}, {label}: stopped after {ended['stopped']} s")
                self.attempt(("open", label), lambda: owners[label].open())

        self.say(f"  {operation}")
        found = self.take_turns(operation, entries, again)
        self.results["operations"][operation].setdefault(str(size), {}).update(found)
        if operation == "add":
            memory = self.results["memory"].setdefault(str(size), {})
            reads = self.results["operations"]["read"][str(size)]
            for tool, way in ways:
                session = way.session() if way.session else None
                memory[way.label] = {"session": session, "command": reads.get(way.label, {}).get("peak")}

    def step(self, operation, size, tool, way):
        function = getattr(way, operation)
        if operation == "read":
            return lambda turn: function(turn * 7919 % size)
        return lambda turn: function()

    def import_of(self, count):
        self.say(f"import of {count:,}")
        turns = iter(range(1_000_000))

        def step(kind):
            def function(turn):
                tool = kind(self.machine, os.path.join(self.machine.folder, f"import-{next(turns)}"))
                try:
                    measured = Measured(tool.importing(count))
                    tool.open()
                    way = next(way for way in tool.ways() if way.importing)
                    for number in (0, count // 2, count - 1):
                        way.read(number)
                    way.list()
                    return measured
                finally:
                    tool.close()
                    shutil.rmtree(tool.folder, ignore_errors=True)

            return function

        found = self.take_turns("import", [(kind.labels[0], step(kind)) for kind in self.kinds], lambda label, ended: None)
        self.results["importing"] = {str(count): found}


def record(measured):
    seconds = [each.seconds for each in measured]
    peaks = [each.peak for each in measured if each.peak]
    return {
        "median": statistics.median(seconds),
        "least": min(seconds),
        "most": max(seconds),
        "rounds": len(seconds),
        "peak": max(peaks) if peaks else None,
    }


def space(paths):
    found = [os.stat(path) for path in paths]
    return {"bytes": sum(each.st_size for each in found), "allocated": sum(each.st_blocks * 512 for each in found)}
