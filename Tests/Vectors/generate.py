#!/usr/bin/python3
"""Writes the test vectors of the vault format: vectors.py says what they are, writer.py knows the format.

    generate.py            rewrites all vectors beside this file
    generate.py --check    exits with 1 if the files on disk differ from what would be written
"""

import pathlib
import sys

sys.dont_write_bytecode = True

import vectors  # noqa: E402,F401  (registers them)
from writer import VECTORS, produce  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent


def main():
    texts = {name + ".vector": produce(name).encode() for name in VECTORS}
    on_disk = {path.name: path for path in FOLDER.glob("*.vector")}
    if sys.argv[1:] == ["--check"]:
        wrong = sorted(name for name in texts.keys() | on_disk.keys()
                       if name not in texts or name not in on_disk or on_disk[name].read_bytes() != texts[name])
        for name in wrong:
            print("differs:", name)
        return 1 if wrong else 0
    if sys.argv[1:]:
        sys.exit(__doc__)
    for name in on_disk.keys() - texts.keys():
        on_disk[name].unlink()
    for name, text in texts.items():
        (FOLDER / name).write_bytes(text)
    print(len(texts), "vectors,", sum(map(len, texts.values())), "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
