"""`taskvault login` itself at a server that asks on its own pages, with a code for another device and in the browser of the desktop.

    login.py TASKVAULT FOLDER CERTIFICATE COMMAND...

COMMAND starts a server as pages.py does, whose certificate CERTIFICATE signed; FOLDER is empty. Ends with 1 at the first wrong answer.
"""

import contextlib
import os
import pathlib
import pty
import re
import subprocess
import sys
import termios
import threading
import time

taskvault, folder, certificate, *command = sys.argv[1:]
NAME, PASSWORD = "ada@example.org", "correct horse+& =%é"
opened = pathlib.Path(folder, "opened")
environment = {
    "PATH": "/usr/bin:/bin", "HOME": folder, "TASKVAULT_HOME": f"{folder}/vault", "XDG_STATE_HOME": f"{folder}/state",
    "XDG_RUNTIME_DIR": f"{folder}/run", "LANG": "C.UTF-8", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
# xdg-open finds this browser and no other one.
desktop = environment | {"DISPLAY": ":59999", "BROWSER": f"{folder}/browser", "XDG_DATA_DIRS": f"{folder}/none"}


def write(path, text, mode=0o600):
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(text)


def step(sentence, is_right, *seen):
    if not is_right:
        sys.exit(f"this went wrong: {sentence} {seen}")
    print(sentence, flush=True)


def run(*words):
    done = subprocess.run([taskvault, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def log_in(words, variables, pattern):
    """Starts `login`, whose messages go to a terminal. Returns it, its further messages, and what the pattern finds in the first ones."""
    master, device = pty.openpty()
    termios.tcsetwinsize(device, (60, 200))
    process = subprocess.Popen(
        [taskvault, "login", *words], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=device, text=True)
    os.close(device)
    timer = threading.Timer(240, process.kill)
    timer.daemon = True
    timer.start()
    messages, seen = lines(open(master)), []
    for line in messages:
        seen.append(line)
        if found := re.search(pattern, line):
            return process, messages, found
    sys.exit(f"this went wrong: login ended with {process.wait()} {seen}")


def lines(terminal):
    """The lines of a terminal, whose end is an error."""
    with terminal, contextlib.suppress(OSError):
        yield from terminal


def on_device():
    # Not every server names the account there.
    process, messages, found = log_in([NAME], environment, "^taskvault: open (.*) on any device, and enter the code (.*)$")
    return process, messages, f"DEVICE {found[2]}"


def in_browser():
    process, messages, found = log_in([], desktop, "^taskvault: opened .* in the browser; if you do not see it, open (.*)$")
    end = time.monotonic() + 60
    while not (opened.exists() and opened.read_text().endswith("\n")):
        step("the browser opens", time.monotonic() < end)
        time.sleep(0.1)
    step("the browser of the desktop opened that address", opened.read_text() == found[1] + "\n", opened.read_text())
    return process, messages, f"BROWSE {found[1]}"


def signed_in(way):
    """Signs in while the server's person acts."""
    process, messages, act = way()
    tell(act)
    print("the page says:", server.stdout.readline().strip())
    output, further = process.communicate()[0], "".join(messages)
    step(f"login signs in {way.__name__.replace('_', ' ')}", (process.returncode, output) == (0, report), process.returncode, output, further)
    if way == on_device:
        step("a QR code has the address", "█" in further, further)


def tell(text):
    server.stdin.write(text + "\n")
    server.stdin.flush()


def unlock():
    """Locks, and starts again."""
    run("lock")
    code, _, errors = run("unlock", "--passphrase-file", f"{folder}/passphrase")
    step("the vault opens", code == 0, errors)
    return errors


os.mkdir(f"{folder}/run", 0o700)
write(f"{folder}/passphrase", "four words rarely mixed\n")
write(f"{folder}/browser", f'#!/bin/sh\necho "$1" >"{opened}"\n', 0o700)
run("init", "--kdf-memory", "19", "--kdf-passes", "2", "--passphrase-file", f"{folder}/passphrase")
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
try:
    tell(PASSWORD)
    issuer, redirect = (server.stdout.readline().split() + ["any"])[:2]
    report = f"signed in as {NAME} at {issuer}\n"
    unlock()
    for setting in (("server-ca", certificate), ("server", issuer), *([("redirect", redirect)] if redirect != "any" else [])):
        step(f"the setting {setting[0]}", run("settings", "set", *setting)[0] == 0)
    for way in (on_device, in_browser):
        signed_in(way)
        for _ in range(2):
            step("the next start is silent", unlock() == "taskvault: " + report)
        step("and so is login", run("login") == (0, report, ""))
        tell("END")
        server.stdout.readline()
        ended = f"taskvault: warning: not signed in: {issuer} ended the session of {NAME} (taskvault login)\n"
        step("a start after the end of the session says so", unlock() == ended)
        code, output, errors = run("login", "--json")
        step("a program is told to use the page", code != 0 and '"needs_browser"' in output + errors, code, output, errors)
    signed_in(on_device)
    step("logout", run("logout")[0] == 0)
    step("and nothing signs in from then on", "signed in as" not in unlock())
finally:
    server.stdin.close()
    run("lock")
    server.wait(60)
