"""An agent whose clients come and go, break off, say nothing, or send what is no protocol: memory and descriptors do not grow, and good
requests are answered all the time.

    TASKVAULT_AGENT_REQUESTS   good requests
"""

import os
import pathlib
import random
import resource
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, amount, field, not_run, wait_for  # noqa: E402

REQUESTS = amount("TASKVAULT_AGENT_REQUESTS", 1_500)
# As many as this process may have descriptors for.
IDLE = min(1_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
HELLO = b"\x00TVAG" + (1).to_bytes(4, "little") + (1).to_bytes(4, "little") + b"x"
STATUS = 0x10
# All but the end of the agent and of the session.
KINDS = [kind for kind in range(256) if kind not in (0x01, 0x13)]


def frame(payload):
    return len(payload).to_bytes(4, "little") + payload


def connect(home):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30)
    client.connect(home.path + "/agent.sock")
    return client


def connect_if_there_is_room(home):
    try:
        return connect(home)
    except BlockingIOError:
        return None


def receive(client):
    size = int.from_bytes(exactly(client, 4), "little")
    return exactly(client, size)


def exactly(client, count):
    content = b""
    while len(content) < count:
        part = client.recv(count - len(content))
        if not part:
            raise ConnectionError
        content += part
    return content


def hostile(home, chance):
    """One client that does not keep to the protocol."""
    try:
        with connect(home) as client:
            kind = chance.randrange(6)
            if kind == 0:
                client.sendall(chance.randbytes(chance.randrange(1, 3_000)))
            elif kind == 1:
                client.sendall(b"\xff\xff\xff\xff" + b"a" * 100)
            elif kind == 2:
                client.sendall(frame(HELLO)[: chance.randrange(1, 15)])
            else:
                client.sendall(frame(HELLO))
                receive(client)
                # A request changed in one place, cut, or longer than it says.
                request = bytearray(frame(bytes([chance.choice(KINDS)]) + chance.randbytes(chance.randrange(1, 60))))
                if kind == 3:
                    request[chance.randrange(len(request))] = chance.randrange(256)
                elif kind == 4:
                    request = request[: chance.randrange(len(request))]
                client.sendall(bytes(request))
    except OSError:
        pass


def memory(process):
    return int(field(process, "VmRSS").split()[0]) / 1024


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


with Home() as home:
    process = home.unlock()
    try:
        descriptors(process)
    except PermissionError:
        not_run("needs the administrator, who may look at the agent's descriptors")
    # Nothing of it may end the session.
    home.expect(0, "secret", "set", "mail.example", "ada", data=b"a value")
    quiet = descriptors(process)
    idle = []
    while len(idle) < IDLE:
        # More may wait than the system lines up; the agent comes to them.
        idle.append(wait_for("one more is let in", lambda: connect_if_there_is_room(home)))
    wait_for("they are held", lambda: descriptors(process) > quiet + 20)
    print(f"control: {descriptors(process) - quiet} descriptors more while {len(idle)} clients say nothing")
    begin = time.monotonic()
    assert home.expect(0, "secret", "get", "mail.example", "ada").stdout == b"a value"
    waited = time.monotonic() - begin
    for client in idle:
        client.close()
    done = threading.Event()
    sent = [0]

    def disturb(number):
        chance = random.Random(number)
        while not done.is_set():
            hostile(home, chance)
            sent[0] += 1
            time.sleep(0.002)

    others = [threading.Thread(target=disturb, args=(number,)) for number in range(2)]
    for other in others:
        other.start()
    warm = peak = 0
    command, count = 0, 0
    while count < REQUESTS:
        # Requests of a client that stays, and one of each command now and then.
        with connect(home) as client:
            client.sendall(frame(HELLO))
            receive(client)
            for _ in range(50):
                client.sendall(frame(bytes([STATUS])))
                receive(client)
                count += 1
        if count % 500 == 0:
            assert home.expect(0, "secret", "get", "mail.example", "ada").stdout == b"a value"
            command += 1
        if count == REQUESTS // 150 * 50:
            warm = memory(process)
        if warm:
            peak = max(peak, memory(process))
    done.set()
    for other in others:
        other.join()
    wait_for("its descriptors are closed", lambda: descriptors(process) <= quiet + 1, 60)
    last = memory(process)
    assert warm and last <= warm * 1.05 + 2, f"{warm:.1f} MiB after a third, {last:.1f} MiB in the end"
    assert home.status["process_id"] == process and home.state == "verified"
    print(f"proof: requests={count} hostile-clients={sent[0]} idle-clients={len(idle)}")
    print(f"{warm:.1f} MiB after a third of the requests, {last:.1f} MiB in the end, {peak:.1f} MiB at most; {waited:.2f} s beside idle clients")
