"""The log of reads of the executable, read by the reader, and changed logs that both refuse."""

from pathlib import Path

from vaultformat.failures import Failure
from vaultformat.primitives import hash, public_key_of
from vaultformat.read_log import ReadLog, read_log

from .check import Checker, read_vault
from .content import Difference
from .executable import Home


def file_and_keys(home: Home) -> tuple[Path, bytes, bytes, bytes]:
    vault = read_vault(home)
    vault_id = vault.header.vault_id
    (machine,) = {item.attributes.account for item in vault.items() if item.attributes.service == "taskvault.log"}
    key, head = (vault.read("taskvault.log", machine, field).value for field in ("key", "head"))
    log = hash(16, b"", public_key_of(key))
    return home.state / "taskvault/log" / f"{vault_id.hex()}-{log.hex()}", vault_id, key, head


def read(home: Home) -> ReadLog:
    path, vault_id, key, head = file_and_keys(home)
    files = [each.read_bytes() if each.exists() else b"" for each in (path.with_name(path.name + ".1"), path)]
    return read_log(*files, vault_id, key, head)


def logged_reads(checker: Checker, home: Home) -> None:
    home.init()
    home.unlock()
    for number in range(3):
        home.do("secret", "set", f"service {number}", "e\u0301", given=b"value", secrets=b"")
        home.get(f"service {number}", "e\u0301", "password")
    home.do("secret", "set", "service 3", "ada", given=b"value", secrets=b"")  # the vault gets the head with it
    home.end_agent()
    log = read(home)
    names = [(each.service, each.account, each.field) for each in log.reads]
    if names != [(f"service {number}", "e\u0301", "password") for number in range(3)] or log.lost or log.is_cut:
        raise Difference(f"the log has {log}")
    path = file_and_keys(home)[0]
    whole = path.read_bytes()
    for place in (len(whole) - 1, len(whole) // 2, 23):
        for changed in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            path.write_bytes(changed)
            try:
                read(home)
                ours = None
            except Failure as failure:
                ours = failure.name
            answer = home.try_to("--no-agent", "log", secrets=home.passphrase + b"\n")
            if ours != "log_changed" or (answer.exit_code, answer.code) != (7, "log_changed"):
                raise Difference(f"byte {place} of a log of {len(whole)}: the executable says {answer}, the reader {ours}")
            checker.figures.refusals += 1


SCENARIOS = [logged_reads]
