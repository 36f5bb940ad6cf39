"""The list of sabotages: one file for each in the folder `sabotages`.

    What it does: what is gained by it.
    file: Sources/Room/Module/File.swift
    tests: ModuleTests.SomeTests OtherTests
    needs: root
    --- text
    what occurs exactly once in the file
    --- replacement
    what stands there instead
    --- end

`tests` are test targets, suites of theirs (`Target.Suite`), or tests (`Target.Suite/function`). The first one is expected to notice. There may be several pairs of text and replacement.
`needs: root` stands there only where the tests that notice are skipped for anybody else.
"""

import hashlib
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "sabotages"
EDIT = re.compile(r"--- text\n(.+?)\n--- replacement\n(.*?)\n?--- end\n", re.DOTALL)


class OutOfDate(Exception):
    """The list and the code do not fit together."""


class Sabotage:
    def __init__(self, path):
        self.name = path.stem
        text = path.read_text()
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        head = text.partition("--- text\n")[0]
        self.what, *lines = head.splitlines()
        fields = dict(line.split(": ", 1) for line in lines)
        self.file = fields.pop("file")
        self.filters = fields.pop("tests").split()
        self.needs_root = fields.pop("needs", None) == "root"
        self.edits = EDIT.findall(text)
        if fields or not self.edits or EDIT.sub("", text) != head:
            raise OutOfDate(f"{self.name}: not in the form of the list")

    @property
    def targets(self):
        return list(dict.fromkeys(filter.split(".")[0] for filter in self.filters))

    def applied(self, text):
        """A file's text with the sabotage in it."""
        for old, new in self.edits:
            if text.count(old) != 1:
                raise OutOfDate(f"{self.name}: its text occurs {text.count(old)} times in {self.file}")
            text = text.replace(old, new)
        return text


def load(names=()):
    """All sabotages, or those with these names. Those of one test target stand together, and in it those of one file."""
    found = {path.stem: Sabotage(path) for path in FOLDER.glob("*.sabotage")}
    unknown = [name for name in names if name not in found]
    if unknown:
        raise OutOfDate("there is no sabotage of this name: " + ", ".join(unknown))
    return sorted((found[name] for name in names or found), key=lambda one: (one.targets, one.file, one.name))


def problems(sabotages, root):
    """What does not fit the tree any more, in words."""
    for sabotage in sabotages:
        try:
            sabotage.applied((root / sabotage.file).read_text())
        except OutOfDate as error:
            yield str(error)
        except FileNotFoundError:
            yield f"{sabotage.name}: there is no file {sabotage.file}"
        for target in sabotage.targets:
            if not any(root.glob(f"Tests/*/{target}")):
                yield f"{sabotage.name}: there is no test target {target}"
