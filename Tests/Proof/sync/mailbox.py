"""A mailbox in the middle of joining: it has an exchange with each machine, and real persons type what they see.

Each machine has a folder of its own, and the attacker carries statements and segments between them, and messages of its own.
"""

import os
import pathlib
import secrets
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount, not_run, wait_for  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from support.sync_homes import Pair, shown_digits  # noqa: E402
from syncformat.joining import commitment, digits, message, read_message  # noqa: E402
from syncformat.keys import VERIFIED, NewMember, signature  # noqa: E402
from syncformat.statements import CREATE, DEVICE, Statement, consent_text  # noqa: E402
from vaultformat.encoding import u8  # noqa: E402

REFUSED, CHANGED = 8, 7


class Middle:
    """Two folders: that of the member and that of the new device."""

    def __init__(self, pair):
        self.pair, self.member = pair, pathlib.Path(pair.shared)
        self.newcomer = pathlib.Path(pair.second.folder, "shown")
        shutil.copytree(self.member, self.newcomer)
        name = os.path.basename(pair.group)
        self.group = bytes.fromhex(name)
        self.boxes = {side: side / name / "mailbox" for side in (self.member, self.newcomer)}
        for box in self.boxes.values():
            box.mkdir(exist_ok=True)
        self.create = next(found.id for path in (self.member / name / "members").iterdir() if (found := Statement.decode(path.read_bytes())).kind == CREATE)

    def wait(self, side, number, ended=lambda: None):
        """A message of a machine, once it is complete; None if the machine has ended before."""
        def found():
            for path in self.boxes[side].glob(f"*-{number}"):
                return path.read_bytes()
            return b"" if ended() is None else b"ended"
        data = wait_for(f"message {number}", found, 60)
        return None if data == b"ended" else read_message(data)

    def put(self, side, exchange, number, content):
        (self.boxes[side] / f"{exchange.hex()}-{number}").write_bytes(message(self.group, exchange, number, content))

    def clear(self):
        for box in self.boxes.values():
            for path in box.iterdir():
                path.unlink()

    def opening(self, keys, value):
        return u8(DEVICE) + keys.keys + signature(consent_text(self.group, DEVICE, keys.keys), keys.parts[VERIFIED][1]) + value

    def devices(self):
        return {device["name"] for device in self.pair.first.json("device", "list")["devices"]}

    def nothing_happened(self, sent_before):
        """No device was added, and the new one sent nothing of its own and took nothing."""
        assert self.devices() == {"first"}, self.devices()
        assert self.pair.second.run("sync", "status", "--json").returncode == 5
        chains = {path.name for path in (self.newcomer / self.group.hex()).iterdir() if len(path.name) == 32}
        assert chains == sent_before, chains - sent_before
        assert not self.pair.second.entries().keys() & {"mail.example"}


class Exchanges:
    """Two exchanges of an attacker: as a new device with the member, and as a member with the new device."""

    def __init__(self, middle, opens_other_keys=False, forges_create=False):
        self.middle = middle
        self.as_newcomer, self.as_member = NewMember.random(), NewMember.random()
        self.value, self.member_value = secrets.token_bytes(32), secrets.token_bytes(32)
        self.exchange = secrets.token_bytes(16)
        self.other = NewMember.random() if opens_other_keys else self.as_newcomer
        self.create = secrets.token_bytes(32) if forges_create else middle.create

    def with_member(self, ended=lambda: None):
        """The digits that the member will expect; None if it has ended before it answered."""
        middle = self.middle
        committed = commitment(self.as_newcomer.keys, self.value)
        middle.put(middle.member, self.exchange, 1, committed)
        answer = middle.wait(middle.member, 2, ended)
        if not answer:
            return None
        keys, create, value = answer[3]
        middle.put(middle.member, self.exchange, 3, middle.opening(self.other, self.value))
        return digits(middle.group, create, self.other.keys, keys, committed, self.value, value)

    def with_newcomer(self):
        """The digits that the new device shows, and those that it expects."""
        middle = self.middle
        _, exchange, _, (committed,) = middle.wait(middle.newcomer, 1)
        middle.put(middle.newcomer, exchange, 2, self.as_member.keys + self.create + self.member_value)
        _, _, _, (keys, _, value) = middle.wait(middle.newcomer, 3)
        return digits(middle.group, self.create, keys, self.as_member.keys, committed, value, self.member_value)


def sessions(pair, middle):
    for home in pair.homes:
        home.unlock()
    return (pair.second.session("sync", "join", *pair.remote(middle.newcomer), "--name", "second"), pair.first.session("device", "approve"))


def both_typed(pair, middle, sent):
    """The person types on the member what the new device shows. The member refuses it, and shows nothing."""
    exchanges = Exchanges(middle)
    joining, approving = sessions(pair, middle)
    with joining, approving:
        first = exchanges.with_newcomer()
        expected = exchanges.with_member()
        shown = shown_digits(joining)
        assert shown.replace(" ", "") == first[0] and first[0] != expected[0]
        approving.answer("Digits of the new device", shown)
        assert approving.finish() == REFUSED, approving.seen
        assert b"type these digits on the new" not in approving.seen
        # The member has shown none, so the person has none to type.
        joining.answer("Digits of the other device", "000000" if first[1] != "000000" else "000001")
        assert joining.finish() == REFUSED, joining.seen
    middle.nothing_happened(sent)


def one_side_only(pair, middle, sent):
    """The attacker reads out the digits that the new device expects, on the telephone. It gets nothing: the attacker is no member."""
    exchanges = Exchanges(middle)
    joining, approving = sessions(pair, middle)
    with joining, approving:
        first = exchanges.with_newcomer()
        exchanges.with_member()
        approving.answer("Digits of the new device", shown_digits(joining))
        assert approving.finish() == REFUSED
        joining.answer("Digits of the other device", first[1])
        joining.wait_for("waiting for the other device to add this one")
        # It goes on waiting for statements that add it. None is there, and none can be made.
        middle.nothing_happened(sent)
        joining.type("\x03")
        assert joining.finish() != 0
    middle.nothing_happened(sent)


def chosen_opening(pair, middle, sent):
    """Other keys are opened than were committed to, once the member's value is known: a search would find digits that fit."""
    exchanges = Exchanges(middle, opens_other_keys=True)
    pair.first.unlock()
    with pair.first.session("device", "approve") as approving:
        exchanges.with_member()
        assert approving.finish() == CHANGED, approving.seen
        assert b"Digits of the new device" not in approving.seen
    middle.nothing_happened(sent)


def attempts(pair, middle, sent):
    """After three attempts in an hour, the member answers no more. Nobody types anything. One attempt was made before."""
    pair.first.unlock()
    tries = 1
    while True:
        middle.clear()
        with pair.first.session("device", "approve") as approving:
            # What it prints has to be read before it can end.
            if not Exchanges(middle).with_member(lambda: (approving.read(0), approving.process.poll())[1]):
                assert approving.finish() == REFUSED, approving.seen
                break
            approving.wait_for("Digits of the new device", 20)
            approving.type("\x03")
            approving.finish()
        tries += 1
    assert tries == 3, tries
    middle.nothing_happened(sent)
    return tries


def silent_tries(count):
    """Exchanges of an attacker that has to choose before it knows the other value: how often both machines would show the same digits.

    The control is an attacker without a commitment: it searches among as many values until the digits are those that are shown.
    """
    fixed = [secrets.token_bytes(size) for size in (16, 32, 192, 192, 192, 192, 32)]
    group, create, newcomer, member, own_newcomer, own_member, committed = fixed
    seen = both = 0
    for number in range(count):
        value = number.to_bytes(32, "little")
        left = digits(group, create, newcomer, own_member, committed, value, bytes(32))
        right = digits(group, create, own_newcomer, member, committed, bytes(32), value)
        seen += left[0] == right[0]
        both += left == right
    wanted = digits(group, create, newcomer, own_member, committed, bytes(32), bytes(32))[0]
    searched = next(number for number in range(50_000_000)
                    if digits(group, create, own_newcomer, member, committed, number.to_bytes(32, "little"), bytes(32))[0] == wanted)
    # Of a million one is expected; of more than twelve the chance is less than one in a thousand million.
    assert seen <= 2 + 12 * max(count // 1_000_000, 1) and both == 0, (seen, both)
    print(f"control: without a commitment, {searched + 1:,} values are tried until the digits are the same")
    return seen


def main():
    count = amount("TASKVAULT_SILENT_TRIES", 1_000_000)
    found = 0
    # Attempts count for an hour, so each attack has homes of its own.
    attacks = [both_typed, one_side_only, chosen_opening]
    for attack in attacks:
        with Pair(joined=False) as pair:
            pair.first.save("mail.example", "hunter2")
            pair.second.save("bank.example", "of the second")
            pair.enable()
            middle = Middle(pair)
            sent = {path.name for path in (middle.newcomer / middle.group.hex()).iterdir() if len(path.name) == 32}
            attack(pair, middle, sent)
            if attack is chosen_opening:
                tries = attempts(pair, middle, sent)
            found += 1
            if attack is both_typed:
                middle.clear()
                pair.join(pair.second)
                pair.sync()
                assert middle.devices() == {"first", "second"}
                print("control: the unchanged messages join the same machines")
    print(f"proof: exchanges={found + tries} tries={count} equal-digits={silent_tries(count)}")


main()
