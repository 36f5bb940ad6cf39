"""Clients that stand still: half a head, half a content, an answer that nobody reads, and nothing at all. Others are served meanwhile.

    TASKVAULT_STALLED_CLIENTS, TASKVAULT_STALLED_SECONDS
"""

import asyncio
import collections
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount  # noqa: E402
from support.server import CHEAP, Server  # noqa: E402

CLIENTS = amount("TASKVAULT_STALLED_CLIENTS", 200)
SECONDS = amount("TASKVAULT_STALLED_SECONDS", 25)
# What the server grants, and as much again for a busy machine.
PATIENCE = 10
KINDS = {
    "head": b"POST /oauth/token HTTP/1.1\r\nHost: t\r\nX-A: ",
    "head, byte by byte": b"GET /health HTTP/1.1\r\nHost: t\r\nX-A: ",
    "content": b"POST /oauth/token HTTP/1.1\r\nHost: t\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\na",
    "content, byte by byte": b"POST /oauth/token HTTP/1.1\r\nHost: t\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                             b"Content-Length: 9000\r\n\r\na",
    # So many answers that they do not fit into what lies between.
    "reading": b"GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: t\r\n\r\n" * 6_000,
    "nothing": b""}


async def stall(server, number, until, kept, open_now):
    kind = list(KINDS)[number % len(KINDS)]
    while time.monotonic() < until:
        begin = time.monotonic()
        try:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", server.port, local_addr=(f"127.1.{number % 20}.{number // 200 + 1}", 0), limit=1)
        except OSError:
            await asyncio.sleep(0.5)
            continue
        open_now[0] += 1
        open_now[1] = max(open_now)
        try:
            writer.write(KINDS[kind])
            while True:
                if kind.endswith("byte by byte"):
                    writer.write(b"a")
                if kind == "reading":
                    # Whoever does not read is not told; the server's descriptors are looked at in the end.
                    await asyncio.sleep(until + 2 * PATIENCE - time.monotonic())
                    break
                try:
                    # The end of it, or the one answer that says why.
                    await asyncio.wait_for(reader.read(), 1)
                    break
                except asyncio.TimeoutError:
                    pass
        except OSError:
            pass
        finally:
            writer.transport.abort()
            open_now[0] -= 1
        kept[kind].append(time.monotonic() - begin)


def good(server, seen, done):
    number = 0
    while not done.is_set():
        number += 1
        try:
            if number % 5:
                status = server.request("GET", "/health", source=f"127.2.0.{number % 200 + 1}")[0]
                seen["served" if status == 200 else status] += 1
            else:
                status = server.sign_in("nobody@example.org" if number % 10 else f"n{number}@example.org", "wrong", f"127.2.{number % 250}.1")[0]
                seen["served" if status in (400, 429) else status] += 1
        except OSError as error:
            seen[repr(error)] += 1
        time.sleep(0.005)


with Server(*CHEAP) as server:
    seen, kept, open_now, done = collections.Counter(), collections.defaultdict(list), [0, 0], threading.Event()
    before, left = server.descriptors, []
    asking = threading.Thread(target=good, args=(server, seen, done))
    asking.start()

    async def rest(until):
        # Those who read nothing are still there, and nobody else.
        await asyncio.sleep(until + 2 * PATIENCE - 2 - time.monotonic())
        left.append(server.descriptors)

    async def all_of_them():
        until = time.monotonic() + SECONDS
        await asyncio.gather(*(stall(server, number, until, kept, open_now) for number in range(CLIENTS)), rest(until))

    asyncio.run(all_of_them())
    done.set()
    asking.join()
    total = sum(seen.values())
    assert seen["served"] >= total * 0.999, seen
    for kind, times in kept.items():
        assert kind == "reading" or max(times) <= 2 * PATIENCE, f"{kind}: {max(times):.0f} s"
    assert left[0] <= before + 12, f"{left[0]} descriptors after {before}: who does not read is kept"
    assert set(kept) == set(KINDS) and open_now[1] >= CLIENTS * 0.8, (set(kept), open_now)
    cut = sum(len(times) for times in kept.values())
    print(f"control: {open_now[1]} stalled at once, and were kept for {min(map(min, kept.values())):.0f} s and more")
    print(f"proof: stalled={cut} good={total} good-not-served={total - seen['served']}")
    print("cut off after at most " + ", ".join(f"{kind}: {max(times):.1f} s" for kind, times in kept.items() if kind != "reading"))
