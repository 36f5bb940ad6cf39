"""A10, A11: headers that ask for too little or too much, and records without end

Each is refused by its name, under a limit of 16 MiB of address space beyond what a harmless refusal takes and of a second of
processor time; how much more processor time it took than the harmless one is measured, and 50 ms are the most that may be. A record of
200 MiB is refused within two seconds, with memory enough to read it.
"""

import ctypes
import hashlib
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys

from vault_home import VaultHome

MOST = (1 << 32) - 1
GRANTED = 16 << 20
# With memory enough for it, and not with time.
HUGE = 200 << 20
AMPLE = 2 << 30
# Passes and memory in KiB, and the name of the refusal.
COSTS = (
    [(passes, memory, "slot_kdf_weak") for passes, memory in (
        (0, 0), (0, 8), (1, 8), (1, 19456), (1, 262144), (2, 0), (2, 8), (2, 19455), (64, 19455), (MOST, 8), (1, MOST), (0, MOST))]
    + [(passes, memory, "slot_kdf_excessive") for passes, memory in (
        (65, 19456), (1 << 31, 19456), (MOST, 19456), (2, MOST), (3, 1 << 31), (MOST, MOST), (64, 1 << 20), (5, 1 << 22),
        (2, (1 << 22) + 1), (64, 262145), (1 << 20, 1 << 20), (3, (1 << 32) - 1024))])


def main():
    with VaultHome() as home:
        home.save("mail.example", "ada", b"value")
        sound = home.vault.read_bytes()
        least = least_memory(home, sound)
        limits = [f"--as={least + GRANTED}", "--cpu=1"]
        # What a refusal takes that has nothing to do with costs.
        harmless = min(measure(home, sound, header(magic=b"TVHE"), "header_magic", limits)[1] for _ in range(5))
        cases = [(f"{passes} passes, {memory} KiB", header(passes=passes, memory=memory), name) for passes, memory, name in COSTS]
        cases += [(f"algorithm {number}", header(algorithm=number), "slot_algorithm") for number in (0, 2, 3, 255)]
        cases += [(f"kind {number}", header(kind=number), "slot_kind") for number in (0, 4, 255)]
        key = {"kind": 3, "algorithm": 2}
        cases += [("kind 3 with a cost", header(**key), "slot_parameters"), ("kind 3 with passes", header(**key, memory=0), "slot_parameters"),
                  ("kind 3 without a record", header(**key, passes=0, memory=0), "slot_record")]
        cases += [(f"a record of {number} bytes", header(record=number), "header_truncated") for number in (1 << 16, 1 << 31, MOST - 45, MOST)]
        cases += [(f"format {number}", header(format=number), "header_format") for number in (0, 1, 3, 255, 1 << 24, MOST)]
        cases += [(f"{number} slots", header(slots=number), "slot_count") for number in (0, 9, 255)]
        cases += [(f"{number} slots", header(slots=number), "header_truncated") for number in (3, 8)]
        cases += [("a long header", records("header", 3 << 20), "header_trailing_bytes"), ("a long state", records("state", 3 << 20), "state_length"),
                  ("a long bucket record", records("buckets", 3 << 20), "bucket_length"),
                  *((f"a huge {column} of {table}", records(table, HUGE, column), name) for table, column, name in (
                      ("header", "bytes", "file_damaged"), ("state", "bytes", "file_damaged"), ("buckets", "bytes", "file_damaged"),
                      ("items", "tag", "row_shape"), ("items", "attributes", "row_shape"), ("items", "value", "row_shape")))]
        slowest, wrong, sizes = 0.0, [], 0
        for what, change, name in cases:
            # Behind the derivation, which is as dear as the owner wanted, a record may need its 19 MiB.
            is_before = not what.startswith(("a huge", "a long"))
            more_memory = AMPLE if what.startswith("a huge") else 0 if is_before else 40 << 20
            found, seconds = None, 9.0
            for _ in range(3):
                found, more = measure(home, sound, change, name, [f"--as={least + GRANTED + more_memory}", f"--cpu={1 if is_before else 2}"])
                seconds = min(seconds, more)
            if found != name:
                wrong.append(f"{what}: {found}, expected {name}")
            elif is_before:
                slowest = max(slowest, seconds - harmless)
                if seconds - harmless > 0.05:
                    wrong.append(f"{what}: took {seconds - harmless:.3f} s")
            else:
                sizes += 1
    print("\n".join(wrong))
    print(f"proof: headers={len(cases) - sizes} sizes={sizes} slowest-milliseconds={round(slowest * 1000)} wrong={len(wrong)}")
    control()
    sys.exit(1 if wrong else 0)


def header(**changes):
    """Changes the header's first slot, whose checksum is made to fit: it is no protection."""
    def change(database):
        data = bytearray(database.execute("SELECT bytes FROM header").fetchone()[0])
        slot = 29
        fields = {"magic": (0, "4s"), "format": (4, "<I"), "slots": (28, "B"), "kind": (slot + 16, "B"), "algorithm": (slot + 17, "B"),
                  "passes": (slot + 18, "<I"), "memory": (slot + 22, "<I"), "record": (slot + 42, "<I")}
        for name, value in changes.items():
            place, layout = fields[name]
            struct.pack_into(layout, data, place, value)
        # A slot without a record has 414 bytes.
        covered = b"TVSL" + bytes(data[8:24]) + bytes(data[slot:slot + 398])
        data[slot + 398:slot + 414] = hashlib.blake2b(covered, digest_size=16).digest()
        database.execute("UPDATE header SET bytes = ?", (bytes(data),))
    return change


def records(table, size, column="bytes"):
    """Makes a record as much longer, with zeros."""
    def change(database):
        data = database.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone()[0]
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (data + bytes(size), data))
    return change


def run(home, limits):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    home.beneath = ["/usr/bin/prlimit", *limits]
    result = home.direct("secret", "list", "--json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(home, sound, change, name, limits):
    """The name of the refusal, or how it ended; and the processor time."""
    for suffix in ("-wal", "-shm"):
        home.vault.with_name("vault.db" + suffix).unlink(missing_ok=True)
    home.write(home.vault, sound)
    database = sqlite3.connect(home.vault)
    database.execute("PRAGMA synchronous = OFF")
    change(database)
    database.commit()
    database.close()
    result, seconds = run(home, limits)
    for line in result.stderr.decode(errors="replace").splitlines():
        if '"code":"' in line and result.returncode in (1, 7, 8):
            return line.split('"code":"')[1].split('"')[0], seconds
    return f"exit code {result.returncode}: {result.stderr[-200:]}", seconds


def least_memory(home, sound):
    """With how much address space a harmless refusal comes about, in bytes."""
    low, high = 1 << 20, 512 << 20
    while high - low > 65536:
        middle = (low + high) // 2
        found, _ = measure(home, sound, header(magic=b"TVHE"), "header_magic", [f"--as={middle}"])
        low, high = (low, middle) if found == "header_magic" else (middle, high)
    return high


def control():
    """What a reader would come to who hands these costs on: libsodium, under the same limits."""
    ended = 0
    excessive = [(passes, memory) for passes, memory, name in COSTS if name == "slot_kdf_excessive"]
    for passes, memory in excessive:
        child = subprocess.run([sys.executable, __file__, "--derive", str(passes), str(memory)], capture_output=True)
        ended += child.returncode in (99, -signal.SIGXCPU, -signal.SIGKILL)
    print(f"control: libsodium exceeded memory or time with {ended} of the same {len(excessive)} costs")
    if ended < len(excessive):
        sys.exit("the limits do not bite")


def derive(passes, memory):
    sodium = ctypes.CDLL("libsodium.so.23")
    sodium.sodium_init()
    sodium.crypto_pwhash.argtypes = [
        ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_size_t,
        ctypes.c_int]
    with open("/proc/self/statm") as status:
        used = int(status.read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + GRANTED, used + GRANTED))
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    output = ctypes.create_string_buffer(64)
    if sodium.crypto_pwhash(output, 64, b"passphrase", 10, b"s" * 16, passes, memory << 10, 2) != 0:
        sys.exit(99)


if sys.argv[1:2] == ["--derive"]:
    derive(int(sys.argv[2]), int(sys.argv[3]))
else:
    if not shutil.which("prlimit"):
        print("not run: prlimit is missing")
        sys.exit(77)
    main()
