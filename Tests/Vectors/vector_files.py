"""A folder of vectors, which are written, or compared with what would be written."""

import sys


def main(folder, vectors, usage, subfolders=()):
    """Runs a program that makes `vectors`, texts by name or subfolder/name: `--check`, or nothing to write them."""
    patterns = ["*.vector"] + [subfolder + "/*.vector" for subfolder in subfolders]
    on_disk = {path.relative_to(folder).with_suffix("").as_posix(): path for pattern in patterns for path in folder.glob(pattern)}
    if sys.argv[1:] == ["--check"]:
        wrong = sorted(key for key in vectors.keys() | on_disk.keys()
                       if key not in vectors or key not in on_disk or on_disk[key].read_text() != vectors[key])
        for key in wrong:
            print("differs:", key)
        return 1 if wrong else 0
    if sys.argv[1:]:
        sys.exit(usage)
    for each in (folder, *(folder / subfolder for subfolder in subfolders)):
        each.mkdir(exist_ok=True)
    for key in on_disk.keys() - vectors.keys():
        on_disk[key].unlink()
    for key, content in vectors.items():
        (folder / (key + ".vector")).write_text(content)
    print(len(vectors), "vectors")
    return 0
