"""The executable, with a vault of its own in a temporary folder. Everything secret is random in each run."""

import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXECUTABLES = pathlib.Path(os.environ.get("TASKVAULT_EXECUTABLES") or ROOT / ".build/release")
TASKVAULT = str(EXECUTABLES / "taskvault")
AUTHD = str(EXECUTABLES / "taskvault-authd")
CHEAP = ["--kdf-memory", "19", "--kdf-passes", "2"]
# Where Tests/setup has put the libraries for somebody who may not install them.
LIBRARIES = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
# Somebody without privileges: where the administrator tries, nobody.
OTHER = 65_534


def amount(variable, short):
    return int(os.environ.get(variable) or short)


def not_run(why):
    """Ends the attack as one that could not be tried."""
    print(f"not run: {why}")
    raise SystemExit(77)


def as_other(user=OTHER):
    """Words that start a program as another user, without any privilege."""
    return ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--"]


def random_text(count=24):
    return "".join(secrets.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(count))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, seconds=60):
    """Waits until something holds; the answer is what held."""
    end = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"still not: {what}")
        time.sleep(0.01)


def wait_for_start(log):
    """Reads the auth server's log until the line in which it says that it listens."""
    seen = b""
    while line := log.readline():
        seen += line
        if b'"started"' in line:
            return
    raise AssertionError(f"the server does not start: {seen!r}")


class Home:
    """A temporary folder with `home`, `state` and `tmp` in it, and in `home` a vault that costs little to unlock."""

    def __init__(self, has_vault=True, user=None, beneath=(), base=None):
        self.user = user
        self.folder = tempfile.mkdtemp(prefix="taskvault-proof-", dir=base)
        self.beneath = (as_other(user) if user is not None else []) + list(beneath)
        self.passphrase = random_text()
        self.path = os.path.join(self.folder, "home")
        self.vault = os.path.join(self.path, "vault.db")
        # Where the checkout is, another user may not look.
        self.program = TASKVAULT if user is None else shutil.copy2(TASKVAULT, self.folder)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "TASKVAULT_HOME": self.path, "TMPDIR": self.folder + "/tmp",
            "XDG_STATE_HOME": self.folder + "/state", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "xterm", **LIBRARIES}
        os.mkdir(self.folder + "/tmp", 0o700)
        if user is not None:
            for path in (self.folder, self.folder + "/tmp"):
                os.chown(path, user, user)
        self.recovery_code = ""
        if has_vault:
            made = self.expect(0, "init", "--json", *CHEAP, "--passphrase-file", "-", lines=[self.passphrase])
            self.recovery_code = json.loads(made.stdout)["recovery_code"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_agent()
        shutil.rmtree(self.folder, ignore_errors=True)

    def words(self, *words):
        return [*self.beneath, self.program, *words]

    def run(self, *words, lines=(), data=b"", **more):
        """Runs a command to its end, with lines or bytes as standard input."""
        return subprocess.run(
            self.words(*words), input=data or "".join(line + "\n" for line in lines).encode(), capture_output=True,
            cwd=self.folder, timeout=300, **{"env": self.environment} | more)

    def expect(self, code, *words, **more):
        result = self.run(*words, **more)
        assert result.returncode == code, (words, result.returncode, result.stderr.decode(errors="replace"))
        return result

    def unlock(self):
        """Unlocks; the answer is the agent's process."""
        return json.loads(self.expect(0, "unlock", "--json", "--passphrase-file", "-", lines=[self.passphrase]).stdout)["process_id"]

    @property
    def status(self):
        return json.loads(self.run("status", "--json").stdout)

    @property
    def state(self):
        status = self.status
        return "verified" if status["verified"] else status["state"]

    def end_agent(self):
        try:
            process = self.status["process_id"]
        except (ValueError, KeyError, subprocess.TimeoutExpired, FileNotFoundError):
            return
        if process:
            kill(process, signal.SIGCONT, signal.SIGTERM)
            try:
                wait_for("the agent has ended", lambda: not is_running(process), 10)
            except AssertionError:
                kill(process, signal.SIGKILL)


def kill(process, *signals):
    for number in signals:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            return


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def field(process, name):
    """One field of /proc/PID/status."""
    with open(f"/proc/{process}/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return line.split(":", 1)[1].strip()
    return ""
