"""Every route with every method, and requests that are odd, huge, cut, or for what is not there: what each answer must and must not say.

The fields of answers (E11), framing (E8), paths, methods and redirects (E17), tokens in answers, logs and files (E9), other users (E15), and
what listens (E18).
"""

import errno
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import AUTHD, OTHER, as_other, random_text  # noqa: E402
from support.server import CHEAP, FORM, PASSWORD, Server  # noqa: E402

ROUTES = ["/", "/account", "/account/password", "/account/remove", "/oauth/token", "/oauth/revoke", "/oauth/introspect", "/health", "/metrics",
          "/.well-known/oauth-authorization-server", "/nowhere"]
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"]
ODD_PATHS = [
    "/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/account/../metrics", "//metrics", "/./metrics", "/metrics/", "/METRICS",
    "/metrics%00", "/metrics;x", "/metrics?x=1", "/%6detrics", "/account/%2e%2e/health", "/oauth//token", "/oauth/token/..", "/\\..\\..\\windows",
    "/account%2fpassword", "/accounts.db", "/log", "/.git/config", "/robots.txt", "/" + "a" * 9_000, "http://other.example/metrics",
    "//evil.example/%2e%2e", "/account?next=https://evil.example", "/oauth/token?redirect_uri=https://evil.example", "*"]
OVERRIDES = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]
FRAMING = [
    "Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5", "Transfer-Encoding: identity", "Transfer-Encoding : chunked",
    "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding:\tchunked",
    "Transfer-Encoding: chunked, identity", "X: y\r\n Transfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5",
    "Content-Length: +5", "Content-Length: -5", "Content-Length: 0x5", "Content-Length: 5 ", "Content-Length : 5", "Content-Length: 5\x00",
    "Content-Length: 18446744073709551616", "Content-Length: 9223372036854775807", "Content-Length: ٥", "X-A: a\x00b", "X-A: a\rb", "X-A\x00: b",
    "X A: b", ": b", "X-A", "\tX-A: b", "Host: other.example\r\nHost: third.example"]


class Raw:
    """Bytes as they are, and all that comes back."""

    def __init__(self, port):
        self.port = port

    def __call__(self, content, finish=True):
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(content)
            if finish:
                try:
                    connection.shutdown(socket.SHUT_WR)
                except OSError as error:
                    # The server may have answered and ended the connection already.
                    if error.errno != errno.ENOTCONN:
                        raise
            answer = b""
            try:
                while part := connection.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer


# What libmicrohttpd refuses by itself, with a page of its own (Docs/AuthProtocol.md): always the same words, and the connection ends.
pages_of_the_library = 0


def is_page_of_the_library(answer):
    if b"<html><head><title>" not in answer:
        return False
    global pages_of_the_library
    pages_of_the_library += 1
    head = answer.partition(b"\r\n\r\n")[0]
    assert re.match(rb"HTTP/1\.1 (400|413|414|431|501|505) ", head) and b"\r\nConnection: close" in head, answer
    # It may write its head a second time in front of the page.
    for line in answer.split(b"\r\n"):
        assert re.match(rb"(HTTP/1\.1 \d{3} |Date: |Connection: close$|Content-Length: \d+$|Content-Type: text/html|<html>|$)", line), answer
    return True


def check(answer, what, is_head=False):
    """One answer: its fields as every answer has them."""
    head, _, content = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    assert re.fullmatch(r"HTTP/1\.[01] \d{3} .*", lines[0]), (what, lines[0])
    status = int(lines[0].split()[1])
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(": ")
        fields.setdefault(name.lower(), []).append(value)
    assert all(len(values) == 1 for name, values in fields.items() if name != "www-authenticate"), (what, fields)
    one = {name: values[0] for name, values in fields.items()}
    assert one.get("cache-control") == "no-store", (what, one)
    assert one.get("x-content-type-options") == "nosniff", (what, one)
    assert one.get("referrer-policy", "no-referrer") == "no-referrer", (what, one)
    for name in ("set-cookie", "location", "server", "x-powered-by", "access-control-allow-origin", "access-control-allow-credentials"):
        assert name not in one, (what, name, one)
    if content and not is_head:
        kind = one.get("content-type", "")
        assert re.match(r"application/(problem\+)?json", kind) or (status == 200 and kind.startswith("text/plain")), (what, kind)
        if "json" in kind:
            json.loads(content[:int(one["content-length"])])
    assert status not in range(300, 400) and status not in (500, 502, 504), (what, status)
    return status, one, content


def every_route(raw, token):
    seen = set()
    for path, method in itertools.product(ROUTES, METHODS):
        for more in ("", f"Authorization: Bearer {token}\r\n", "Authorization: Bearer tva_wrong\r\n"):
            # A connection whose client has ended its side may end without an answer on a loaded machine.
            answer = raw(f"{method} {path} HTTP/1.1\r\nHost: t\r\n{more}Content-Length: 0\r\nConnection: close\r\n\r\n".encode(), finish=False)
            status, _, _ = check(answer, (method, path), method == "HEAD")
            seen.add((path, method, status))
    assert {200, 401, 404, 405} <= {status for _, _, status in seen} and all(status != 501 for _, _, status in seen), seen
    return 3 * len(ROUTES) * len(METHODS)


def odd_paths(raw, token):
    for path in ODD_PATHS:
        for method in ("GET", "POST"):
            answer = raw(f"{method} {path} HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode(), finish=False)
            if is_page_of_the_library(answer):
                continue
            status, _, content = check(answer, (method, path[:60]))
            named = path.partition("?")[0] in ROUTES
            assert named or status in (400, 404, 405, 414, 431), (method, path, status)
            assert b"root:" not in content and b"evil" not in answer, (path, answer)
    # A method in a field is none.
    for name in OVERRIDES:
        for method in ("DELETE", "POST", "GET"):
            answer = raw(f"GET /account HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n{name}: {method}\r\nConnection: close\r\n\r\n".encode())
            assert check(answer, name)[0] == 200, (name, answer)
    return 2 * len(ODD_PATHS) + 3 * len(OVERRIDES)


def framing(raw):
    smuggled = b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n"
    plain = b"POST /oauth/token HTTP/1.1\r\nHost: t\r\n%sContent-Length: 1\r\n\r\na" + smuggled
    assert raw(plain % b"").count(b"HTTP/1.1 ") == 2, "two requests are two"
    print("control: a request after a complete one is answered")
    tries = 0
    for fields in FRAMING:
        for end in ("\r\n\r\n", "\n\n", "\r\n\n"):
            head = f"POST /oauth/token HTTP/1.1\r\nHost: t\r\n{fields}{end}".encode()
            if fields.endswith("\0") and end == "\r\n\n":
                # NUL CR LF LF: when the head is looked at, what was read of it has the same zeros as CR LF CR LF. It also means the same.
                continue
            answer = raw(head + b"1\r\na\r\n0\r\n\r\n" + smuggled)
            assert b"HTTP/1.1 2" not in answer, (fields, end, answer)
            if answer and not is_page_of_the_library(answer):
                assert answer.count(b"HTTP/1.") == 1, (fields, end, answer)
                status, one, _ = check(answer, fields)
                assert status in (400, 413, 415, 431, 501) and one.get("connection") == "close", (fields, answer)
            tries += 1
    for line in (b"GET /health\r\n\r\n", b"GET /health HTTP/2.0\r\n\r\n", b"GET  /health HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                 b"GET /health HTTP/1.1\nHost: t\n\n", b"GET /health HTTP/1.1\r\n\r\n", b"\0" * 100, b"GET /" + b"a" * 70_000, b"GET /health HTTP/1.1\r\nHost: t\r\n" + b"X: y\r\n" * 9_000):
        answer = raw(line)
        assert b"HTTP/1.1 2" not in answer, (line[:60], answer)
        assert is_page_of_the_library(answer) or answer.count(b"HTTP/1.") <= 1, (line[:60], answer)
        tries += 1
    return tries


def listening(process):
    """What it listens at, as the kernel sees it."""
    # One of them is that of the listing itself, where this process looks at itself.
    paths = [f"/proc/{process}/fd/{name}" for name in os.listdir(f"/proc/{process}/fd")]
    inodes = {os.readlink(path) for path in paths if os.path.lexists(path)}
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        if not os.path.exists("/proc/net/" + table):
            # A machine without IPv6.
            continue
        with open("/proc/net/" + table) as file:
            for line in file.read().splitlines()[1:]:
                parts = line.split()
                if f"socket:[{parts[9]}]" in inodes and (table[:3] != "tcp" or parts[3] == "0A"):
                    found.append((table, parts[1]))
    return found


def others(server):
    """Another user of the machine: is a client as any, and has no part in the files."""
    if os.geteuid() != 0:
        print("not run: other users of the machine: needs root")
        return 0
    if not shutil.which("gdb"):
        print("not run: gdb by another user of the machine: gdb is missing")
    # Where the checkout is, another user may not look.
    program = shutil.copy2(AUTHD, "/tmp/taskvault-authd-" + random_text())
    try:
        return others_with(server, program)
    finally:
        os.unlink(program)


def others_with(server, program):
    done = subprocess.run([*as_other(), program, "--version"], capture_output=True, cwd="/", stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done
    lines = [f"cat {server.database}", f"cat {server.log}", f"ls {server.folder}", f"kill -0 {server.process.pid}", f"cat /proc/{server.process.pid}/environ",
             f"cat /proc/{server.process.pid}/mem", f"gdb -batch -p {server.process.pid} 2>&1 | grep 'in '",
             f"{program} account list --database {server.database}", f"{program} account reset-password ada@example.org --database {server.database}"]
    for line in lines:
        assert subprocess.run([*as_other(), "/bin/sh", "-c", line], capture_output=True, cwd="/", stdin=subprocess.DEVNULL).returncode != 0, line
    code = (f"import http.client; c = http.client.HTTPConnection('127.0.0.1', {server.port}); c.request('GET', '/account');"
            "print(c.getresponse().status)")
    for user in ([], as_other(), as_other(OTHER - 1)):
        done = subprocess.run([*user, "/usr/bin/python3", "-c", code], capture_output=True, text=True, cwd="/")
        assert done.stdout.strip() == "401", (user, done)
    return len(lines) + 3


with Server(*CHEAP) as server:
    server.make("ada@example.org")
    access, refresh = server.tokens("ada@example.org")
    assert server.account(access)[0] == 200
    raw = Raw(server.port)
    tries = every_route(raw, access) + odd_paths(raw, access) + framing(raw) + others(server)
    try:
        assert (found := listening(server.process.pid)) == [("tcp", f"0100007F:{server.port:04X}")], found
    except PermissionError:
        print("not run: other listening sockets: reading the server's descriptors needs root")
    with socket.socket() as second:
        second.bind(("127.0.0.1", 0))
        second.listen()
        assert listening(os.getpid()), "nothing is seen to listen"
        try:
            other = socket.socket()
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            other.bind(("127.0.0.1", server.port))
            raise AssertionError("another process shares the port")
        except OSError:
            print("control: the test's own listening port is detected; the server's port cannot be shared")
    kept, logged = server.kept(), server.logged()
    assert b"ada@example.org" in kept, "what is kept is not seen"
    for secret in (access, refresh, PASSWORD):
        for form in (secret.encode(), secret[4:].encode()):
            assert form not in kept and form not in logged, "a secret is kept"
    assert server.account(access)[0] == 200, "it serves on"
    print(f"proof: requests={tries} wrong-answers=0 pages-of-the-library={pages_of_the_library}")
