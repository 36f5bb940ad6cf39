#!/usr/bin/python3
"""Writes the test vectors of the vault format: vectors.py says what they are, writer.py knows the format.

    generate.py            rewrites all vectors beside this file
    generate.py --check    exits with 1 if the files on disk differ from what would be written
"""

import pathlib
import sys

sys.dont_write_bytecode = True

import vector_files  # noqa: E402
import vectors  # noqa: E402,F401  (registers them)
from writer import VECTORS, produce  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent


if __name__ == "__main__":
    sys.exit(vector_files.main(FOLDER, {name: produce(name) for name in VECTORS}, __doc__))
