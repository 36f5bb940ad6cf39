"""Sign-ins by 200 clients at once, each of another name and address: memory has a bound, and health is answered quickly.

    TASKVAULT_FLOOD_SECONDS   for how long
"""

import asyncio
import collections
import http.client
import json
import os
import pathlib
import select
import socket
import subprocess
import sys
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


def bare():
    """What answers as little as can be: how long the machine takes by itself."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            client, _ = listener.accept()
            while client.recv(4096):
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def ask(ports):
    """Asks each in turn until standard input ends, and prints the times; in a process of its own, apart from the clients."""
    connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=30) for port in ports]
    times = [[] for _ in ports]
    while not select.select([sys.stdin], [], [], 0.01)[0]:
        for connection, taken in zip(connections, times):
            begin = time.monotonic()
            connection.request("GET", "/health")
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
            taken.append((time.monotonic() - begin) * 1000)
    print(json.dumps([sorted(taken) for taken in times]))


def started(*words, **more):
    return subprocess.Popen(["/usr/bin/python3", __file__, *map(str, words)], stdout=subprocess.PIPE, text=True, **more)


def main():
    with Server() as server:
        for number in range(3):
            server.sign_in(f"warm{number}@example.org", "a wrong one", f"127.0.8.{number + 1}")
        # Nothing of a derivation stays, so this is what the server needs without one.
        base = server.memory()
        seen, before = collections.Counter(), server.derivations
        echo = started("bare")
        asking = started("ask", server.port, echo.stdout.readline().strip(), stdin=subprocess.PIPE)
        try:
            flood(server, seen)
            served, alone = json.loads(asking.communicate("", timeout=60)[0])
        finally:
            for process in (echo, asking):
                process.kill()
                process.wait()
        peak, workers = server.memory("VmHWM"), os.cpu_count()
        assert seen["503"] > 0 and seen["400"] > 0, seen
        assert seen["broken"] < sum(seen.values()) / 100, seen
        assert peak <= base + workers * MEMORY + 32, f"{peak:.0f} MiB after {base:.0f} MiB"
        p99, p99_alone = served[int(len(served) * 0.99)], alone[int(len(alone) * 0.99)]
        print(f"control: {seen['503']} of {sum(seen.values())} were told to retry later, so the server was saturated")
        print(f"health p50 {served[len(served) // 2]:.1f} ms, p99 {p99:.1f} ms; what does nothing p99 {p99_alone:.1f} ms; "
              f"{base:.0f} MiB before, {peak:.0f} MiB at most")
        assert p99 <= 100, f"health took {p99:.0f} ms, what does nothing {p99_alone:.0f} ms"
        print(f"proof: sign-ins={sum(seen.values())} looked-at={server.derivations - before} health={len(served)}")


if sys.argv[1:2] == ["bare"]:
    bare()
elif sys.argv[1:2] == ["ask"]:
    ask([int(port) for port in sys.argv[2:]])
else:
    main()
