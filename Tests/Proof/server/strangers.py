"""What a stranger can cost: the worst contents found for each path, in processor time of the server, and floods from many networks.

Before its network is counted, a request costs less than a thousandth of a derivation more than an ordinary one of its path. Meanwhile a known device signs in.

    TASKVAULT_STRANGERS_SECONDS   for how long networks flood
"""

import collections
import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount  # noqa: E402
from support.server import FORM, PASSWORD, Server  # noqa: E402

SECONDS = amount("TASKVAULT_STRANGERS_SECONDS", 8)
EMAIL = "ada.lovelace@example.org"
JSON = {"Content-Type": "application/json"}
PUSH = {"TTL": "1", "Content-Encoding": "aes128gcm"}
CODE = "A" * 43


def marks(size):
    """Text that normalisation sorts in quadratic time."""
    return "\u0344" * (size // 4) + "\u0323" * (size // 4)


def form(**values):
    return "POST", "/oauth/token", urllib.parse.urlencode(values).encode(), FORM


def raw(content):
    return "POST", "/oauth/token", content.encode(), FORM


def members(path, **values):
    return "POST", path, json.dumps(values, ensure_ascii=False).encode(), JSON


def account(**values):
    return members("/account", **({"email": "x@y.example", "password": "a password", "invitation": "tvi_" + CODE} | values))


def escapes(name):
    """Each character as six bytes of JSON, as many as fit."""
    method, path, content, headers = account(**{name: "?"})
    return method, path, content.replace(b'"?"', b'"' + b"\\u0315" * 2_650 + b'"'), headers


def reset(**values):
    return members("/account/reset", **({"email": "x@y.example", "code": "tvs_" + CODE, "new_password": "a password"} | values))


def sign_in(**values):
    return {"client_id": "taskvault", "grant_type": "password", "username": "x@y.example", "password": "a password"} | values


BEARER = {"Authorization": "Bearer " + "A" * 43}
REQUESTS = {
    "account: slow for libzxcvbn": account(password="78" * 32),
    "account: slow to normalise": account(password=marks(15_000)),
    "account: password of marks in a row": account(password="a" + "\u0315\u0300\u05ae" * 500),
    "account: password of escapes": escapes("password"),
    "account: name of escapes": escapes("email"),
    "account: name of marks": account(email=f"x{marks(1_000)}@y.example"),
    "account: name of ligatures": account(email="\ufdfa" * 330 + "@y.example"),
    "account: code of marks": account(invitation=marks(15_000)),
    "account: member of marks": account(**{marks(15_000): "x"}),
    "account: members of marks": account(**{marks(60) + str(number): "x" for number in range(15)}),
    "reset: slow for libzxcvbn": reset(new_password="78" * 32),
    "reset: slow to normalise": reset(new_password=marks(15_000)),
    "token: name of marks": raw("client_id=taskvault&grant_type=password&password=12345678&username=a" + marks(1_000) + "@b.example"),
    "token: client of marks": raw("client_id=" + marks(16_000)),
    "token: grant of marks": raw("client_id=taskvault&grant_type=" + marks(16_000)),
    "token: scope of marks": raw("client_id=taskvault&grant_type=password&scope=" + marks(16_000)),
    "token: field of marks": raw(marks(16_000) + "=x"),
    "token: many fields": raw("&".join(f"{number:x}=1" for number in range(2_000))),
    "token: unknown refresh token": form(client_id="taskvault", grant_type="refresh_token", refresh_token="tvr_" + CODE),
    "revoke: unknown token": ("POST", "/oauth/revoke", f"client_id=taskvault&token=tvr_{CODE}".encode(), FORM),
    "acknowledge: many members": (
        "POST", "/messages/acknowledge", json.dumps({f"{number:x}": 0 for number in range(1_500)}).encode(), JSON | BEARER),
    "acknowledge: deep": ("POST", "/messages/acknowledge", b'{"messages":' + b"[" * 8_000 + b"]" * 8_000 + b"}", JSON | BEARER),
    "push: unknown address": ("POST", "/push/tvp_" + CODE, b"x" * 4_096, PUSH),
    "push: urgency of marks": ("POST", "/push/tvp_" + CODE, b"x" * 40, PUSH | {"Urgency": marks(8_000).encode()}),
    "push: many parameters": ("POST", "/push/tvp_" + CODE, b"x" * 40, PUSH | {"Authorization": "vapid " + ",".join(f"{number}=1" for number in range(700))}),
    "push: signature of marks": (
        "POST", "/push/tvp_" + CODE, b"x" * 40, PUSH | {"Authorization": b"vapid t=" + marks(3_900).encode() + b",k=AA"}),
    "account: scheme of marks": ("GET", "/account", None, {"Authorization": marks(8_000).encode()}),
    "account: type of marks": ("POST", "/account", b"{}", {"Content-Type": b"a/" + marks(8_000).encode()}),
}
# Of each path, what the worst and the ordinary ones have in common: connection, head, size of the content, the queue of the storage.
ORDINARY = {
    "account": [account(), account(password="a" * 15_000), ("GET", "/account", None, {"X-Padding": "a" * 8_000})],
    "reset": [reset(), reset(new_password="a" * 15_000)],
    "token": [raw("client_id=nobody&padding=" + "a" * 16_000), form(**sign_in(client_id="nobody"))],
    "revoke": [("POST", "/oauth/revoke", f"client_id=taskvault&token=tvr_{'B' * 43}".encode(), FORM)],
    "acknowledge": [("POST", "/messages/acknowledge", b'{"messages":[]}', JSON | BEARER)],
    "push": [("POST", "/push/tvp_" + CODE, b"x" * 40, PUSH | {"Authorization": "vapid t=a.b.c,k=AA"})],
}


def processor_time(server):
    """Of all threads, in microseconds."""
    total = 0
    for thread in os.listdir(f"/proc/{server.process.pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{server.process.pid}/task/{thread}/schedstat") as file:
            total += int(file.read().split()[0])
    return total / 1_000


def cost(server, request, count):
    """Of one request, in microseconds: the mean of a round."""
    method, path, content, fields = request
    with contextlib.closing(server.connection(timeout=120)) as connection:
        connection.request("GET", "/health")
        connection.getresponse().read()
        before = processor_time(server)
        for _ in range(count):
            connection.request(method, path, content, fields)
            answer = connection.getresponse()
            answer.read()
            assert answer.status not in (200, 201, 204) or path == "/oauth/revoke", (path, answer.status)
            assert answer.status != 500
        return (processor_time(server) - before) / count


def more_than_ordinary(server, request, ordinary, limit):
    """What a request costs more than the dearest ordinary one, in microseconds. They take turns, and each counts by its cheapest round,
    because other work of the machine makes a round dearer and none cheaper: three rounds, or up to thirty while the limit is passed."""
    of_request, of_ordinary = [], [[] for _ in ordinary]
    while len(of_request) < 3 or len(of_request) < 30 and min(of_request) - max(map(min, of_ordinary)) > limit:
        of_request.append(cost(server, request, 50))
        for rounds, usual in zip(of_ordinary, ordinary):
            rounds.append(cost(server, usual, 50))
    return min(of_request) - max(map(min, of_ordinary))


def derivation_cost(server):
    """Of a sign-in by a name without an account, in microseconds; the least of three."""
    def once(number):
        before = processor_time(server)
        assert server.sign_in(f"nobody{number}@example.org", "a wrong password")[0] == 400
        return processor_time(server) - before
    return min(once(number) for number in range(3))


def flood(server, until, seen):
    """60 networks, each with up to 100 addresses, sign in and make accounts with slow passwords as quickly as they are answered."""
    numbers = itertools.count()

    def work(number):
        while time.monotonic() < until:
            source = f"127.{number + 1}.{next(numbers) % 100}.1"
            try:
                if number % 3 == 0:
                    path, content, fields = "/account", json.dumps(
                        {"email": f"{number}-{next(numbers)}@example.org", "password": "78" * 32}), JSON
                else:
                    path, fields = "/oauth/token", FORM
                    content = urllib.parse.urlencode(sign_in(username=f"{number}-{next(numbers)}@example.org"))
                seen[server.request("POST", path, content, fields, source)[0]] += 1
            except OSError:
                seen["broken"] += 1

    return [pool.submit(work, number) for number in range(60)]


with Server() as server, concurrent.futures.ThreadPoolExecutor(64) as pool:
    server.make(EMAIL)
    derivation = derivation_cost(server)
    usual = cost(server, account(), 50)
    assert derivation > 20 * usual, (derivation, usual)
    limit = derivation / 1_000
    print(f"control: a derivation takes {derivation:.0f} us, an ordinary request {usual:.0f} us; {limit:.0f} us more than one of the path would be too much")
    worst = {name: more_than_ordinary(server, request, ORDINARY[name.partition(":")[0]], limit) for name, request in REQUESTS.items()}
    for name, more in sorted(worst.items(), key=lambda entry: -entry[1])[:5]:
        print(f"{more:6.0f} us more  {name}")
    slow = {name: more for name, more in worst.items() if more > limit}
    assert not slow, slow

    # The known device is that of another network.
    status, _, content = server.sign_in(EMAIL, PASSWORD, "127.200.0.1")
    assert status == 200, content
    device, refresh = (json.loads(content)[name] for name in ("device_token", "refresh_token"))
    seen = collections.Counter()
    until = time.monotonic() + SECONDS
    running = flood(server, until, seen)
    time.sleep(1)
    owner, slowest = 0, 0.0
    while owner < 50 and time.monotonic() < until:
        begun = time.monotonic()
        status, _, content = server.form("/oauth/token", sign_in(username=EMAIL, password=PASSWORD, device_token=device), "127.200.0.1")
        assert status == 200, f"the owner's known device got {status} after {owner}"
        slowest = max(slowest, time.monotonic() - begun)
        status, _, content = server.refresh(refresh)
        assert status == 200, content
        refresh = json.loads(content)["refresh_token"]
        owner += 1
    for future in running:
        future.result()
    assert seen[503] > 0 and owner > 0, (owner, seen)
    print(f"control: {seen[503]} of the flood found no place, so the lane was full")
    print(f"proof: requests={len(worst)} flood={sum(seen.values())} owner-signed-in={owner} owner-milliseconds-at-most={slowest * 1e3:.0f} owner-refused=0")
