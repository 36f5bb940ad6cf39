"""The idle and the absolute limit in real time: keys are gone within a second after it, without anybody asking, and not before.

Whether they are there is seen from outside, by the memory that the agent has locked.
"""

import concurrent.futures
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, amount, field, wait_for  # noqa: E402

RUNS = amount("TASKVAULT_LIMIT_RUNS", 10)
LIMIT = 2.0
TOGETHER = 10


def locked(process):
    return int(field(process, "VmLck").split()[0])


def runs(number, count):
    """Some sessions after each other: how late each has ended, in seconds."""
    late = []
    with Home() as home:
        process = home.unlock()
        home.expect(0, "secret", "set", "mail.example", "ada", data=b"a value")
        # What is kept for later use is there from then on.
        for words in ("secret get mail.example ada", "secret list"):
            home.expect(0, *words.split())
        setting = "idle-limit" if number % 2 else "absolute-limit"
        home.expect(0, "settings", "set", setting, "2s")
        wait_for("locked", lambda: home.state == "locked")
        empty = locked(process)
        for _ in range(count):
            begin = time.monotonic()
            home.unlock()
            begun = time.monotonic()
            assert locked(process) > empty, "nothing tells an unlocked agent from a locked one"
            if setting == "idle-limit":
                # A use extends it, status and listing do not.
                time.sleep(0.5)
                begin = time.monotonic()
                home.expect(0, "secret", "get", "mail.example", "ada")
                begun = time.monotonic()
                time.sleep(0.3)
                home.expect(0, "secret", "list")
                home.expect(0, "status")
            # It began somewhere between these two moments.
            while (now := time.monotonic()) < begin + LIMIT - 0.05:
                there = locked(process) > empty
                assert there or time.monotonic() > begin + LIMIT, f"{setting}: {begin + LIMIT - now:.2f} s early"
                time.sleep(0.02)
            wait_for("the keys are gone", lambda: locked(process) <= empty, 20)
            late.append(time.monotonic() - begun - LIMIT)
    return late


with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
    each = [RUNS // TOGETHER + (number < RUNS % TOGETHER) for number in range(TOGETHER)]
    late = [value for part in pool.map(runs, range(TOGETHER), each) for value in part]
assert max(late) <= 1, f"{max(late):.2f} s late"
print("control: until then the agent has its keys in locked memory")
print(f"proof: runs={len(late)} over-a-second=0")
print(f"{max(late):.2f} s after the limit at the latest")
