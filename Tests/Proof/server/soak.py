"""The server under mixed load for a while: no growth of memory, and no descriptor that stays.

    TASKVAULT_SOAK_SECONDS
"""

import collections
import json
import pathlib
import random
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount, wait_for  # noqa: E402
from support.server import CHEAP, PASSWORD, Server  # noqa: E402

SECONDS = amount("TASKVAULT_SOAK_SECONDS", 20)


def client(server, number, done, seen):
    """One person: signs in, uses and refreshes the session, guesses wrong, sends rubbish, breaks off, signs out."""
    chance, name, source = random.Random(number), f"person{number}@example.org", f"127.3.0.{number + 1}"
    access, refresh = server.tokens(name, source=source)
    while not done.is_set():
        act = chance.randrange(8)
        try:
            if act == 0:
                access, refresh = server.tokens(name, source=source)
            elif act == 1:
                status, _, content = server.refresh(refresh)
                assert status == 200, content
                access, refresh = json.loads(content)["access_token"], json.loads(content)["refresh_token"]
            elif act == 2:
                assert server.account(access)[0] == 200
            elif act == 3:
                assert server.request("GET", "/health")[0] == 200
            elif act == 4:
                assert server.sign_in(f"nobody{chance.randrange(10**9)}@example.org", "wrong", source)[0] in (400, 429, 503)
            elif act == 5:
                assert server.request("POST", "/oauth/token", chance.randbytes(chance.randrange(9_000)), source=source)[0] == 400
            elif act == 6:
                with socket.create_connection(("127.0.0.1", server.port)) as connection:
                    connection.sendall(b"POST /oauth/token HTTP/1.1\r\nHost: t\r\nContent-Length: 90\r\n\r\nabc")
            else:
                server.form("/oauth/revoke", {"client_id": "taskvault", "token": refresh})
                access, refresh = server.tokens(name, source=source)
            seen[act] += 1
        except AssertionError as error:
            # Too many sign-ins of one address at once are told to come back.
            assert "429" in str(error) or "temporarily" in str(error) or "slow_down" in str(error), error
            time.sleep(0.2)
            access, refresh = server.tokens(name, source=source) if not done.is_set() else (access, refresh)


with Server(*CHEAP, "--guess-free-failures", "0", "--guess-network-attempts", "0", "--waiting", "1000") as server:
    for number in range(8):
        server.make(f"person{number}@example.org", PASSWORD)
    seen, failed = collections.Counter(), []

    def load(seconds):
        """Some seconds of load; the memory that stays when it is over."""
        done = threading.Event()

        def work(number):
            try:
                client(server, number, done, seen)
            except Exception as error:
                failed.append(repr(error))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        done.set()
        for thread in threads:
            thread.join()
        assert not failed, failed
        wait_for("its descriptors are closed", lambda: server.descriptors <= quiet + 4, 30)
        return server.memory()

    quiet = server.descriptors
    warm = load(SECONDS / 3)
    last = load(SECONDS * 2 / 3)
    assert last <= warm * 1.05 + 2, f"{warm:.1f} MiB after a third, {last:.1f} MiB in the end"
    assert len(seen) == 8 and sum(seen.values()) > 2 * SECONDS, seen
    assert server.process.poll() is None
    with Server(*CHEAP) as other:
        held = [socket.create_connection(("127.0.0.1", other.port)) for _ in range(20)]
        wait_for("they are seen", lambda: other.descriptors >= 20)
        for one in held:
            one.close()
    print("control: held connections appear among the server's descriptors")
    print(f"proof: requests={sum(seen.values())} seconds={SECONDS}")
    print(f"{warm:.1f} MiB after a third of the time, {last:.1f} MiB in the end")
