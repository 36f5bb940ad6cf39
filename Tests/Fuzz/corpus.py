"""Inputs of a fuzzer as one file of text: each a line, in hexadecimal digits.

    corpus.py pack FOLDER FILE      writes the files of a folder as lines, in order
    corpus.py unpack FILE FOLDER    writes each line as a file; none if there is no such file
"""

import pathlib
import sys


def main(work, source, target):
    if work == "pack":
        lines = sorted({path.read_bytes().hex() for path in pathlib.Path(source).iterdir()}, key=lambda line: (len(line), line))
        pathlib.Path(target).write_text("".join(line + "\n" for line in lines))
    elif work == "unpack" and pathlib.Path(source).exists():
        for number, line in enumerate(pathlib.Path(source).read_text().split("\n")[:-1]):
            pathlib.Path(target, f"kept-{number}").write_bytes(bytes.fromhex(line))


main(*sys.argv[1:])
