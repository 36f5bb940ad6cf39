"""A home of its own for the executable, far from the person's: vault, marks, passphrase, and what a run of a command came to."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

PASSPHRASE = "correct horse battery staple"
CHEAP = ["--kdf-memory", "19", "--kdf-passes", "2"]


class VaultHome:
    def __init__(self, executable, make=True):
        self.executable = os.path.abspath(executable)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="taskvault-proof-"))
        self.vault = self.folder / "home/vault.db"
        self.log = self.folder / "home/vault.db-wal"
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "TASKVAULT_HOME": str(self.folder / "home"),
            "XDG_STATE_HOME": str(self.folder / "state"), "TMPDIR": str(self.folder / "temporary"), "SWIFT_BACKTRACE": "enable=no"}
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        (self.folder / "temporary").mkdir(mode=0o700)
        self.secret_file = self.folder / "passphrase"
        self.write(self.secret_file, PASSPHRASE.encode() + b"\n")
        if make:
            made = self.run("init", *CHEAP)
            assert made.returncode == 0, made.stderr
            self.recovery_code = re.search(rb"[A-Z2-7]{4}(-[A-Z2-7]{4}){13}", made.stdout).group(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, value=b"", secret_file=None, beneath=()):
        """Without an agent, with the passphrase from its file."""
        return self.bare(*words, "--no-agent", "--passphrase-file", str(secret_file or self.secret_file), value=value, beneath=beneath)

    def bare(self, *words, value=b"", beneath=()):
        return subprocess.run(
            [*beneath, self.executable, *words], env=self.environment, cwd=self.folder, input=value, capture_output=True)

    def save(self, service, account, value, *options):
        saved = self.run("secret", "set", service, account, *options, value=value)
        assert saved.returncode == 0, saved.stderr

    @staticmethod
    def write(path, data):
        """A file of mode 0600, over one that is there."""
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)


def end_agent(process):
    """Ends an agent. Its parent may take its time to look at what is left of it, so that is not waited for."""
    os.kill(process, signal.SIGTERM)
    while is_running(process):
        time.sleep(0.005)


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def amount(variable, ordinary):
    return int(os.environ.get(variable, ordinary))
