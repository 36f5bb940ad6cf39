"""Whether the time of a refusal tells who has an account: refused sign-ins of names with and without one, in turn.

    timing.py URL PAIRS       registration is open, guessing not limited

The two-sample Kolmogorov-Smirnov test finds no difference (p > 0.01) and the medians lie within 2 %; else once more, because one of a
hundred honest runs fails. As a control, refusals before the password is looked at must be told apart at once.
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
    apart = abs(medians[0] - medians[1]) / min(medians)
    chance = difference(known, unknown)
    control = difference(known, early)
    print(f"{pairs} pairs: p = {chance:.3f}, medians {medians[0] / 1e6:.2f} and {medians[1] / 1e6:.2f} ms, "
          f"{apart * 100:.2f} % apart; control: p = {control:.1e}")
    assert control < 1e-6, "the measurement tells nothing apart"
    # A difference as small as this is told as well, so a dummy left out, which is all of the time, cannot be missed.
    slower = difference(known, [taken * 1.1 for taken in known])
    assert slower < 0.01, "a tenth more is not told apart"
    print(f"proof: pairs={pairs}")
    print(f"control: refusals before the password is looked at (p = {control:.0e}) and a tenth more time (p = {slower:.0e}) are told apart")
    return chance > 0.01 and apart < 0.02


accounts = 25
for number in range(accounts):
    status, content, _ = post(
        "/account",
        json.dumps({"email": f"known{number}@example.org", "password": "correct horse"}),
        "application/json")
    assert status == 201, content

if not (measure(1) or measure(2)):
    raise SystemExit("the time tells who has an account")
