"""Machines that are put back, killed, wrong about the time, away for a year, or lost: nothing that was acknowledged and sent is lost."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount  # noqa: E402
from support.sync_homes import Pair  # noqa: E402

YEAR = "+365d"


def contents(home):
    items = json.loads(home.direct("secret", "export").stdout)["items"]
    return ({(item["service"], item["value_base64"]) for item in items}, {(task["name"], task["done"]) for task in home.tasks()})


def agree(pair, *services):
    pair.sync()
    first, second = (contents(home) for home in pair.homes[:2])
    assert first == second, first[0] ^ second[0] | first[1] ^ second[1]
    assert {name for name, _ in first[0]} >= set(services), (services, first)


def put_back():
    """An image of the first machine's disk is put back, and works on. It becomes a device of its own, all name it, and nothing is lost."""
    with Pair() as pair:
        first, second = pair.homes
        first.save("before.example", "before")
        pair.sync()
        image = first.folder + "-image"
        shutil.copytree(first.folder, image, ignore=shutil.ignore_patterns("shared", "*.sock"))
        try:
            first.save("sent.example", "sent before the image came back")
            first.add("sent task")
            pair.sync()
            for name in os.listdir(image):
                path = os.path.join(first.folder, name)
                # Its agent may be removing its socket.
                shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)
                shutil.move(os.path.join(image, name), path)
        finally:
            shutil.rmtree(image, ignore_errors=True)
        first.save("image.example", "of the image")
        names = first.codes()
        assert names == {"device_copied"}, names
        second.save("later.example", "later")
        agree(pair, "before.example", "sent.example", "image.example", "later.example")
        assert second.codes() == {"device_copied"} and {"sent task"} <= set(first.task_names())
        # The device that it was is removed; the new one is not.
        second.direct("device", "remove", "first", "--yes")
        first.save("last.example", "last")
        agree(pair, "last.example")
        return names


def copied():
    """A disk is copied, and both halves change different entries and the same one. Each of the changes counts."""
    with Pair() as pair:
        first, second = pair.homes
        first.save("same.example", "before")
        first.save("gone.example", "before")
        pair.sync()
        half = first.folder + "-half"
        shutil.copytree(first.folder, half, ignore=shutil.ignore_patterns("shared", "half", "*.sock"))

        def exchange():
            """The other half is at the place of this one."""
            for name in os.listdir(half):
                path, other = os.path.join(first.folder, name), os.path.join(half, name)
                os.rename(path, path + "-away")
                os.rename(other, path)
                os.rename(path + "-away", other)

        try:
            first.save("original.example", "one")
            first.update("same.example", "of the original")
            first.add("task of the original")
            first.sync()
            exchange()
            first.save("copy.example", "two")
            first.update("same.example", "of the copy")
            first.add("task of the copy")
            first.direct("secret", "remove", "gone.example", "ada", "--yes")
            assert first.codes() == {"device_copied"}
            for _ in range(2):
                agree(pair, "original.example", "copy.example", "same.example")
                assert second.value("same.example") == "of the copy" and "gone.example" not in second.entries()
                assert {"task of the original", "task of the copy"} <= set(second.task_names())
                exchange()
            assert len(second.json("device", "list")["devices"]) == 3
        finally:
            shutil.rmtree(half, ignore_errors=True)
        return 2


def killed(count):
    """Rounds are killed after more and more time. Some must have been cut off."""
    with Pair() as pair:
        start = time.monotonic()
        pair.first.sync()
        whole, cut = time.monotonic() - start, 0
        for number in range(count):
            pair.first.save(f"first{number}.example", "value")
            pair.second.add(f"task {number}")
            for home in pair.homes:
                process = subprocess.Popen(home.words("sync", "now", "--no-agent", "--passphrase-file", home.secret_file), env=home.environment,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                time.sleep(whole * (number + 0.5) / count)
                cut += process.poll() is None
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        agree(pair, *(f"first{number}.example" for number in range(count)))
        assert len(pair.first.task_names()) == count and cut > count // 2, (pair.first.task_names(), cut)
        return cut


def clocks():
    """A machine of 1999, then of 2038. Its values are kept, the others' changes win after that, and the wrong clock is named."""
    if not shutil.which("faketime"):
        print("not run: faketime is missing")
        return 0
    with Pair() as pair:
        first, second = pair.homes
        first.save("mail.example", "one")
        pair.sync()
        for day in ("1999-01-01 00:00:00", "2038-02-01 00:00:00"):
            second.beneath = ["faketime", day]
            second.update("mail.example", day)
            second.save(f"at{day[:4]}.example", "value")
            second.sync()
            if day.startswith("2038"):
                found = first.codes()
                assert "clock_ahead" in found, found
            agree(pair, f"at{day[:4]}.example")
            assert first.value("mail.example") == day
            # What the first one writes now is newer, whatever the clock of the other says.
            first.update("mail.example", f"after {day}")
            agree(pair)
            assert second.value("mail.example") == f"after {day}", second.value("mail.example")
        second.beneath = []
        agree(pair, "at1999.example", "at2038.example")
        return 2


def away():
    """A device changes what the other one removed, and comes back after a year."""
    if not shutil.which("faketime"):
        return 0
    with Pair() as pair:
        first, second = pair.homes
        first.save("old.example", "one")
        first.save("gone.example", "one")
        task = first.add("old task")
        pair.sync()
        second.update("old.example", "changed while away")
        second.direct("task", "edit", task, "--notes", "written while away")
        for service in ("old.example", "gone.example"):
            first.direct("secret", "remove", service, "ada", "--yes")
        first.direct("task", "remove", task, "--yes")
        first.sync()
        for home in pair.homes:
            home.beneath = ["faketime", "-f", YEAR]
        for _ in range(2):
            first.sync()
            first.direct("secret", "list")
        agree(pair, "old.example")
        assert second.value("old.example") == first.value("old.example") == "changed while away"
        assert "gone.example" not in second.entries() and "old task" in first.task_names()
        return 1


def lost():
    """The last device is lost. The code alone opens the group, and the lost one gets nothing more."""
    with Pair(joined=False) as pair:
        first, second = pair.homes
        pair.enable()
        first.save("mail.example", "hunter2")
        first.add("buy milk")
        code = json.loads(first.direct("recovery", "show-new", "--json").stdout)["recovery_code"]
        first.sync()
        second.direct("sync", "join", "--folder", pair.shared, "--name", "second", "--recovery-code", data=code.encode() + b"\n")
        second.direct("device", "remove", "first", "--yes")
        second.save("new.example", "after the loss")
        second.sync()
        assert (second.value("mail.example"), second.task_names()) == ("hunter2", ["buy milk"])
        assert first.sync(code=None)["code"] == "device_removed"
        assert "new.example" not in first.entries()
        return 1


def main():
    names = put_back()
    rounds = amount("TASKVAULT_KILLED_ROUNDS", 12)
    cut = killed(rounds)
    figures = copied() + clocks() + away() + lost()
    print("control: what was not put back, killed or removed agrees; the named problems are " + ", ".join(sorted(names)))
    print(f"proof: killed-rounds={cut} machines={figures + 1}")


main()
