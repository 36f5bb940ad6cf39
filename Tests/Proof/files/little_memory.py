"""B7: a control group with too little memory, in steps of 4 MiB: the system kills what wants more, and the vault holds the old or the new

Needs a control group of its own, of the first or the second version: root, where the system lets it have one.
"""

import contextlib
import os
import pathlib
import time

from vault_home import VaultHome

from support.product import not_run

MEBIBYTE = 1 << 20
# Above these the derivation's 19 MiB find room, with all that the program is.
STEPS = range(4, 65, 4)


def main():
    with control_group() as limit, VaultHome() as home:
        old = b"value 0"
        home.save("mail.example", "ada", old)
        ends = {}
        for number, mebibytes in enumerate(STEPS, 1):
            limit(mebibytes * MEBIBYTE)
            for words, data in ((("secret", "update", "mail.example", "ada"), f"value {number}".encode()), (("secret", "list"), b"")):
                home.beneath = limit.words
                done = home.direct(*words, data=data)
                home.beneath = []
                # The system's killing, or a refusal in a line; nothing else, a crash least of all.
                assert done.returncode in (-9, 0) or done.returncode < 64 and done.stderr.startswith(b"taskvault: error: "), done
                ends.setdefault(done.returncode, []).append(mebibytes)
                if words[1] == "update":
                    found = home.direct("secret", "get", "mail.example", "ada")
                    assert found.returncode == 0, found.stderr
                    new = f"value {number}".encode()
                    allowed = {new} if done.returncode == 0 else {old, new}
                    assert found.stdout in allowed, (mebibytes, found.stdout)
                    old = found.stdout
            assert home.direct("doctor").returncode == 0
        killed = ends.get(-9, [])
        assert killed and 0 in ends and max(ends[0]) == max(STEPS), ends
        print(f"proof: group-limits={len(STEPS)} killed={len(killed)} done={len(ends[0])}")
        print(f"control: up to {max(killed)} MiB the command is killed; with {min(ends[0])} MiB the smallest one completes")


class Limit:
    def __init__(self, group, file):
        self.group, self.file = group, file
        self.words = ["/bin/sh", "-c", f'echo $$ >"{group}/cgroup.procs" && exec "$@"', "sh"]

    def __call__(self, count):
        (self.group / self.file).write_text(str(count))


@contextlib.contextmanager
def control_group():
    for parent, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(parent, f"taskvault-proof-{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if os.access(group / file, os.W_OK):
                yield Limit(group, file)
                return
        finally:
            # What was killed may still be counted.
            for _ in range(100):
                try:
                    group.rmdir()
                    break
                except OSError:
                    time.sleep(0.05)
    not_run("no control group for memory can be made here")


main()
