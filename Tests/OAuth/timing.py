"""Whether the time of a refusal tells who has an account: refused sign-ins of names with and without one, in turn.

    timing.py URL PAIRS       registration is open, guessing not limited

The two-sample Kolmogorov-Smirnov test finds no difference (p > 0.01), and the median difference within a pair is not beyond 2 %: its
interval of 99 % confidence, by the sign test, reaches that far in, however much the machine's other work scatters the times. Else once
more, because one of fifty honest runs fails. As controls, refusals before the password is looked at must be told apart, and half as
much time again; the least that would have been told on this machine is printed.
"""

import http.client
import json
import math
import random
import statistics
import sys
import time
import urllib.parse

url = urllib.parse.urlparse(sys.argv[1])
pairs = int(sys.argv[2])
connection = http.client.HTTPConnection(url.hostname, url.port)


def post(path, content, kind):
    connection.request("POST", path, content, {"Content-Type": kind})
    answer = connection.getresponse()
    return answer.status, answer.read(), sorted(
        (name, value) for name, value in answer.getheaders()
        if name not in ("Date", "X-Request-Id"))


def sign_in(name, password="a wrong password"):
    form = urllib.parse.urlencode({
        "grant_type": "password", "client_id": "taskvault", "username": name,
        "password": password})
    start = time.perf_counter_ns()
    answer = post("/oauth/token", form, "application/x-www-form-urlencoded")
    return time.perf_counter_ns() - start, answer


def difference(left, right):
    """The p-value of the two-sample Kolmogorov-Smirnov test, by its asymptotic distribution."""
    left, right = sorted(left), sorted(right)
    i = j = 0
    most = 0.0
    while i < len(left) and j < len(right):
        value = min(left[i], right[j])
        while i < len(left) and left[i] == value:
            i += 1
        while j < len(right) and right[j] == value:
            j += 1
        most = max(most, abs(i / len(left) - j / len(right)))
    root = math.sqrt(len(left) * len(right) / (len(left) + len(right)))
    scaled = (root + 0.12 + 0.11 / root) * most
    if scaled < 0.2:
        return 1.0
    return max(0.0, min(1.0, 2 * sum(
        (-1) ** (k - 1) * math.exp(-2 * k * k * scaled * scaled) for k in range(1, 101))))


def median_difference(left, right):
    """The interval in which the median of the pairs' differences lies with 99 % confidence (sign test), as shares of the time."""
    usual = min(statistics.median(left), statistics.median(right))
    apart = sorted((one - other) / usual for one, other in zip(left, right))
    # Half the root of the count is the spread of a binomial, and 2.576 of them to both sides hold 99 % of it.
    reach = 2.576 / 2 * math.sqrt(len(apart))
    middle = len(apart) / 2
    return apart[max(0, int(middle - reach))], apart[min(len(apart) - 1, int(middle + reach))]


def told_apart(left, right, limit=0.02):
    low, high = median_difference(left, right)
    return difference(left, right) <= 0.01 or low > limit or high < -limit


def measure(seed):
    shuffle = random.Random(seed)
    known, unknown, early = [], [], []
    answers = set()
    for number in range(pairs):
        tries = [(known, f"known{number % accounts}@example.org"),
                 (unknown, f"nobody{number % accounts}@example.org")]
        shuffle.shuffle(tries)
        for times, name in tries:
            taken, answer = sign_in(name)
            times.append(taken)
            answers.add(repr(answer))
        early.append(sign_in("known0@example.org", "short")[0])
    assert len(answers) == 1 and "invalid_grant" in answers.pop(), "the answers differ"
    medians = statistics.median(known), statistics.median(unknown)
    chance, (low, high) = difference(known, unknown), median_difference(known, unknown)
    print(f"{pairs} pairs: p = {chance:.3f}, medians {medians[0] / 1e6:.2f} and {medians[1] / 1e6:.2f} ms, "
          f"a pair {low * 100:+.2f} to {high * 100:+.2f} % apart")
    assert told_apart(known, early), "refusals before the password is looked at are not told apart, so nothing would be"
    least = next((share for share in (0.02, 0.05, 0.1, 0.2, 0.5) if told_apart(known, [taken * (1 + share) for taken in unknown])), None)
    # A missing dummy hash is all of the time, one of another cost at least half of it.
    assert least, "half as much time again is not told apart"
    print(f"control: refusals before the password is looked at are told apart, and {least * 100:.0f} % more time")
    print(f"proof: pairs={pairs}")
    return not told_apart(known, unknown)


accounts = 25
for number in range(accounts):
    status, content, _ = post(
        "/account",
        json.dumps({"email": f"known{number}@example.org", "password": "correct horse"}),
        "application/json")
    assert status == 201, content

if not (measure(1) or measure(2)):
    raise SystemExit("the time tells who has an account")
