"""Crashes of everything that holds secrets: no core, and not a byte of memory where others read.

8 signals reach the agent in 4 states, a command that asks for the passphrase, and the auth server; once more the agent after another
process of its user has taken away its limit on cores.
"""

import concurrent.futures
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import AUTHD, CHEAP, Home, field, free_port, not_run, wait_for, wait_for_start  # noqa: E402
from support.terminal import Session  # noqa: E402

SIGNALS = [signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT, signal.SIGTRAP, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS]
STATES = ["locked", "unlocked", "verified", "in the middle of unlocking"]
# What an attacker would set.
LOUD = {"SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,symbolicate=off,limit=8,threads=crashed"}


# States in which the agent's own limit was to be raised first, and nobody may here.
not_raised = set()


def no_limit():
    # As much as may be, where a limit cannot be raised.
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if os.geteuid() == 0:
        most = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def start(words, environment, folder, **more):
    return subprocess.Popen(
        words, env=environment | LOUD, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=no_limit, **more)


def crash(process, number, what, folder):
    """Ends it by a signal; it must have left no core."""
    files = set(os.listdir(folder))
    os.kill(process.pid, number)
    printed = process.stdout.read()
    _, status = os.waitpid(process.pid, 0)
    process.returncode = -1
    assert os.WTERMSIG(status) == number, (what, number, status)
    assert not os.WCOREDUMP(status), f"{what}: signal {number} left a core"
    assert not [name for name in set(os.listdir(folder)) - files if name.startswith("core")], f"{what}: a core was left"
    # What the runtime says of its settings before the program begins is no memory.
    return b"".join(line for line in printed.splitlines(keepends=True) if not line.startswith(b"swift runtime: "))


def bring(home, state):
    if state == "locked":
        return
    if state == "in the middle of unlocking":
        # Dear enough to be met on the way.
        slow = subprocess.Popen(
            home.words("unlock", "--passphrase-file", "-"), env=home.environment, cwd=home.folder, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        slow.stdin.write(home.passphrase.encode() + b"\n")
        slow.stdin.close()
        agent = home.agent
        wait_for("memory is taken", lambda: int(field(agent, "VmRSS").split()[0]) > 150_000)
        home.waiting = slow
        return
    home.unlock()
    home.expect(0, "secret", "set", "mail.example", "ada", "--class", "after-verification", data=b"a protected text")
    if state == "unlocked":
        home.expect(0, "settings", "set", "verification-window", "1s")
        wait_for("unlocked only", lambda: home.state == "unlocked")


def agent(state, number, raised):
    with Home(has_vault=False) as home:
        costs = ["--kdf-memory", "256", "--kdf-passes", "8"] if state == STATES[3] else CHEAP
        home.expect(0, "init", *costs, "--passphrase-file", "-", lines=[home.passphrase])
        process = start(home.words("agent"), home.environment, home.folder)
        home.agent = process.pid
        wait_for("it answers", lambda: home.status["process_id"] == process.pid)
        bring(home, state)
        if raised:
            try:
                resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            except PermissionError:
                not_raised.add(state)
        printed = crash(process, number, f"agent, {state}", home.folder)
        assert printed == b"", (state, number, printed[:200])
        if state == STATES[3]:
            home.waiting.wait()
        assert home.state == "locked"


def agents():
    cases = [(state, number, False) for state in STATES for number in SIGNALS] + [(state, signal.SIGSEGV, True) for state in STATES]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return len(list(pool.map(lambda case: agent(*case), cases)))


def prompts():
    with Home() as home:
        for number in SIGNALS:
            with Session(home.words("--no-agent", "secret", "list"), home.environment | LOUD, home.folder) as session:
                session.wait_for("Passphrase: ")
                session.type(home.passphrase)
                session.read(0.1)
                before = session.seen
                os.kill(session.process.pid, number)
                # One that people send ends the question.
                asked = number == signal.SIGQUIT
                assert session.finish() == (130 if asked else -number), (number, session.process.returncode)
                assert session.seen == before + (b"\r\ntaskvault: error: interrupted\r\n" if asked else b""), session.seen
                assert not [name for name in os.listdir(home.folder) if name.startswith("core")]
    return len(SIGNALS)


def servers():
    for number in SIGNALS:
        with tempfile.TemporaryDirectory() as folder:
            process = start(
                [AUTHD, "serve", "--database", folder + "/accounts.db", "--listen", f"127.0.0.1:{free_port()}"], dict(os.environ), folder)
            # Its log is JSON, one line each, and the first ones tell that it listens.
            wait_for_start(process.stdout)
            for line in crash(process, number, "auth server", folder).splitlines():
                json.loads(line)
    return len(SIGNALS)


def controls():
    """That cores are written here, and that Swift prints what is in the registers."""
    with tempfile.TemporaryDirectory() as folder:
        plain = subprocess.Popen(["/bin/sleep", "600"], cwd=folder, preexec_fn=no_limit)
        os.kill(plain.pid, signal.SIGSEGV)
        _, status = os.waitpid(plain.pid, 0)
        plain.returncode = -1
        if not os.WCOREDUMP(status):
            not_run("this machine writes no cores, so none would be seen")
        print("control: another program dumps core after the same signal")
        with open(folder + "/crash.swift", "w") as source:
            source.write("import Glibc\nprint(\"ready\")\nfflush(stdout)\nwhile true { sleep(1) }\n")
        subprocess.run(["swiftc", "-O", "crash.swift", "-o", "crash"], cwd=folder, check=True, capture_output=True)
        loud = subprocess.Popen(["./crash"], env=os.environ | LOUD, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # It prints, and may go on.
        patience = threading.Timer(120, loud.kill)
        patience.start()
        printed = b""
        while b"Registers:" not in printed and (line := loud.stdout.readline()):
            if line == b"ready\n":
                loud.send_signal(signal.SIGSEGV)
            printed += line
        patience.cancel()
        loud.kill()
        loud.wait()
        assert b"Registers:" in printed, printed[:400]
        print("control: an ordinary Swift program prints its registers")


controls()
done = agents() + prompts() + servers()
if not_raised:
    print("not run: agents whose core limit is raised from outside (forbidden here)")
print(f"proof: crashes={done} cores=0 bytes=0")
