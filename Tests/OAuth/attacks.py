"""What an anonymous client cannot do to a server with the limits that it has if nothing is set, over plain HTTP on loopback.

    attacks.py URL PROCESS FOLDER EMAIL       the password on standard input; FOLDER has database and log
"""

import collections
import http.client
import os
import re
import resource
import socket
import sys
import threading
import time
import urllib.parse

url = urllib.parse.urlparse(sys.argv[1])
process, folder, email = sys.argv[2:5]
password = sys.stdin.readline().rstrip("\n")


def post(path, fields, source="127.0.0.1"):
    # All of 127.0.0.0/8 is this machine: an attacker with many addresses.
    connection = http.client.HTTPConnection(
        url.hostname, url.port, timeout=60, source_address=(source, 0))
    connection.request("POST", path, urllib.parse.urlencode(fields), {
        "Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content.decode(), answer.getheader("Retry-After")


def sign_in(name, secret, source="127.0.0.1"):
    return post("/oauth/token", {
        "grant_type": "password", "client_id": "taskvault", "username": name, "password": secret},
        source)


def get(path, source="127.0.0.1"):
    connection = http.client.HTTPConnection(
        url.hostname, url.port, timeout=60, source_address=(source, 0))
    connection.request("GET", path)
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    return answer.status, content


def derivations():
    return int(re.search(r'event="argon2"} (\d+)', get("/metrics")[1]).group(1))


def memory(name):
    status = open(f"/proc/{process}/status").read()
    return int(re.search(name + r":\s+(\d+) kB", status).group(1)) / 1024


def in_parallel(count, body):
    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Listening: one address, one port.
inodes = set()
try:
    names = os.listdir(f"/proc/{process}/fd")
except PermissionError:
    print("not run: where it listens, needs the administrator, who may look at the server's descriptors")
    names = []
for name in names:
    try:
        inodes.add(os.readlink(f"/proc/{process}/fd/{name}"))
    except FileNotFoundError:
        pass
listening = []
for table in ("tcp", "tcp6", "udp", "udp6"):
    if not os.path.exists("/proc/net/" + table):
        # A machine without IPv6.
        continue
    for line in open("/proc/net/" + table).read().splitlines()[1:]:
        parts = line.split()
        if f"socket:[{parts[9]}]" in inodes and (table.startswith("udp") or parts[3] == "0A"):
            listening.append(parts[1])
if names:
    assert listening == [f"0100007F:{url.port:04X}"], listening
    print("listens at one port of this machine")

# Framing: what a proxy may read in another way gets one answer, and nothing after it is taken for a request.
for fields, status in [
    ("Transfer-Encoding: chunked", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5", 400),
    ("Transfer-Encoding: identity", 501),
    ("Content-Length: 5\r\nContent-Length: 6", 400),
    ("Content-Length: 5, 5", 400),
    ("Content-Length: +5", 400),
    ("Content-Length: -5", 400),
    ("Content-Length: 18446744073709551616", 413),
    ("Content-Length: 9223372036854775807", 413),
]:
    with socket.create_connection((url.hostname, url.port), timeout=60) as connection:
        head = f"POST /oauth/token HTTP/1.1\r\nHost: t\r\n{fields}\r\n\r\n"
        connection.sendall((head + "1\r\na\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: t\r\n\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 %d " % status), (fields, answer)
    assert b"\r\nConnection: close\r\n" in answer and b"HTTP/1.1 2" not in answer, (fields, answer)
print("one answer to what could be read in two ways")

# Tokens: nowhere in what the server keeps.
status, content, _ = sign_in(email, password)
assert status == 200, content
tokens = re.findall(r"tv[ar]_[A-Za-z0-9_-]{43}", content)
kept = b"".join(open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder))
assert email.encode() in kept, "the name is not found either"
for secret in tokens + [password]:
    assert secret.encode() not in kept, "a secret is kept"
    assert secret[4:].encode() not in kept, "a secret is kept"
assert len(tokens) == 2
print("no token and no password is in database or log")

# Half-sent requests from 16 addresses, as many as the server has places and more, keep no one else out.
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
half = []
for number in range(4_300):
    connection = socket.create_connection(
        (url.hostname, url.port), timeout=60, source_address=(f"127.0.3.{1 + number % 16}", 0))
    half.append(connection)
    try:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: t\r\nX-Half:")
    except ConnectionError:
        pass
served = 0
slowest = 0
for number in range(50):
    start = time.monotonic()
    try:
        served += get("/health", f"127.0.4.{1 + number}")[0] == 200
    except (ConnectionError, http.client.RemoteDisconnected):
        pass
    slowest = max(slowest, time.monotonic() - start)
for connection in half:
    connection.close()
assert served == 50 and slowest < 2, f"{served} of 50, {slowest:.1f} s"
print(f"50 of 50 others are served beside {len(half)} half-sent requests")

# A flood of sign-ins, each of another name: memory has a bound, and health is answered.
workers = os.cpu_count()
before = memory("VmRSS")
statuses = collections.Counter()
lock = threading.Lock()
healthy = []


def flood(number):
    if number % 10 == 0:
        # As often as it is turned away for too many connections, but not for ever.
        for _ in range(1_000):
            try:
                healthy.append(get("/health")[0])
                break
            except (ConnectionError, http.client.RemoteDisconnected):
                time.sleep(0.02)
    for part in range(3):
        try:
            status, _, retry = sign_in(
                f"flood{number}-{part}@example.org", "a wrong password", f"127.0.1.{number + 1}")
        except (ConnectionError, http.client.RemoteDisconnected):
            # More connections than one network may have, counting those that are about to end.
            status, retry = 0, 1
        assert status in (0, 400, 429, 503) and (status in (0, 400) or int(retry) > 0), status
        with lock:
            statuses[status] += 1


in_parallel(200, flood)
assert sum(statuses.values()) == 600 and statuses[400] > 0, statuses
assert healthy == [200] * 20, healthy
peak = memory("VmHWM")
# Each thread has a stack of its own as well.
assert peak <= before + workers * 64 + 32, f"{peak} MiB after {before} MiB"
print(f"200 clients at once: {dict(statuses)}; {before:.0f} MiB before, {peak:.0f} MiB at most")

# A thousand guesses, from twenty addresses at once and in many spellings.
start = derivations()
spellings = [email, email.upper(), " " + email, email + " ", email.replace("a", "\uff41"), email + "."]
guesses = collections.Counter()


def guess(number):
    for part in range(50):
        status, _, _ = sign_in(
            spellings[part % len(spellings)], f"guess {number} {part}", f"127.0.2.{number + 1}")
        with lock:
            guesses[status] += 1


in_parallel(20, guess)
done = derivations() - start
assert sum(guesses.values()) == 1000, guesses
assert 0 < done <= 5, done
print(f"1,000 guesses: {done} were looked at")

# One network guesses, so room is left for the owner in another one.
status, content, _ = sign_in(email, password)
assert status == 200, content
print("the owner signs in meanwhile")
print(f"proof: guesses=1000 looked-at={done} parallel-sign-ins={sum(statuses.values())}")
print("control: the right password signs in, and names are found in the database where passwords are not")
