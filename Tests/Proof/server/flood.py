"""Sign-ins by 200 clients at once, each of another name and address: memory has a bound, and health is answered quickly.

    TASKVAULT_FLOOD_SECONDS   for how long
"""

import asyncio
import collections
import os
import pathlib
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount  # noqa: E402
from support.server import Server  # noqa: E402

SECONDS = amount("TASKVAULT_FLOOD_SECONDS", 10)
CLIENTS = 200
# What one derivation takes if nothing is set.
MEMORY = 64


async def client(server, number, until, seen):
    round_number = 0
    while time.monotonic() < until:
        content = urllib.parse.urlencode({
            "grant_type": "password", "client_id": "taskvault", "username": f"flood{number}-{round_number}@example.org",
            "password": "a wrong password"}).encode()
        round_number += 1
        try:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", server.port, local_addr=(f"127.0.{round_number % 200 + 10}.{number + 1}", 0))
            writer.write(b"POST /oauth/token HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                         b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
            answer = await reader.read()
            writer.close()
        except OSError:
            seen["broken"] += 1
            continue
        head = answer.partition(b"\r\n\r\n")[0].decode()
        status = head[9:12]
        assert status in ("400", "503", "429"), head
        assert status == "400" or "retry-after:" in head.lower(), head
        seen[status] += 1
        if status != "400":
            # As a client that does what it is told would: a little later.
            await asyncio.sleep(0.2)


def flood(server, seen):
    async def all_of_them():
        until = time.monotonic() + SECONDS
        await asyncio.gather(*(client(server, number, until, seen) for number in range(CLIENTS)))
    asyncio.run(all_of_them())


def health(server, times, done):
    connection = server.connection("127.0.9.9")
    while not done.is_set():
        begin = time.monotonic()
        connection.request("GET", "/health")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        times.append(time.monotonic() - begin)
        time.sleep(0.01)
    connection.close()


with Server() as server:
    for number in range(3):
        server.sign_in(f"warm{number}@example.org", "a wrong one", f"127.0.8.{number + 1}")
    # Nothing of a derivation stays, so this is what the server needs without one.
    base = server.memory()
    seen, times, done = collections.Counter(), [], threading.Event()
    asking = threading.Thread(target=health, args=(server, times, done))
    # The clients share one processor with whatever asks for health; so does nobody with the server's threads.
    asking.start()
    before = server.derivations
    flood(server, seen)
    done.set()
    asking.join()
    peak, workers = server.memory("VmHWM"), os.cpu_count()
    assert seen["503"] > 0 and seen["400"] > 0, seen
    assert seen["broken"] < sum(seen.values()) / 100, seen
    assert peak <= base + workers * MEMORY + 32, f"{peak:.0f} MiB after {base:.0f} MiB"
    times.sort()
    p99 = times[int(len(times) * 0.99)] * 1000
    assert p99 <= 100, f"health took {p99:.0f} ms"
    print(f"control: {seen['503']} of {sum(seen.values())} were told to come back, so the server had all that it takes")
    print(f"proof: sign-ins={sum(seen.values())} looked-at={server.derivations - before} health={len(times)}")
    print(f"health p50 {times[len(times) // 2] * 1000:.1f} ms, p99 {p99:.1f} ms; {base:.0f} MiB before, {peak:.0f} MiB at most")
