"""What a store shows to somebody who has its files, and whether an older copy of them is noticed when it is put back."""

import os
import shutil

from . import items
from .tool import Stopped, Wrong


def tried(machine, kinds):
    """For each tool, in words: where names can be read, and what became of the older copy."""
    found = {}
    for kind in kinds:
        folder = os.path.join(machine.folder, "notices-" + kind.name)
        tool = kind(machine, folder)
        try:
            found[kind.name] = {"names": "not tried", "older copy": "not tried"}
            found[kind.name] = {"names": names_of(tool), "older copy": older_copy_of(tool, os.path.join(folder, "older"))}
        except (Wrong, Stopped, OSError):
            # What does not work here does not work below either, and is named there.
            pass
        finally:
            tool.close()
            shutil.rmtree(folder, ignore_errors=True)
    return found


def names_of(tool):
    tool.fill(5)
    name = items.service(0)
    if any(name in path for path in tool.files()):
        return "file names show them"
    for path in tool.files():
        with open(path, "rb") as file:
            if name.encode() in file.read():
                return "in plaintext in the file"
    return "not in plaintext"


def older_copy_of(tool, older):
    # It must have been in use once, to know how old it is.
    tool.open()
    tool.close()
    root = tool.root
    copy(root, older)
    tool.open()
    tool.add()
    tool.close()
    shutil.rmtree(root)
    copy(older, root)
    tool.count -= 1
    try:
        tool.open()
        tool.read(0)
        # The one that was added after the copy is gone, and nothing says so.
        tool.list()
        return "accepted"
    except (Wrong, Stopped):
        return "refused"


def copy(source, target):
    shutil.copytree(source, target, ignore=lambda _, names: [name for name in names if name.endswith(".sock")])
    os.chmod(target, 0o700)
