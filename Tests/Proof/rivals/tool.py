"""What each tool answers to, so that the rounds need not know which one it is."""

import os

from . import items


class Wrong(Exception):
    """A tool answered something else than it should have."""


class Stopped(Exception):
    """It took longer than the limit."""

    def __init__(self, limit):
        super().__init__(f"longer than {limit} s")
        self.limit = limit


class GaveUp(Stopped):
    """It stopped by itself, with an error, because something took longer than it waits."""


class Way:
    """One way to use a tool, a line of each table: functions that give back a `process.Measured`, or
    None where there is no such thing. `read` takes the number of an item; `session` gives the memory, in KiB, of the process that stays."""

    def __init__(self, label, read=None, add=None, list=None, change=None, importing=None, session=None):
        self.label = label
        self.read, self.add, self.list, self.change = read, add, list, change
        self.importing = importing
        self.session = session


class Tool:
    """A store of one size in a folder of its own. `change` takes turns between the two passphrases of `items`."""

    name = ""
    packages = ()
    # Those of its ways; the first is the one that imports.
    labels = ()

    def __init__(self, machine, folder):
        self.machine = machine
        self.folder = folder
        self.turn = 0
        os.makedirs(folder, mode=0o700, exist_ok=True)

    @property
    def passphrase(self):
        return items.PASSPHRASES[self.turn % 2]

    @property
    def next_passphrase(self):
        return items.PASSPHRASES[(self.turn + 1) % 2]

    def versions(self):
        raise NotImplementedError

    def fill(self, count):
        """Makes a store of so many items by the quickest way there is; gives back how long that took, without making keys."""
        raise NotImplementedError

    def importing(self, count):
        """Makes a store of so many items as a person can; the same as `fill`, where not said otherwise."""
        return self.fill(count)

    def open(self):
        """Begins what counts as an open session."""

    def close(self):
        """Ends it. May be called twice, and at any time."""

    def ways(self):
        raise NotImplementedError

    @property
    def root(self):
        """The folder in which the store lies."""
        return os.path.dirname(self.files()[0])

    def files(self):
        """What is counted as the store's size."""
        raise NotImplementedError


def checked(condition, text):
    if not condition:
        raise Wrong(text)


def check_value(label, number, found):
    checked(found == items.value(number), f"{label}: {items.service(number)} holds something else than was put there")


def check_names(label, found, expected):
    checked(
        found == expected,
        f"{label}: the list has {len(found)} names instead of {len(expected)}, {len(expected - found)} of them are missing",
    )
