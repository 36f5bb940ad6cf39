"""Wrong passphrases at a real agent, several at a time, while others ask it for something else."""

import concurrent.futures
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, amount, random_text  # noqa: E402

TRIES = amount("TASKVAULT_WRONG_TRIES", 10)

with Home() as home:
    home.unlock()
    home.expect(0, "secret", "set", "mail.example", "ada", data=b"a value")
    done = threading.Event()
    waited = []

    def ask():
        while not done.is_set():
            begin = time.monotonic()
            assert home.expect(0, "secret", "get", "mail.example", "ada").stdout == b"a value"
            assert home.state != "locked"
            waited.append(time.monotonic() - begin)

    def wrong(_):
        begin = time.monotonic()
        code = home.run("unlock", "--passphrase-file", "-", lines=[random_text()]).returncode
        return code, time.monotonic() - begin

    others = threading.Thread(target=ask)
    others.start()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(wrong, range(TRIES)))
    taken = time.monotonic() - begin
    done.set()
    others.join()
    codes = [code for code, _ in answers]
    assert set(codes) <= {4, 8}, codes
    looked_at = codes.count(4)
    # The n-th one waits 0.1 s × 2^(n-2), at most 10 s, and they wait one after the other.
    least = sum(min(10, 0.1 * 2 ** (number - 1)) for number in range(1, looked_at))
    assert taken >= least, f"{looked_at} wrong ones took {taken:.1f} s, not {least:.1f}"
    assert max(waited) < 5, f"others waited {max(waited):.1f} s"
    assert home.state == "verified" or home.state == "unlocked"
    print(f"control: the wrong ones took {taken:.0f} s, the last {max(seconds for _, seconds in answers):.1f} s")
    print(f"proof: tries={TRIES} others-served={len(waited)}")
    print(f"others waited {statistics.median(waited) * 1000:.0f} ms, {max(waited) * 1000:.0f} ms at most")
