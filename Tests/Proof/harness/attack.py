"""What one attack is: which rows of the checklist it tries, by which command, how often, and what shows that it can fail."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Amount:
    """How often something is done, and the environment's variable that says so to the command."""

    variable: str
    unit: str
    short: int
    hour: int
    long: int
    # What the command calls it when it says how often it was done, where that can be less than was asked for.
    figure: str = ""

    def of(self, form):
        return self.short if form == "short" else self.hour


@dataclass(frozen=True)
class Tests:
    """Suites of `swift test`, by a filter as it takes them."""

    filter: str
    # Whether they run the release build's commands, which begin faster than those beside the tests.
    release: bool = False

    def words(self, bundle):
        executable = [f"TASKVAULT_EXECUTABLE={os.path.abspath('.build/release/taskvault')}"] if self.release else []
        return ["env", *executable, bundle, "--testing-library", "swift-testing", "--filter", self.filter]

    def __str__(self):
        executable = 'TASKVAULT_EXECUTABLE="$PWD/.build/release/taskvault" ' if self.release else ""
        return f"{executable}swift test --filter " + (f"'{self.filter}'" if "|" in self.filter else self.filter)


@dataclass(frozen=True)
class Program:
    """A line for bash, from the top of the tree."""

    line: str

    def words(self, bundle):
        return ["bash", "-c", self.line]

    def __str__(self):
        return self.line


@dataclass(frozen=True)
class Attack:
    name: str
    rows: str
    title: str
    command: Tests | Program
    control: str
    amounts: tuple[Amount, ...] = ()
    # Part of the short form: what `swift test` has not run already.
    short: bool = False
    # Times are compared, or the machine is filled: nothing may run beside it.
    alone: bool = False
    # Seconds after which it has failed, whatever it would have said.
    limit: int = 1800

    def tries(self, names):
        return not names or any(row == name or name.isalpha() and row.startswith(name) for row in self.rows.split() for name in names)


@dataclass(frozen=True)
class NotApplicable:
    """A row about something that is not built."""

    rows: str
    why: str
