"""Inputs of a fuzzer as one file of text: each a line, in hexadecimal digits.

    corpus.py pack FOLDER FILE      writes the files of a folder as lines, in order
    corpus.py unpack FILE FOLDER    writes each line as a file; none if there is no such file
    corpus.py members SOURCE FOLDER NAME...     writes each member of these names in the JSON files of a folder as a file
"""

import json
import pathlib
import sys


def members(value, names):
    """The bytes of all members of these names, at any depth."""
    if isinstance(value, list):
        for element in value:
            yield from members(element, names)
    elif isinstance(value, dict):
        for name, content in value.items():
            yield from [bytes.fromhex(content)] if name in names else members(content, names)


def main(work, source, target, *names):
    if work == "pack":
        lines = sorted({path.read_bytes().hex() for path in pathlib.Path(source).iterdir()}, key=lambda line: (len(line), line))
        pathlib.Path(target).write_text("".join(line + "\n" for line in lines))
    elif work == "unpack" and pathlib.Path(source).exists():
        for number, line in enumerate(pathlib.Path(source).read_text().split("\n")[:-1]):
            pathlib.Path(target, f"kept-{number}").write_bytes(bytes.fromhex(line))
    elif work == "members":
        found = [data for path in sorted(pathlib.Path(source).glob("*.json")) for data in members(json.loads(path.read_text()), names)]
        for number, data in enumerate(found):
            pathlib.Path(target, f"member-{number}").write_bytes(data)


main(*sys.argv[1:])
