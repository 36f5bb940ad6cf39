"""Answers the vectors of backups (Tests/Vectors/Backups)."""

from pathlib import Path

from .backup import read_backup
from .failures import Failure
from .header import CostLimits
from .primitives import hash
from .vectors import data, secret


def answer(lines: dict[str, str]) -> list[str]:
    """The lines from `expect` on, without what was given."""
    limits = CostLimits(passes_minimum=1, memory_minimum=8) if "kdf" in lines else CostLimits()
    kind, _, typed = lines["unlock"].partition(" ")
    machine_key = data(lines["key"]) if "key" in lines else None
    try:
        backup = read_backup(data(lines["backup"]), secret(kind, typed), machine_key, limits)
    except Failure as failure:
        return [f"expect: {failure.name}"]
    parts = [f"part: {kind} {len(part)} {hash(32, b'', part).hex()}" for kind, part in backup.parts.items()]
    return ["expect: opens", f"time: {backup.time}", f"machine: {backup.machine.hex()}", *parts]


def answer_all(folder: Path) -> list[tuple[str, str, str]]:
    """Name, expected answer and ours of each vector."""
    answers = []
    for path in sorted(folder.glob("*.vector")):
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        given = dict(line.split(": ", 1) for line in lines if not line.startswith("part: "))
        expected = [line for line in lines if line.split(":")[0] in ("expect", "time", "machine", "part")]
        answers.append((path.stem, "\n".join(expected), "\n".join(answer(given))))
    return answers
