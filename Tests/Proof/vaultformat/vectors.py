"""Answers the vectors (Tests/Vectors/README.md): vaults as text, each with the failure that it must give."""

from dataclasses import dataclass, field
from pathlib import Path

from .failures import Failure
from .header import CostLimits
from .items import Row
from .passphrase import Passphrase
from .records import Records
from .recovery_code import RecoveryCode
from .vault import Item, Vault


@dataclass
class Vector:
    expect: str = ""
    secret: object = None
    mark: bytes | None = None
    limits: CostLimits = CostLimits()
    records: Records = field(default_factory=Records)
    contents: list[str] = field(default_factory=list)
    settings: str | None = None
    read: tuple[str, str] | None = None


def data(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)


def hexadecimal(data: bytes) -> str:
    return data.hex() or "-"


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
                passphrase = kind == "passphrase"
                vector.secret = Passphrase(data(typed)) if passphrase else RecoveryCode(typed.encode())
            case ["mark"]:
                vector.mark = data(rest)
            case ["header"]:
                vector.records.header = data(rest)
            case ["state"]:
                vector.records.state = data(rest)
            case ["bucket", number]:
                vector.records.buckets.append((int(number), data(rest)))
            case ["item"]:
                tag, item_id, item_class, revision, format, attributes, value = rest.split(" ")
                numbers = int(item_class), int(revision), int(format)
                row = Row(data(tag), data(item_id), *numbers, data(attributes), data(value))
                vector.records.rows.append(row)
            case ["content"]:
                vector.contents.append(rest)
            case ["settings"]:
                vector.settings = rest
            case ["read"]:
                service, account = (data(text).decode() for text in rest.split(" "))
                vector.read = (service, account)
            case _:
                raise ValueError(f"{path.name}: unknown line {name}")
    return vector


def content(item: Item) -> str:
    attributes = item.attributes
    names = [hexadecimal(text.encode()) for text in (attributes.service, attributes.account, attributes.label)]
    numbers = [str(each) for each in (item.item_class, item.revision, attributes.created, attributes.modified)]
    extra = [f"{hexadecimal(key.encode())}={hexadecimal(text.encode())}" for key, text in attributes.extra]
    return " ".join([*names, *numbers, hexadecimal(item.value), *extra])


def answer(vector: Vector) -> str:
    """The name of the failure, or `opens`, or what differs from what should have been read."""
    try:
        vault = Vault(vector.records, vector.secret, lambda _: vector.mark, vector.limits)
        items = [vault.read(*vector.read)] if vector.read else vault.items()
    except Failure as failure:
        return failure.name
    state = vault.state
    limits = (state.verification_window, state.idle_limit, state.absolute_limit)
    settings = " ".join(map(str, (*limits, state.require_locked_memory, state.counter)))
    if settings != vector.settings:
        return f"settings {settings}"
    if [content(item) for item in items] != vector.contents:
        return "other content"
    return "opens"


def answer_all(folder: Path) -> list[tuple[str, str, str]]:
    """Name, expected answer and ours of each vector."""
    answers = []
    for path in sorted(folder.glob("*.vector")):
        vector = parse(path)
        answers.append((path.stem, vector.expect, answer(vector)))
    return answers
