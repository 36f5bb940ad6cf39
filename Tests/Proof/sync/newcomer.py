"""Two persons with new homes type what Docs/Syncing.md says, at terminals, and then wrong things. Each error says what to do, and loses nothing."""

import os
import pathlib
import re
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import EXECUTABLES, OTHER, ROOT, Home  # noqa: E402
from support.terminal import Session  # noqa: E402

TWO_MINUTES = 120
NOT_FOUND, EXISTS, REFUSED, INTERRUPTED = 5, 6, 8, 130
DIGITS = re.compile(rb"digits on [^:]*: (\d{3} \d{3})\r?\n")


class Person(Home):
    """A home as the system gives it, and one who types at its terminal."""

    def __init__(self):
        super().__init__(has_vault=False)
        self.environment["PATH"] = f"{EXECUTABLES}:{self.environment['PATH']}"
        del self.environment["TASKVAULT_HOME"]
        for name, place in (("DATA_HOME", "data"), ("CONFIG_HOME", "config"), ("STATE_HOME", "state"), ("RUNTIME_DIR", "run")):
            self.environment["XDG_" + name] = os.path.join(self.folder, place)
            os.mkdir(os.path.join(self.folder, place), 0o700)
        # What is asked again and again, and the answer.
        self.answers = {"passphrase: ": self.passphrase, "Passphrase: ": self.passphrase}

    def open(self, line):
        """A terminal in which the line runs."""
        return Session(["/bin/sh", "-c", "exec " + line], self.environment, self.folder)

    def read_to(self, session, wanted, seconds=60, answers=None):
        """Answers the questions until the screen shows something, or until the end."""
        answers, end = self.answers | (answers or {}), time.monotonic() + seconds
        start = session.looked = getattr(session, "looked", 0)
        while True:
            alive = session.process.poll() is None
            more = session.read()
            text = session.seen[start:]
            if wanted and (found := re.search(wanted, text)):
                session.looked = start + found.end()
                return found
            for question, answer in answers.items():
                at = session.seen.find(question.encode(), session.looked)
                if at >= 0:
                    session.looked = at + len(question)
                    session.type(answer + "\n")
                    break
            if not alive and not more:
                assert not wanted, f"ended without {wanted!r}: {session.seen[-400:]!r}"
                return None
            assert time.monotonic() < end, f"no {wanted!r}: {session.seen[-400:]!r}"

    def type(self, line, code=0, says="", **answers):
        """Types a line, and answers what it asks. What the screen shows."""
        with self.open(line) as session:
            self.read_to(session, None, answers={key.replace("_", " "): value for key, value in answers.items()})
            screen = session.seen.decode(errors="replace").replace("\r\n", "\n")
            assert session.finish() == code and says in screen, (line, session.process.returncode, screen)
            return screen


def commands():
    """The lines that the page tells someone to type who has no account."""
    page = (ROOT / "Docs/Syncing.md").read_text().split("Without an account")[1].split("##")[0]
    lines = re.findall(r"^    (taskvault .*)$", page, re.MULTILINE)
    assert [line.split()[1:3] for line in lines] == [["sync", "enable"], ["sync", "join"], ["device", "approve"]], lines
    return lines


def join(newcomer, member, lines, typed=lambda digits: digits):
    """Both read the digits of one terminal and type them at the other. Both exit codes, and both screens."""
    forget_attempts(newcomer, member)
    with newcomer.open(lines[0]) as joining:
        return exchange(newcomer, joining, member, lines[1], typed)


def exchange(newcomer, joining, member, line, typed=lambda digits: digits):
    with member.open(line) as approving:
        shown = newcomer.read_to(joining, DIGITS)[1].decode()
        member.read_to(approving, b"Digits of the new device")
        # A slip of the keyboard is asked again.
        approving.type("12345\n")
        member.read_to(approving, b"six digits, such as(.|\n)*Digits of the new device")
        approving.type(typed(shown) + "\n")
        if typed(shown) == shown:
            digits = member.read_to(approving, DIGITS)[1].decode()
            newcomer.read_to(joining, b"Digits of the other device")
            joining.type(digits + "\n")
        else:
            member.read_to(approving, None)
            newcomer.read_to(joining, b"Digits of the other device")
            joining.type("\x03")
        member.read_to(approving, None)
        newcomer.read_to(joining, None)
        return (joining.finish(), approving.finish()), joining.seen.decode(), approving.seen.decode()


def forget_attempts(*people):
    """Three in an hour are possible; here as if an hour had gone by."""
    for person in people:
        for path in pathlib.Path(person.folder, "state").rglob("attempts"):
            path.unlink()


def begun_again(newcomer, member, lines):
    """The new machine is interrupted and begins again, while the other one waits for what it was about to say: that one ends, and says so. Then
    both join."""
    forget_attempts(newcomer, member)
    with newcomer.open(lines[0]) as interrupted:
        newcomer.read_to(interrupted, b"now run taskvault device approve")
        interrupted.type("\x03")
        newcomer.read_to(interrupted, None)
        interrupted.finish()
    with member.open(lines[1]) as approving:
        member.read_to(approving, b"waiting until its keys come")
        with newcomer.open(lines[0]) as joining:
            newcomer.read_to(joining, b"now run taskvault device approve")
            member.read_to(approving, b"the new device says nothing more(.|\n)*begin again on both")
            member.read_to(approving, None)
            assert approving.finish() == REFUSED, approving.seen
            return exchange(newcomer, joining, member, lines[1])


def first_minutes(first, second):
    """What the page says, by two persons who know nothing else. The seconds from `sync enable` to the entries on both machines."""
    enable, join_, approve = commands()
    for person in (first, second):
        person.type("taskvault init", says="ecovery", **{"Create_a_passphrase:_": person.passphrase})
    first.type("taskvault secret set mail.example ada", **{"Value:_": "hunter2"})
    first.type("taskvault task add buy milk")
    second.type("taskvault secret set bank.example ada", **{"Value:_": "1234"})
    second.type("taskvault task add call the plumber")
    # Too early, in both ways.
    first.type(enable, NOT_FOUND, "hint: make it first")
    os.mkdir(os.path.join(first.folder, "Sync"))
    os.mkdir(os.path.join(first.folder, "Sync/taskvault"))
    os.symlink(os.path.join(first.folder, "Sync"), os.path.join(second.folder, "Sync"))
    second.type(join_, NOT_FOUND, "taskvault sync enable --folder")
    start = time.monotonic()
    first.type(enable, says="next: taskvault sync join", **{"[y/N]:_": "y"})
    second.type(enable, EXISTS, "taskvault sync join --folder")
    wrong = join(second, first, (join_, approve), lambda digits: "000 000" if digits != "000 000" else "000 001")
    assert wrong[0][1] == REFUSED and "begin again on both" in wrong[2], wrong
    right = begun_again(second, first, (join_, approve))
    assert right[0] == (0, 0), right
    for person in (first, second):
        listed = person.type("taskvault secret list") + person.type("taskvault task list")
        assert all(word in listed for word in ("mail.example", "bank.example", "buy milk", "call the plumber")), listed
    return time.monotonic() - start


def wrong_things(first, second):
    """What a person types by mistake. The number of mistakes."""
    enable, join_, approve = commands()
    for person, line in ((second, join_), (first, join_), (first, enable)):
        person.type(line, EXISTS, "hint: taskvault sync status")
    with first.open(approve) as waiting:
        first.read_to(waiting, b"waiting for a device")
        waiting.type("\x03")
        first.read_to(waiting, None)
        assert waiting.finish() in (INTERRUPTED, -signal.SIGINT), waiting.seen
    # The stick is not plugged in.
    folder = os.path.join(first.folder, "Sync")
    os.rename(folder, folder + "-away")
    first.type("taskvault sync now", NOT_FOUND, "changes stay here until the folder is there again")
    first.type("taskvault task add written without the stick")
    first.type("taskvault sync status", NOT_FOUND, "cannot use the folder")
    os.rename(folder + "-away", folder)
    for person in (first, second):
        person.type("taskvault sync now")
    assert "written without the stick" in second.type("taskvault task list")
    # One leaves while the other one goes on, and comes back by a folder that is wrong first.
    second.type("taskvault sync disable", **{"[y/N]:_": "y"})
    second.type("taskvault task add written while away")
    first.type("taskvault task add written meanwhile")
    first.type("taskvault sync now")
    os.mkdir(os.path.join(second.folder, "empty"))
    pathlib.Path(second.folder, "file").touch()
    second.type(approve, NOT_FOUND, "sync join")
    for wrong, words in (("~/Snyc/taskvault", "make it first"), ("~/file", "cannot use the folder"), ("~/empty", "has no group"), ("~/Sync", "has no group")):
        second.type(f"taskvault sync join --folder {wrong}", NOT_FOUND, words)
    second.type("taskvault sync join", NOT_FOUND, "--folder")
    again = join(second, first, (join_, approve))
    assert again[0] == (0, 0), again
    for person in (first, second):
        person.type("taskvault sync now")
    listed = [person.type("taskvault task list") for person in (second, first)]
    assert all("written while away" in each and "written meanwhile" in each for each in listed), listed
    return 12


def not_writable():
    """A folder of another user is refused before anything is kept, so that the right one can be typed at once. The number of mistakes."""
    with Home(user=OTHER if os.geteuid() == 0 else None) as home:
        own, words = os.path.join(home.folder, "own"), ("--no-agent", "--passphrase-file", "-")
        os.mkdir(own, 0o700)
        if home.user:
            os.chown(own, home.user, home.user)
        refused = home.run("sync", "enable", "--folder", "/usr", *words, lines=[home.passphrase])
        assert refused.returncode == 1 and b"cannot write in the folder /usr" in refused.stderr, refused
        home.expect(0, "sync", "enable", "--folder", own, *words, lines=[home.passphrase])
    return 1


def main():
    people = [Person(), Person()]
    try:
        seconds = first_minutes(*people)
        assert seconds < TWO_MINUTES, seconds
        print("control: the right digits join, after wrong ones; the right folder, after wrong ones")
        print(f"proof: mistakes={wrong_things(*people) + not_writable() + 6} joined-seconds={round(seconds)}")
    finally:
        for person in people:
            person.__exit__()


main()
