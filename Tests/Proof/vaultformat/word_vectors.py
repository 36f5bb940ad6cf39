"""Answers the vectors of protected words (Tests/Vectors/Tasks)."""

from pathlib import Path

from .encoding import Malformed
from .vectors import data, hexadecimal
from .words import Words


def answer(value: bytes) -> list[str]:
    """The lines from `expect` on, as a vector has them."""
    try:
        words = Words.decode(value)
    except Malformed:
        return ["expect: refused"]
    names = [f"name: {hexadecimal(words.name.encode())}", f"notes: {hexadecimal(words.notes.encode())}"]
    names.append(f"further: {hexadecimal(words.further.encode())}")
    subtasks = [f"subtask: {each.id} {hexadecimal(each.name.encode())}" for each in words.subtasks]
    return ["expect: valid", *names, *subtasks]


def answer_all(folder: Path) -> list[tuple[str, str, str]]:
    """Name, expected answer and ours of each vector."""
    answers = []
    for path in sorted(folder.glob("*.vector")):
        _, *expected, value = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        given = answer(data(value.removeprefix("value: ")))
        answers.append((path.stem, "\n".join(expected), "\n".join(given)))
    return answers
