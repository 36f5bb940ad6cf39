"""Answers the vectors of protected text (Tests/Vectors/Tasks)."""

from pathlib import Path

from .encoding import Malformed
from .task_text import TaskText
from .vectors import data, hexadecimal


def answer(value: bytes) -> list[str]:
    """The lines from `expect` on, as a vector has them."""
    try:
        text = TaskText.decode(value)
    except Malformed:
        return ["expect: refused"]
    names = [f"name: {hexadecimal(text.name.encode())}", f"notes: {hexadecimal(text.notes.encode())}"]
    names.append(f"further: {hexadecimal(text.further.encode())}")
    subtasks = [f"subtask: {each.id} {hexadecimal(each.name.encode())}" for each in text.subtasks]
    return ["expect: valid", *names, *subtasks]


def answer_all(folder: Path) -> list[tuple[str, str, str]]:
    """Name, expected answer and ours of each vector."""
    answers = []
    for path in sorted(folder.glob("*.vector")):
        _, *expected, value = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        given = answer(data(value.removeprefix("value: ")))
        answers.append((path.stem, "\n".join(expected), "\n".join(given)))
    return answers
