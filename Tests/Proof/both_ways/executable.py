"""The executable under test, in a home and with folders of its own."""

import json
import os
import select
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from vaultformat.hmac_secret import KeyOutput

from .content import Contents, Difference, of_executable

COST = ["--kdf-memory", "19", "--kdf-passes", "2"]


@dataclass(frozen=True)
class Answer:
    exit_code: int
    output: bytes
    errors: str

    @property
    def code(self) -> str:
        """The name of the failure that it ended with."""
        last = (self.errors.strip().splitlines() or ["{}"])[-1]
        return json.loads(last).get("code", "none") if last.startswith("{") else last


class Home:
    """A folder with a vault, and the secrets that open it."""

    def __init__(self, executable: Path, folder: Path, name: str, passphrase: bytes = b"a passphrase"):
        self.executable, self.path, self.state = executable, folder / name, folder / f"{name}-state"
        self.passphrase, self.recovery_code = passphrase, ""
        self.key_outputs: list[KeyOutput] = []
        self.path.mkdir(mode=0o700)
        self.state.mkdir(mode=0o700)

    @property
    def file(self) -> Path:
        return self.path / "vault.db"

    @property
    def rollback_records(self) -> Path:
        return self.state / "taskvault/rollback"

    def environment(self) -> dict[str, str]:
        folders = {f"XDG_{each}_HOME": str(self.state) for each in ("STATE", "DATA", "CONFIG")}
        libraries = {each: os.environ[each] for each in ("LD_LIBRARY_PATH",) if each in os.environ}
        return {"PATH": os.environ["PATH"], "HOME": str(self.state), "LC_ALL": "C.UTF-8", **folders, **libraries}

    def start(self, *arguments: str, secrets: bytes | None = None, **streams) -> subprocess.Popen:
        """Not waited for. Passphrases come from a file, because standard input is what a value comes from."""
        command = [str(self.executable), "--home", str(self.path)]
        if secrets is not None:
            path = self.state / "secrets"
            path.unlink(missing_ok=True)
            with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                file.write(secrets)
            command += ["--passphrase-file", str(path)]
        return subprocess.Popen([*command, *arguments], env=self.environment(), **streams)

    def try_to(self, *arguments: str, secrets: bytes | None = None, given: bytes = b"") -> Answer:
        pipes = {each: subprocess.PIPE for each in ("stdin", "stdout", "stderr")}
        process = self.start("--json", *arguments, secrets=secrets, **pipes)
        output, errors = process.communicate(given, timeout=60)
        return Answer(process.returncode, output, errors.decode())

    def do(self, *arguments: str, given: bytes = b"", secrets: bytes | None = None) -> bytes:
        """With the passphrase and without an agent, unless told otherwise; it has to succeed."""
        if secrets is None:
            secrets, arguments = self.passphrase + b"\n", ("--no-agent", *arguments)
        answer = self.try_to(*arguments, secrets=secrets, given=given)
        if answer.exit_code != 0:
            raise Difference(f"{ascii(arguments)} ended with {answer.exit_code}: {answer.errors}")
        return answer.output

    def init(self) -> None:
        printed = json.loads(self.do("init", *COST))
        self.recovery_code = printed["recovery_code"]

    def get(self, service: str, account: str, field: str) -> bytes:
        """From the agent, and as it goes into a pipe."""
        process = self.start("secret", "get", f"--field={field}", "--", service, account, stdout=subprocess.PIPE)
        return process.communicate(timeout=60)[0]

    def unlock(self) -> None:
        self.do("unlock", "--offline", secrets=self.passphrase + b"\n")

    def contents(self) -> Contents:
        return of_executable(json.loads(self.do("secret", "export")), json.loads(self.do("secret", "list")))

    def is_sound(self) -> None:
        report = json.loads(self.do("doctor"))
        if not report["sound"] or report["problems"]:
            raise Difference(f"doctor says {report}")

    def end_agent(self) -> None:
        """If there is one."""
        self.signal_agent(signal.SIGTERM)

    def kill_agent(self) -> None:
        """Without a chance to put anything in order."""
        self.signal_agent(signal.SIGKILL)

    def signal_agent(self, number: int) -> None:
        """Waits until it is gone: what it writes last must not come after our folder is removed."""
        process_id = self.agent().get("process_id")
        if not process_id:
            return
        process = os.pidfd_open(process_id)
        os.kill(process_id, number)
        select.select([process], [], [], 10)
        os.close(process)

    def agent(self) -> dict:
        return json.loads(self.try_to("status").output or "{}")
