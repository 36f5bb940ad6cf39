"""A folder that brings each file late and takes each removal at once, as a program that copies it may: joining waits, and says for what."""

import os
import pathlib
import shutil
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount, wait_for  # noqa: E402
from support.sync_homes import SyncHome, shown_digits  # noqa: E402

REFUSED = 8
# Longer than a member waits for a message that was removed.
LATE = amount("TASKVAULT_LATE_SECONDS", 12)
PATIENCE = 20 * LATE


class Carrier:
    """Copies between two folders. A file comes as many seconds late as it was told, and a removal at once."""

    def __init__(self, folders):
        self.folders, self.carried, self.due, self.copied = folders, set(), {}, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def work(self):
        while not self.ended.wait(0.1):
            self.step()

    def files(self, folder):
        return {path.relative_to(folder) for path in pathlib.Path(folder).rglob("*") if path.is_file() and not path.name.startswith(".")}

    def step(self):
        sides = [self.files(folder) for folder in self.folders]
        for path in list(self.carried):
            if not all(path in side for side in sides):
                for folder in self.folders:
                    pathlib.Path(folder, path).unlink(missing_ok=True)
                self.carried.discard(path)
        for (source, target), side, other in zip((self.folders, reversed(self.folders)), sides, reversed(sides)):
            for path in side - other - self.carried:
                if time.monotonic() >= self.due.setdefault((source, path), time.monotonic() + LATE):
                    self.carry(pathlib.Path(source, path), pathlib.Path(target, path), path)
        self.carried |= sides[0] & sides[1]

    def carry(self, source, target, path):
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(".part-" + target.name)
        try:
            shutil.copy(source, part)
        except FileNotFoundError:
            return
        os.replace(part, target)
        self.carried.add(path)
        self.copied += 1


def exchange(first, second, folders, answer):
    """Both persons at their terminals. `answer` makes of the member's digits those that are typed. Both exit codes, and both screens."""
    for home in (first, second):
        home.unlock()
    with second.session("sync", "join", "--folder", folders[1], "--name", "second") as joining, first.session("device", "approve") as approving:
        joining.wait_for("type these digits on the ", PATIENCE)
        joining.looked = 0
        shown = shown_digits(joining)
        approving.wait_for("the new device has begun; waiting until its keys come", PATIENCE)
        approving.wait_for("Digits of the new device", PATIENCE)
        approving.type(shown + "\n")
        joining.answer("Digits of the other device", answer(shown_digits(approving)))
        codes = approving.finish(PATIENCE), joining.finish(PATIENCE)
        seen = approving.seen.decode(), joining.seen.decode()
    for home in (first, second):
        home.expect(0, "lock")
    return codes, seen


def names(home):
    return {device["name"] for device in home.json("device", "list")["devices"]}


def main():
    homes = [SyncHome("first"), SyncHome("second")]
    first, second = homes
    folders = [os.path.join(home.folder, "shared") for home in homes]
    for folder in folders:
        os.mkdir(folder, 0o700)
    try:
        with Carrier(folders) as carrier:
            for home in homes:
                # Else a person whose verification ended meanwhile types the passphrase again.
                home.direct("settings", "set", "verification-window", "15m")
            first.save("mail.example", "hunter2")
            first.direct("sync", "enable", "--folder", folders[0], "--name", "first")
            found = second.direct("sync", "join", "--folder", folders[1], "--recovery-code", data=second.recovery_code.encode() + b"\n", code=5)
            assert b"wait until the folder was copied" in found.stderr, found.stderr
            wait_for("the group is there", lambda: any(len(name) == 32 for name in os.listdir(folders[1])), PATIENCE)
            codes, seen = exchange(first, second, folders, lambda digits: "000 000" if digits != "000 000" else "000 001")
            assert codes == (REFUSED, REFUSED), (codes, seen)
            assert "was removed again" in seen[0] and names(first) == {"first"}, seen
            print("control: digits that the new device refuses remove it again")
            start = time.monotonic()
            codes, seen = exchange(first, second, folders, lambda digits: digits)
            assert codes == (0, 0), (codes, seen)
            assert "waiting until its first change comes" in seen[0] and "waiting for the other device to add this one" in seen[1], seen
            took = time.monotonic() - start

            def same():
                for home in homes:
                    home.sync(code=None)
                return all(names(home) == {"first", "second"} and "mail.example" in home.entries() for home in homes)
            wait_for("both have the same", same, PATIENCE)
            assert second.value("mail.example") == "hunter2"
            boxes = [name for folder in folders for path in pathlib.Path(folder).glob("*/mailbox") for name in os.listdir(path)]
            assert not boxes, boxes
            print(f"proof: late-seconds={LATE} joined-seconds={round(took)} carried={carrier.copied}")
    finally:
        for home in homes:
            home.__exit__()


main()
