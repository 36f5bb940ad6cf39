"""What somebody else may put where a vault, its folder, a backup or a passphrase file is looked for: in a sticky folder of everybody, such as
/tmp, as a user without privileges, through the executable. Nothing of the other's is followed, changed, waited for or told a passphrase.
"""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import CHEAP, OTHER, Home, is_running, kill, not_run, wait_for  # noqa: E402

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
            print("not run: a device in the place, none can be made here; a pipe instead")
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


WHERE = ["vault", "home", "tasks", "backup"]
KINDS = ["link to a file", "link to nothing", "link to a folder", "pipe", "device", "folder", "file of another", "hard link", "socket"]


def arrange(home, name, where):
    """A sticky folder of everybody with a folder of the owner's in it; the places that commands are told, and the one that is about to be taken."""
    sticky = os.path.join(base, f"sticky-{name.replace(' ', '-')}-{where}")
    os.mkdir(sticky)
    os.chmod(sticky, 0o1777)
    folder = sticky + "/folder"
    os.mkdir(folder, 0o700)
    os.chown(folder, OWNER, OWNER)
    place = {"folder": folder, "home": sticky + "/home", "file": sticky + "/copy.db"}
    spot = {"vault": folder + "/vault.db", "home": place["home"], "tasks": folder + "/tasks.db", "backup": place["file"]}[where]
    if where == "tasks":
        put(home.vault, folder + "/vault.db")
    return sticky, place, spot


def put(good, path):
    """A copy of a file, as its owner's own."""
    shutil.copy(good, path)
    os.chmod(path, 0o600)
    os.chown(path, OWNER, OWNER)


def good_file(home, where):
    return home.path + ("/tasks.db" if where == "tasks" else "/vault.db")


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


def is_refused(kind, where, words, spot, done):
    """Whether it was refused for what lies there, which is named: not for how the command was written."""
    # What is no regular file is written, but only if it is the owner's or root's.
    if where == "backup" and kind in ("pipe", "device", "socket"):
        code, why = 8, "is not used"
    elif where == "backup" or (where == "vault" and words[0] == "init"):
        code, why = 6, "already"
    elif where == "home" and kind == "link to nothing":
        code, why = 5, "there is no"
    else:
        code, why = 8, "is not safe to use"
    message = done.stderr.decode()
    return done.returncode == code and why in message and spot in message and not done.stdout


def commands(home, place):
    """Commands whose vault, or whose other file, is at the place; what is refused is refused by every one of them."""
    line = [home.passphrase]
    vault = ["--home", place["folder"]]
    return [
        ("vault", ["init", *CHEAP, *vault, "--passphrase-file", "-"], line), ("vault", ["unlock", *vault, "--passphrase-file", "-"], line),
        ("vault", ["secret", "list", "--no-agent", *vault, "--passphrase-file", "-"], line),
        ("vault", ["secret", "set", "a", "b", "--no-agent", *vault, "--passphrase-file", "-"], [*line, "a value"]),
        ("vault", ["doctor", *vault, "--passphrase-file", "-"], line),
        ("vault", ["backup", home.folder + "/never.db", *vault], []),
        ("home", ["init", *CHEAP, "--home", place["home"], "--passphrase-file", "-"], line),
        ("home", ["secret", "list", "--no-agent", "--home", place["home"], "--passphrase-file", "-"], line),
        ("tasks", ["task", "add", "words", *vault], []), ("tasks", ["task", "list", *vault], []),
        ("backup", ["backup", place["file"]], [])]


def back_up(home):
    """The first backup gives the vault the key for them, with which a locked vault is backed up, too."""
    home.unlock()
    home.expect(0, "backup", home.path + "/first")
    home.expect(0, "lock")


def own_files(home):
    """Each command where what it looks for is its user's own, or where it makes something and nothing is there: all of them have to work."""
    count = 0
    # The vault at last: a copy of it as it was before a change would be refused as an older one.
    for where in reversed(WHERE):
        _, place, spot = arrange(home, "own", where)
        if where == "home":
            os.mkdir(spot, 0o700)
            os.chown(spot, OWNER, OWNER)
            put(home.vault, spot + "/vault.db")
        elif where != "backup":
            put(good_file(home, where), spot)
        empty = arrange(home, "empty", where)[1]
        try:
            for number, (what, words, lines) in enumerate(commands(home, place)):
                if what != where:
                    continue
                if words[0] == "init":
                    words = commands(home, empty)[number][1]
                done = run(home, words, lines)
                assert done.returncode == 0, (where, words, done)
                count += 1
        finally:
            end_agent(home, place["folder"])
    return count


def end_agent(home, folder):
    if process := json.loads(home.run("status", "--json", "--home", folder).stdout or "{}").get("process_id"):
        kill(process, signal.SIGTERM)
        wait_for("the agent has ended", lambda: not is_running(process))


if os.geteuid() != 0:
    not_run("needs the administrator, to act as two users")
tries = refused = 0
base = tempfile.mkdtemp(prefix="taskvault-proof-")
os.chmod(base, 0o755)
try:
    with Home(user=OWNER) as home:
        home.expect(0, "task", "add", "a task")
        back_up(home)
        print(f"control: all {own_files(home)} commands work in such a folder with the user's own files, or with none yet")
    with Home(user=OWNER) as home:
        home.expect(0, "task", "add", "a task")
        back_up(home)
        for kind in KINDS:
            for where in WHERE:
                sticky, place, spot = arrange(home, kind, where)
                plant(kind, spot, good_file(home, where))
                before = tree(sticky)
                for what, words, lines in commands(home, place):
                    if what != where:
                        continue
                    done = run(home, words, lines)
                    tries += 1
                    assert is_refused(kind, where, words, spot, done), (kind, where, words, done.stderr.decode()[-300:])
                    assert not os.path.lexists(home.folder + "/never.db"), (kind, where, words)
                    refused += 1
                changed = {path: entry for path, entry in tree(sticky).items() if before.get(path) != entry}
                gone = set(before) - set(tree(sticky))
                # A command may make its own files beside; what the stranger put there stays as it is.
                assert not gone and not any(path in before for path in changed), (kind, where, changed.keys(), gone)
finally:
    shutil.rmtree(base)
print(f"proof: tries={tries} refused={refused} followed=0")
