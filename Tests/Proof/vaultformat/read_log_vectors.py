"""Answers the vectors of the log of reads (Tests/Vectors/Reads)."""

from pathlib import Path

from .failures import Failure
from .read_log import read_log
from .vectors import data


def answer(lines: dict[str, str]) -> str:
    head = None if lines["head"] == "-" else data(lines["head"])
    files = data(lines.get("former", "-")), data(lines["log"])
    try:
        log = read_log(*files, data(lines["vault"]), data(lines["key"]), head)
    except Failure:
        return "refused"
    names = ", ".join(f"{read.service} {read.account}" for read in log.reads)
    return " ".join(filter(None, ["valid", str(log.lost), "cut" if log.is_cut else "", names]))


def answer_all(folder: Path) -> list[tuple[str, str, str]]:
    """Name, expected answer and ours of each vector."""
    answers = []
    for path in sorted(folder.glob("*.vector")):
        lines = dict(line.split(": ", 1) for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        expected = lines["expect"] + (" " + lines["means"] if lines["expect"] == "valid" else "")
        answers.append((path.stem, expected, answer(lines)))
    return answers
