"""Files that commands make: for their owner only whatever the umask says, known by name, and no others where a command is killed.

    TASKVAULT_COMMAND_KILLS   how often each command is killed, at a random moment
"""

import ctypes
import hashlib
import os
import pathlib
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import CHEAP, Home, amount, kill, wait_for  # noqa: E402

KILLS = amount("TASKVAULT_COMMAND_KILLS", 6)
# A new vault is written under a name of its own before it gets the right one. It is sealed as any vault is, and stays if its writer is killed.
SEALED = re.compile(r"\.taskvault-[0-9a-f]+(-wal|-shm|-journal)?")
KNOWN = re.compile(
    r"(vault\.db|tasks\.db|tasks\.old-?\d*\.db|copy\.db|vault\.db\.([a-z]+-\d+|old))(-wal|-shm|-journal)?|agent\.sock|settings(\.new)?|machine(\.\w+)?"
    r"|backup-keys?|log|[0-9a-f]{32}(\.(new|old|list))?|[0-9a-f]{32}-[0-9a-f]{32}(\.1)?|taskvault|rollback|slot-uses|sign-in|lock|.*\.lock|home|state|run|tmp"
    r"|\.taskvault-scratch-[0-9a-f]+")
# These are fine after a kill, and gone when the next one has changed the same file.
UNFINISHED = re.compile(r"(\.new|-wal|-shm|-journal)$|^\.taskvault-scratch-")
COMMANDS = [
    ("secret set mail.example ada --replace", b"a value"), ("secret get mail.example ada", b""), ("secret update mail.example ada", b"another"),
    ("secret edit mail.example ada --label x", b""), ("secret generate wifi home --replace", b""), ("secret list", b""),
    ("task add buy milk", b""), ("task add --protected", b"words\n"), ("task list", b""), ("task done --all --yes", b""), ("task clear", b""),
    ("task export", b""), ("settings set idle-limit 10m", b""), ("settings set task-order name", b""), ("status", b""),
    ("backup copy.db", b""), ("verify", None), ("doctor", None), ("rekey", None), ("unlock", None), ("recovery show-new", None),
    ("passphrase change", None), ("restore copy.db --replace", None), ("secret export", None), ("unlock", None), ("lock", b""),
    # The one before was removed, and not by the program.
    ("init --home second --accept-other " + " ".join(CHEAP), None)]


class Notices(threading.Thread):
    """Every file that is made below some folders, while it is there: the corresponding C functions are those of inotify."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.library = ctypes.CDLL(None)
        self.descriptor = self.library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self.folders, self.made, self.open_to_others, self.seen = {}, set(), set(), 0
        self.folder, self.over = folder, False
        self.watch(folder)

    def watch(self, folder):
        number = self.library.inotify_add_watch(self.descriptor, folder.encode(), 0x100 | 0x80)
        self.folders[number] = folder
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            return
        for name in names:
            self.note(os.path.join(folder, name))

    def note(self, path):
        self.made.add(path)
        self.seen += 1
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return
        if stat.S_IMODE(mode) & 0o077 and not stat.S_ISLNK(mode):
            self.open_to_others.add((path, oct(mode)))
        if stat.S_ISDIR(mode):
            self.watch(path)

    def run(self):
        while not self.over:
            try:
                content = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                time.sleep(0.0005)
                continue
            while content:
                number, _, _, size = struct.unpack("iIII", content[:16])
                name = content[16:16 + size].rstrip(b"\0").decode()
                content = content[16 + size:]
                if name and number in self.folders:
                    self.note(os.path.join(self.folders[number], name))

    def end(self):
        # It still watches when all is done.
        last = os.path.join(self.folder, "tmp", "last")
        pathlib.Path(last).touch(0o600)
        wait_for("the last file is seen", lambda: last in self.made)
        self.over = True
        self.join()
        os.close(self.descriptor)


def start(home, words, data):
    lines = (home.passphrase + "\n" + home.passphrase + "\n").encode() if data is None else data
    words = words.split() + (["--passphrase-file", "-"] if data is None else [])
    process = subprocess.Popen(
        home.words(*words), env=home.environment, cwd=home.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.umask(0))
    try:
        process.stdin.write(lines)
        process.stdin.close()
    except BrokenPipeError:
        pass
    return process


def unknown(home):
    """Files that no document names."""
    return {path for path in made_below(home.folder) if not KNOWN.fullmatch(os.path.basename(path)) and not is_sealed(path)}


def is_sealed(path):
    if not SEALED.fullmatch(os.path.basename(path)):
        return False
    try:
        content = pathlib.Path(path).read_bytes()
    except FileNotFoundError:
        # It has got its name.
        return True
    assert not any(word in content for word in (b"a value", b"another", b"words", b"mail.example", b"buy milk")), path
    sealed.add(path)
    return True


sealed = set()


def made_below(folder):
    return {os.path.join(path, name) for path, folders, files in os.walk(folder) for name in folders + files}


def whole(home, notices):
    """Each command to its end, nothing open to others at any moment."""
    for words, data in COMMANDS:
        process = start(home, words, data)
        code = process.wait(120)
        assert code == 0, (words, code)
        if words.startswith("backup") or words.startswith("init"):
            time.sleep(0.02)
    home.end_agent()
    notices.end()
    assert not notices.open_to_others, notices.open_to_others


def killed(chance):
    """Each command killed at a random moment: what lies there then is known by name, for the owner only, and nothing is in TMPDIR."""
    count = 0
    for words, data in COMMANDS:
        with Home() as home:
            home.environment["XDG_RUNTIME_DIR"] = home.folder + "/run"
            os.mkdir(home.folder + "/run", 0o700)
            home.unlock()
            home.expect(0, "secret", "set", "mail.example", "ada", data=b"a value")
            if words.startswith("restore"):
                home.expect(0, "backup", "copy.db")
            seconds = 0.02
            for number in range(KILLS):
                begin = time.monotonic()
                process = start(home, words, data)
                if number:
                    time.sleep(chance.random() * seconds)
                    kill(process.pid, signal.SIGKILL)
                process.wait(120)
                if not number:
                    seconds = time.monotonic() - begin
                strange = {path for path in unknown(home) if "/second" not in path}
                assert not strange, (words, strange)
                assert os.listdir(home.folder + "/tmp") == [], (words, os.listdir(home.folder + "/tmp"))
                for path in made_below(home.folder):
                    try:
                        mode = os.lstat(path).st_mode
                    except FileNotFoundError:
                        # The agent goes on, and has put it in its place.
                        continue
                    assert not stat.S_IMODE(mode) & 0o077, (words, path, oct(mode))
                count += 1
                if words.startswith(("backup", "init")):
                    for path in (home.folder + "/copy.db", home.folder + "/second"):
                        shutil.rmtree(path, ignore_errors=True)
                        if os.path.exists(path):
                            os.unlink(path)
                    # Another vault at the same place would need the owner's word.
                    record_of(home, home.folder + "/second/vault.db").unlink(missing_ok=True)
            # What was killed leaves nothing for good: what changes the same file next takes it away. Only the next restore takes the journal of
            # one that was killed when SQLite had invalidated it already.
            code = start(home, words, data).wait(120)
            assert code == 0, (words, code)
            settle(home)
            assert not unfinished(home), (words, unfinished(home))
    return count


def unfinished(home):
    """Files that are about to take the place of others, and logs. Rollback records are written in place."""
    return {path for path in made_below(home.folder) if UNFINISHED.search(os.path.basename(path)) and not SEALED.fullmatch(os.path.basename(path))}


def record_of(home, vault):
    """The file of a vault's rollback record, by section 8 of Docs/Format.md."""
    name = hashlib.blake2b(b"TVPL" + os.path.realpath(vault).encode(), digest_size=16).hexdigest()
    return pathlib.Path(home.folder, "state/taskvault/rollback", name)


def settle(home):
    """One command for each file that commands change, and the agent's end."""
    home.expect(0, "settings", "set", "task-order", "created")
    home.expect(0, "task", "add", "the next one")
    home.unlock()
    home.expect(0, "secret", "set", "next", "one", "--replace", data=b"another")
    home.end_agent()
    assert pathlib.Path(home.path, "settings").read_text().splitlines() == ["task-order = created"]


def killed_at_renaming():
    """Commands killed when a file is complete and has not got its name yet, or before a rollback record is written: what they leave is seen, does
    not count, and goes with the next change."""
    if not shutil.which("strace"):
        print("not run: kills before a file gets its name, strace is missing")
        return
    with Home() as home:
        home.expect(0, "settings", "set", "task-order", "name")
        record = record_of(home, home.vault)
        old = record.read_bytes()
        secret = ["secret", "set", "mail.example", "ada", "--no-agent", "--passphrase-file", "-"]
        for call, more, words, lines in (
                ("rename", [], ["settings", "set", "task-order", "due"], ()), ("pwrite64", ["-P", str(record)], secret, [home.passphrase, "a value"])):
            trace = ["strace", "-f", "-qq", "-o", home.folder + "/tmp/trace", *more, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL"]
            home.beneath = trace
            assert home.run(*words, lines=lines).returncode == -signal.SIGKILL, words
            home.beneath = []
        left = {os.path.basename(path) for path in unfinished(home)}
        assert {"settings.new", "vault.db-wal"} <= left, left
        assert record.read_bytes() == old, "a rollback record was written before the kill"
        assert home.expect(0, "settings", "get", "task-order").stdout == b"name\n", "settings that were not finished count"
        os.remove(home.folder + "/tmp/trace")
        settle(home)
        assert not unfinished(home), unfinished(home)
        assert record.read_bytes() != old
    print(f"control: a kill leaves {', '.join(sorted(left))}, removed by the next change")


def main():
    chance = random.Random(int(os.environ.get("TASKVAULT_ROUND") or 0))
    with Home() as home:
        notices = Notices(home.folder)
        notices.start()
        # One that is open to others, and gone at once: again and again, because a busy machine may look too late.
        line = ["/bin/sh", "-c", f"umask 0; touch {home.folder}/tmp/open; sleep 0.05; rm {home.folder}/tmp/open"]
        wait_for("it is seen", lambda: subprocess.run(line, check=True) and notices.open_to_others)
        assert notices.open_to_others == {(home.folder + "/tmp/open", "0o100666")}, notices.open_to_others
        print("control: a world-readable file is detected, even if removed at once")
        notices.open_to_others.clear()
        home.unlock()
        whole(home, notices)
        seen = notices.seen
    killed_at_renaming()
    count = killed(chance)
    figures = f"kills={count} left-in-the-clear=0 left-unfinished=0 left-sealed={len(sealed)}"
    print(f"proof: commands={len(COMMANDS)} files-seen={seen} open-to-others=0 {figures}")


main()
