"""Every question that hides what is typed, ended in every way: the terminal is as it was before, and nothing typed was shown."""

import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import CHEAP, Home, random_text, wait_for  # noqa: E402
from support.terminal import Session  # noqa: E402

WAYS = {"Ctrl-C": "\x03", "Ctrl-\\": "\x1c", "the end of input": "\x04", "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP,
        "SIGINT": signal.SIGINT, "SIGQUIT": signal.SIGQUIT, "Ctrl-Z, and on": "\x1a", "SIGTSTP, and on": signal.SIGTSTP}


def questions(home):
    """Words of commands, and what they ask at last; with what is answered before."""
    passphrase = home.passphrase
    return [
        (["init", "--home", home.folder + "/new", *CHEAP], [], "Create a passphrase"),
        (["init", "--home", home.folder + "/new", *CHEAP], [("Create a passphrase", "some words")], "Repeat the passphrase"),
        (["unlock"], [], "Passphrase: "), (["verify"], [], "Passphrase: "), (["recovery", "unlock"], [], "Recovery code: "),
        (["passphrase", "change"], [("Passphrase: ", passphrase)], "Create a passphrase"),
        (["rekey"], [], "Passphrase: "), (["secret", "export"], [], "Passphrase: "), (["secret", "set", "new", "ada"], [], "Value: "),
        (["--no-agent", "secret", "list"], [], "Passphrase: "), (["doctor"], [], "Passphrase: ")]


# A process can only be stopped where its session has somebody to let it go on: a shell.
SHELL = ["/usr/bin/python3", "-c", """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
status = os.waitpid(child, 0)[1]
os._exit(os.waitstatus_to_exitcode(status) & 255)
"""]


def child_of(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return int(file.read().split()[0])


def stopped(process):
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


def attempt(home, words, answers, question, way):
    with Session([*SHELL, *home.words(*words)], home.environment, home.folder) as session:
        before = session.settings_before
        for asked, answer in answers:
            session.answer(asked, answer)
        session.wait_for(question)
        process = child_of(session.process.pid)
        wait_for("the echo is off", lambda: not session.echoes)
        typed = random_text(12)
        session.type(typed)
        if isinstance(way, str):
            # The end of input is one at the beginning of a line only.
            session.type(("\x15" if way == "\x04" else "") + way)
        else:
            os.kill(process, way)
        if way in ("\x1a", signal.SIGTSTP):
            wait_for("it has stopped", lambda: stopped(process))
            assert session.settings == before, (words, way, "stopped, and the terminal is not as it was", session.settings, before)
            os.kill(process, signal.SIGCONT)
            wait_for("the echo is off again", lambda: not session.echoes)
            session.read()
            session.type("\x03")
        code = session.finish()
        assert code in (130, 2), (words, way, code, session.seen)
        assert session.settings == before, (words, way, "the terminal is not as it was")
        assert typed.encode() not in session.seen, (words, way, session.seen)


with Home() as home:
    home.unlock()
    tries = 0
    for words, answers, question in questions(home):
        for name, way in WAYS.items():
            attempt(home, words, answers, question, way)
            tries += 1
    with Session(["/bin/sh", "-c", "stty -echo; echo ready; sleep 60"], home.environment, home.folder) as session:
        before = session.settings_before
        session.wait_for("ready")
        session.process.terminate()
        session.finish()
        assert session.settings != before
    print("control: a shell that is ended with the echo off leaves it off")
    print(f"proof: endings={tries} echo-lost=0")
