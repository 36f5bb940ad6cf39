"""What one attack is: which rows of the checklist it tries, by which command, how often, and what shows that it can fail."""

import os
from dataclasses import dataclass

from harness import building


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
    # What is wished for each change, where the short form has less.
    wished: int | None = None

    def of(self, form):
        if form == "figures" and self.wished is not None:
            return self.wished
        return self.hour if form == "hour" else self.short


@dataclass(frozen=True)
class Tests:
    """Suites of `swift test`, by a filter as it takes them."""

    filter: str
    # Whether they run the release build's commands, which begin faster than those beside the tests.
    release: bool = False
    # Whether they are built with optimisation, as what they do very often takes half the time then.
    optimised: bool = False

    @property
    def builds(self):
        return {"optimised" if self.optimised else "tests"} | ({"release"} if self.release else set())

    def words(self):
        executables = [f"TASKVAULT_EXECUTABLES={os.path.abspath('.build/release')}"] if self.release else []
        bundle = building.BUNDLES["optimised" if self.optimised else "tests"]
        return ["env", *executables, bundle, "--testing-library", "swift-testing", "--filter", self.filter]

    def __str__(self):
        executables = 'TASKVAULT_EXECUTABLES="$PWD/.build/release" ' if self.release else ""
        options = "-c release -Xswiftc -enable-testing " if self.optimised else ""
        return f"{executables}swift test {options}--filter " + (f"'{self.filter}'" if "|" in self.filter else self.filter)


@dataclass(frozen=True)
class Program:
    """A line for bash, from the top of the tree."""

    line: str
    # What has to be built before, unless it builds for itself.
    builds: tuple[str, ...] = ("release",)

    def words(self):
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
    # Wished for each change, whatever its amounts are, and not part of the short form.
    wished: bool = False
    # Times are compared, or the machine is filled: nothing may run beside it.
    alone: bool = False
    # Seconds after which it has failed, whatever it would have said.
    limit: int = 1800

    def belongs(self, form):
        """Whether it is part of a form."""
        if form == "figures":
            return self.wished or any(amount.wished is not None for amount in self.amounts)
        return form == "hour" or self.short

    def tries(self, names):
        return not names or any(row == name or name.isalpha() and row.startswith(name) for row in self.rows.split() for name in names)


@dataclass(frozen=True)
class NotApplicable:
    """A row about something that is not built."""

    rows: str
    why: str
