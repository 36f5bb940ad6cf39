"""A word list against one account, from several addresses and in many spellings, and against many accounts from one address.

What counts is how often the server looked at a password. The owner, who did not guess, gets in meanwhile.
"""

import collections
import concurrent.futures
import itertools
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount, random_text  # noqa: E402
from support.server import PASSWORD, Server  # noqa: E402

SECONDS = amount("TASKVAULT_GUESSING_SECONDS", 20)
EMAIL = "ada.lovelace@example.org"
SPELLINGS = [EMAIL, EMAIL.upper(), " " + EMAIL, EMAIL + " ", EMAIL.replace("a", "\uff41"), EMAIL + ".", "Ada.Lovelace@EXAMPLE.org", EMAIL + "\t",
             EMAIL + "\u200b", "ada.lovelace@example.org\0"]
FORGED = ["X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP"]


def guess(server, words, names, sources, until, fields=lambda number: {}):
    """Guesses as quick as it is answered; the answers by status."""
    seen = collections.Counter()
    numbers = itertools.count()

    def work(_):
        while time.monotonic() < until and (number := next(numbers)) < len(words):
            try:
                status, answer_fields, _ = server.sign_in(
                    names[number % len(names)], words[number], sources[number % len(sources)], fields(number))
            except OSError:
                status, answer_fields = 0, {}
            assert status != 200, "guessed"
            assert status != 429 or int(answer_fields["retry-after"]) > 0
            seen[status] += 1

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    return seen


def words(count):
    return [random_text(10) for _ in range(count)]


with Server() as server:
    server.make(EMAIL)
    server.tokens(EMAIL)

    # One account: more words than anybody may try, the last one right.
    begin, before = time.monotonic(), server.derivations
    sources = [f"127.0.2.{number}" for number in range(1, 30)]
    answers = guess(server, words(1_000), SPELLINGS, sources, begin + SECONDS)
    rest = begin + SECONDS - time.monotonic()
    if rest > 0:
        # The whole time, at what is left of it with one in a second.
        while time.monotonic() < begin + SECONDS:
            answers += guess(server, words(20), SPELLINGS, sources, begin + SECONDS)
            time.sleep(0.5)
    account = server.derivations - before
    assert 0 < account <= 5 * (1 + SECONDS // 900), f"{account} passwords of one account were looked at"
    status, _, content = server.sign_in(EMAIL, PASSWORD, "127.0.2.1")
    assert status == 429, "even the right one waits where guesses came from"
    print("control: the owner signs in; from the guessing addresses the right password is refused")

    # Signing in from another network goes on; and refreshing anyway.
    assert server.sign_in(EMAIL)[0] == 200, "the owner is locked out"

    # One address: many names, and fields that say it were another address.
    begin, before = time.monotonic(), server.derivations
    names = [f"somebody{number}@example.org" for number in range(200)]
    minutes = max(1, SECONDS / 60)
    by_source = guess(server, words(3_000), names, ["127.0.3.1"], begin + SECONDS,
                      lambda number: {name: f"192.0.2.{number % 250}" for name in FORGED})
    source = server.derivations - before
    most = 15 + 15 * minutes
    assert 0 < source <= most, f"{source} passwords from one address in {SECONDS} s"

    # Another address is not held up by that.
    assert server.sign_in("nobody@example.org", "a wrong one", "127.0.4.1")[0] == 400

    total = sum(answers.values()) + sum(by_source.values())
    print(f"proof: guesses={total} looked-at-of-one-account={account} looked-at-of-one-source={source} seconds={2 * SECONDS}")
