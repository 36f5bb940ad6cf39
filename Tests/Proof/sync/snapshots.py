"""Snapshots that the folder, or the server, shows to a device that joins: an old one, one of another device's place, a cut one, and one that a thief announces.

The folder changes while the member is stopped, between its digits and those of the new device.
"""

import os
import pathlib
import re
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import not_run, wait_for  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from support.sync_homes import Pair, SyncHome, shown_digits  # noqa: E402
from sync.forging import Forger, put_snapshot, stolen  # noqa: E402
from syncformat.keys import LIST  # noqa: E402


def blobs(pair):
    """The files of snapshots."""
    return sorted(path for path in pathlib.Path(pair.group).glob("*/*") if re.fullmatch("[0-9a-f]{64}", path.name) and len(path.parent.name) == 32)


def snapshot(pair, number):
    """Lets the first device make a snapshot: something that was sent in the open is protected. Its files."""
    first, second = pair.homes[:2]
    before = set(blobs(pair))
    service = f"bank{number}.example"
    first.save(service, f"value {number}")
    first.add(f"task {number}")
    pair.sync(first, second)
    first.direct("secret", "edit", service, "ada", "--class", "after-verification")
    pair.sync(first, second)

    def made():
        # It acknowledges by a change of its own.
        second.save(f"heard{len(second.entries())}.example", "heard")
        pair.sync(first, second)
        return set(blobs(pair)) - before
    return wait_for("a snapshot is made", made, 120)


def chains(pair):
    return [path for path in pathlib.Path(pair.group).iterdir() if re.fullmatch("[0-9a-f]{32}", path.name)]


def shown(pair, show, right):
    """A device joins. `show` changes the folder before it takes anything. What it then has, and the codes that its rounds name."""
    home, member = SyncHome("third"), pair.first
    try:
        # Three attempts in an hour are possible.
        pathlib.Path(member.sync_folder, "attempts").unlink(missing_ok=True)
        pair.sign_in(home)
        for each in (home, member):
            each.unlock()
        with home.session("sync", "join", *pair.remote(), "--name", "third") as joining, member.session("device", "approve") as approving:
            approving.answer("Digits of the new device", shown_digits(joining))
            digits = shown_digits(approving)
            os.kill(approving.process.pid, signal.SIGSTOP)
            try:
                if show:
                    show()
                joining.answer("Digits of the other device", digits)
                code = joining.finish()
                assert code == 0, (code, joining.seen)
                found = home.codes(), dict(home.entries()), home.task_names()
                if show:
                    put_chains(pair, right)
            finally:
                os.kill(approving.process.pid, signal.SIGCONT)
            assert approving.finish(120) == 0, approving.seen
        for each in (home, member):
            each.expect(0, "lock")
        pair.sync(member, pair.second, home)
        assert home.entries().keys() == member.entries().keys() and home.task_names() == member.task_names(), (home.entries(), home.task_names())
        assert home.value("bank1.example") == "value 1"
        member.direct("device", "remove", "third", "--yes")
        pair.sync(member, pair.second)
        return found
    finally:
        home.__exit__()


def put_chains(pair, copy):
    """The segments and snapshots of a copy in the place of those that are there. Statements and mailbox stay."""
    for path in chains(pair):
        shutil.rmtree(path)
    for path in pathlib.Path(copy, os.path.basename(pair.group)).iterdir():
        if re.fullmatch("[0-9a-f]{32}", path.name):
            shutil.copytree(path, pathlib.Path(pair.group, path.name))


def main():
    named = set()
    with Pair() as pair:
        first = pair.first
        snapshot(pair, 1)
        old = pair.copy()
        snapshot(pair, 2)
        first.save("later.example", "later")
        pair.sync()
        everything = first.entries().keys()
        found = shown(pair, None, None)
        assert found[1].keys() == everything and not found[0], found
        print("control: with the folder as it is, the new device begins at the snapshot and has everything")

        def cut():
            for path in blobs(pair):
                path.write_bytes(path.read_bytes()[:-1])

        def exchanged():
            one, other = blobs(pair)[:2]
            left, right = one.read_bytes(), other.read_bytes()
            one.write_bytes(right)
            other.write_bytes(left)

        def gone():
            for path in blobs(pair):
                path.unlink()

        def forged():
            """That of the thief of a locked machine, who has the keys of the list."""
            gone()
            announcing = put_snapshot(Forger(stolen(pair, first, LIST)))
            for path in announcing.parent.iterdir():
                if path.name.isdigit() and len(path.name) < 20 and int(path.name) < int(announcing.name):
                    path.unlink()

        attacks = {"old": lambda: put_chains(pair, old), "cut": cut, "exchanged": exchanged, "gone": gone, "forged": forged}
        for what, show in attacks.items():
            right = pair.copy()
            codes, entries, tasks = shown(pair, show, right)
            # Nothing of the other devices is there, never an old state. Of the list, which has no snapshot, the first changes can be.
            assert codes and not entries and set(tasks) <= set(pair.first.task_names()), (what, codes, entries, tasks)
            assert what != "old" or "snapshot_old" in codes, codes
            assert what != "forged" or "change_invalid" in codes and not tasks, (codes, tasks)
            named |= codes
            shutil.rmtree(right)
    print(f"proof: snapshots={len(attacks)} names={len(named)}")
    print("named: " + ", ".join(sorted(named)))


main()
