"""Answers the vectors (Tests/Vectors/README.md): vaults as text, each with the failure that it must give."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from .failures import Failure
from .file import STORAGE_VERSION, check_version
from .header import CostLimits
from .hmac_secret import KeyOutput
from .items import EarlierRow, Row
from .rollback_record import RollbackRecords
from .passphrase import Passphrase
from .primitives import hash
from .records import Records
from .recovery_code import RecoveryCode
from .vault import EarlierItem, Item, Vault


@dataclass
class Vector:
    expect: str = ""
    secret: object = None
    action: str = ""
    rollback_records: RollbackRecords = field(default_factory=RollbackRecords)
    limits: CostLimits = CostLimits()
    version: int = STORAGE_VERSION
    records: Records = field(default_factory=Records)
    contents: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    settings: str | None = None
    read: tuple[str, ...] | None = None


def data(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)


def hexadecimal(data: bytes) -> str:
    return data.hex() or "-"


def secret(kind: str, typed: str):
    match kind:
        case "passphrase":
            return Passphrase(data(typed))
        case "recovery":
            return RecoveryCode(typed.encode())
        case "key":
            return KeyOutput(*map(data, typed.split(" ")))
    raise ValueError(f"unknown secret {kind}")


def parse(path: Path) -> Vector:
    vector = Vector()
    for line in path.read_bytes().decode("utf-8").removesuffix("\n").split("\n"):
        name, _, rest = line.partition(": ")
        match name.split(" "):
            case ["comment"]:
                pass
            case ["expect"]:
                vector.expect = rest
            case ["kdf"]:
                vector.limits = CostLimits(passes_minimum=1, memory_minimum=8)
            case ["unlock"]:
                kind, _, typed = rest.partition(" ")
                vector.secret = secret(kind, typed)
            case ["do"]:
                if rest not in ("rekey", "links", "earlier", "files"):
                    raise ValueError(f"{path.name}: unknown action {rest}")
                vector.action = rest
            case ["version"]:
                vector.version = int(rest)
            case ["rollback_record"]:
                vector.rollback_records = replace(vector.rollback_records, here=data(rest))
            case ["elsewhere"]:
                vector.rollback_records.elsewhere.append(data(rest))
            case ["header"]:
                vector.records.header = data(rest)
            case ["state"]:
                vector.records.state = data(rest)
            case ["bucket", number]:
                vector.records.buckets.append((int(number), data(rest)))
            case ["link", counter]:
                vector.records.links.append((int(counter), data(rest)))
            case ["item"]:
                tag, item_id, item_class, revision, format, attributes, value = rest.split(" ")
                numbers = int(item_class), int(revision), int(format)
                row = Row(data(tag), data(item_id), *numbers, data(attributes), data(value))
                vector.records.rows.append(row)
            case ["earlier"]:
                item_id, revision, item_class, format, attributes, value, moved = rest.split(" ")
                numbers = int(revision), int(item_class), int(format)
                row = EarlierRow(data(item_id), *numbers, data(attributes), data(value), data(moved))
                vector.records.earlier.append(row)
            case ["chunk"]:
                version_id, number, stored, chunk = rest.split(" ")
                vector.records.chunks.append((data(version_id), int(number), int(stored), data(chunk)))
            case ["file"]:
                vector.files.append(rest)
            case ["content"] | ["past"]:
                vector.contents.append(rest)
            case ["settings"]:
                vector.settings = rest
            case ["read"]:
                vector.read = tuple(data(text).decode() for text in rest.split(" "))
            case _:
                raise ValueError(f"{path.name}: unknown line {name}")
    return vector


def content(item: Item) -> str:
    attributes = item.attributes
    texts = (attributes.service, attributes.account, attributes.field, attributes.label)
    names = [hexadecimal(text.encode()) for text in texts]
    numbers = [str(each) for each in (item.item_class, item.revision, attributes.created, attributes.modified)]
    extra = [f"{hexadecimal(key.encode())}={hexadecimal(text.encode())}" for key, text in attributes.extra]
    return " ".join([*names, *numbers, hexadecimal(item.value), *extra])


def past(earlier: EarlierItem) -> str:
    return " ".join([hexadecimal(earlier.item_id), str(earlier.time), str(int(earlier.removed)), content(earlier.item)])


def read_all(vector: Vector, vault: Vault) -> tuple[list[str], list[str]]:
    """The lines `content` or `past`, and `file`, as the vector should have them."""
    if vector.action == "rekey":
        vault.check_before_rekey()
    if vector.action == "links":
        vault.check_links()
    if vector.action == "earlier":
        return [past(item) for item in vault.earlier_items()], []
    items = [vault.read(*vector.read)] if vector.read else vault.items()
    files = vault.files(items) if vector.action == "files" else []
    lines = [f"{file.version_id.hex()} {file.size} {hash(32, b'', data).hex()}" for file, data in files]
    return [content(item) for item in items], lines


def answer(vector: Vector) -> str:
    """The name of the failure, or `opens`, or what differs from what should have been read."""
    try:
        check_version(vector.version)
        vault = Vault(vector.records, vector.secret, vector.rollback_records, vector.limits)
        contents = read_all(vector, vault)
    except Failure as failure:
        return failure.name
    state = vault.state
    numbers = (state.counter, state.restored_from, state.restored_at, *state.settings().values())
    settings = " ".join(map(str, numbers))
    if settings != vector.settings:
        return f"settings {settings}"
    if contents != (vector.contents, vector.files):
        return "other content"
    return "opens"


def answer_all(folder: Path) -> list[tuple[str, str, str]]:
    """Name, expected answer and ours of each vector."""
    answers = []
    for path in sorted(folder.glob("*.vector")):
        vector = parse(path)
        answers.append((path.stem, vector.expect, answer(vector)))
    return answers
