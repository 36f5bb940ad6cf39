"""What somebody else may put where a vault, its folder, a backup or a passphrase file is looked for: in a sticky folder of everybody, such as
/tmp, as a user without privileges, through the executable. Nothing of the other's is followed, changed, waited for or told a passphrase.
"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import CHEAP, OTHER, Home, not_run  # noqa: E402

OWNER, STRANGER = OTHER, OTHER - 1


def plant(kind, path, good):
    """Something of the stranger's at a path; what would be changed if it were followed."""
    target = path + ".target"
    if kind == "link to a file":
        shutil.copy(good, target)
        os.symlink(target, path)
    elif kind == "link to nothing":
        os.symlink(target, path)
    elif kind == "link to a folder":
        os.mkdir(target)
        os.symlink(target, path)
    elif kind == "pipe":
        os.mkfifo(path, 0o666)
    elif kind == "device":
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            os.mkfifo(path, 0o666)
    elif kind == "folder":
        os.mkdir(path, 0o777)
    elif kind == "file of another":
        shutil.copy(good, path)
        os.chmod(path, 0o666)
    elif kind == "hard link":
        shutil.copy(good, target)
        os.link(target, path)
    elif kind == "socket":
        import socket
        socket.socket(socket.AF_UNIX).bind(path)
    for name in (path, target):
        if os.path.lexists(name):
            os.chown(name, STRANGER, STRANGER, follow_symlinks=False)
    return target


KINDS = ["link to a file", "link to nothing", "link to a folder", "pipe", "device", "folder", "file of another", "hard link", "socket"]


def tree(folder):
    """All that is below a folder, with kind, owner and content of files."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            full = os.path.join(path, name)
            status = os.lstat(full)
            content = b""
            if stat.S_ISREG(status.st_mode):
                with open(full, "rb") as file:
                    content = file.read()
            found[full] = (stat.S_IFMT(status.st_mode), status.st_uid, content)
    return found


def run(home, words, lines):
    try:
        return home.run(*words, lines=lines)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{words} waits for ever")


def commands(home, place):
    """Commands whose vault, or whose other file, is at the place; what is refused is refused by every one of them."""
    line = [home.passphrase]
    vault = ["--home", place["folder"]]
    return [
        ("vault", ["init", *CHEAP, *vault, "--passphrase-file", "-"], line), ("vault", ["unlock", *vault, "--passphrase-file", "-"], line),
        ("vault", ["secret", "list", "--no-agent", *vault, "--passphrase-file", "-"], line),
        ("vault", ["secret", "set", "a", "b", "--no-agent", *vault, "--passphrase-file", "-"], line), ("vault", ["doctor", *vault, "--passphrase-file", "-"], line),
        ("vault", ["backup", home.folder + "/never.db", *vault], []),
        ("home", ["init", *CHEAP, "--home", place["home"], "--passphrase-file", "-"], line),
        ("home", ["secret", "list", "--no-agent", "--home", place["home"], "--passphrase-file", "-"], line),
        ("tasks", ["task", "add", "words", *vault], []), ("tasks", ["task", "list", *vault], []),
        ("backup", ["backup", place["file"]], [])]


if os.geteuid() != 0:
    not_run("needs the administrator, to act as two users")
tries = refused = 0
base = tempfile.mkdtemp(prefix="taskvault-proof-")
os.chmod(base, 0o755)
try:
    with Home(user=OWNER) as home:
        home.expect(0, "task", "add", "a task")
        for kind in KINDS:
            for where in ("vault", "home", "tasks", "backup"):
                sticky = os.path.join(base, f"sticky-{kind.replace(' ', '-')}-{where}")
                os.mkdir(sticky)
                os.chmod(sticky, 0o1777)
                folder = sticky + "/folder"
                os.mkdir(folder, 0o700)
                place = {"folder": folder, "home": sticky + "/home", "file": sticky + "/copy.db"}
                spot = {"vault": folder + "/vault.db", "home": place["home"], "tasks": folder + "/tasks.db", "backup": place["file"]}[where]
                if where == "tasks":
                    shutil.copy(home.vault, folder + "/vault.db")
                    os.chmod(folder + "/vault.db", 0o600)
                    os.chown(folder + "/vault.db", OWNER, OWNER)
                plant(kind, spot, home.path + ("/tasks.db" if where == "tasks" else "/vault.db"))
                os.chown(folder, OWNER, OWNER)
                before = tree(sticky)
                for what, words, lines in commands(home, place):
                    if what != where:
                        continue
                    done = run(home, words, lines)
                    tries += 1
                    assert done.returncode not in (0, 1, 3, 4), (kind, where, words, done)
                    refused += 1
                changed = {path: entry for path, entry in tree(sticky).items() if before.get(path) != entry}
                gone = set(before) - set(tree(sticky))
                # A command may make its own files beside; what the stranger put there stays as it is.
                assert not gone and not any(path in before for path in changed), (kind, where, changed.keys(), gone)
        # The same commands where nothing is in the way.
        home.expect(0, "secret", "list", "--no-agent", "--passphrase-file", "-", lines=[home.passphrase])
        home.expect(0, "backup", home.folder + "/copy.db")
        print("control: the same commands work where the user's own files are")
finally:
    shutil.rmtree(base)
print(f"proof: tries={tries} refused={refused} followed=0")
