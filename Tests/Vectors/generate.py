#!/usr/bin/python3
"""Writes the test vectors of the vault format: the modules below say what they are, writer.py knows the format.

    generate.py            rewrites all vectors beside this file and in the folders Backups and Chunks
    generate.py --check    exits with 1 if the files on disk differ from what would be written
"""

import pathlib
import sys

sys.dont_write_bytecode = True

import backup_vectors  # noqa: E402
import chunk_vectors  # noqa: E402,F401  (each registers its vectors)
import earlier_vectors  # noqa: E402,F401
import header_vectors  # noqa: E402,F401
import opening_vectors  # noqa: E402,F401
import row_vectors  # noqa: E402,F401
import state_vectors  # noqa: E402,F401
import unlocking_vectors  # noqa: E402,F401
import vector_files  # noqa: E402
from writer import VECTORS, produce  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent


if __name__ == "__main__":
    made = {name: produce(name) for name in VECTORS}
    made |= {"Backups/" + name: backup_vectors.produce(name) for name in backup_vectors.VECTORS}
    sys.exit(vector_files.main(FOLDER, made, __doc__, ("Backups", "Chunks")))
