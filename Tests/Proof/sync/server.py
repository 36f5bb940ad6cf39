#!/usr/bin/python3
"""Tests/Sync/lying-server FOLDER: two homes sync through a server that lies.

FOLDER has the executables taskvault and taskvault-authd. A proxy before the real server changes what it answers, in one way for each attack of
Docs/Security.md that an operator has. Each case makes a change on the first home and lets the second sync with the liar: nothing false may be applied,
and the second home must say or wait. Then the server is honest, and both must have everything again.
"""

import http.client
import http.server
import json
import os
import pty
import re
import select
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

BINARIES = os.path.abspath(sys.argv[1])
PASSWORD = "correct horse battery staple"
SAME = "/sync/blobs/"


class Liar:
    """How answers are changed now: a function of method, path and answer; None for an honest server."""

    lie = None
    lies = 0
    seen = {}


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    target = None

    def log_message(self, *_):
        pass

    def forward(self):
        size = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(size)
        lie = Liar.lie
        if lie and lie.__name__.startswith("before_"):
            answer = lie(self.command, self.path, body)
            if answer:
                Liar.lies += 1
                return self.give(*answer)
        answer = self.ask(self.command, self.path, body)
        if self.command == "GET" and self.path.startswith(SAME) and answer[0] == 200:
            Liar.seen[self.path] = answer[2]
        if lie and not lie.__name__.startswith("before_"):
            changed = lie(self.command, self.path, answer) or in_each_area(lie, self.path, answer)
            if changed:
                Liar.lies += 1
                answer = changed
        self.give(*answer)

    do_GET = do_POST = forward

    def ask(self, method, path, body):
        server = http.client.HTTPConnection("127.0.0.1", Proxy.target, timeout=60)
        fields = {k: v for k, v in self.headers.items() if k.lower() in ("authorization", "content-type", "accept")}
        server.request(method, path, body if method == "POST" else None, fields)
        answer = server.getresponse()
        content = answer.read()
        server.close()
        return answer.status, answer.headers.get("Content-Type", "application/json"), content

    def give(self, status, kind, content):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client may end an answer that is too long for it."""


def parts(path):
    """Area and name of a blob's path; None for others."""
    found = re.fullmatch(r"/sync/blobs/[0-9a-f]{32}/([0-9a-z]+)/([0-9a-z-]+)", path)
    return found and (found[1], found[2])


def area(path):
    found = re.fullmatch(r"/sync/blobs/[0-9a-f]{32}/([0-9a-z]+)(\?.*)?", path)
    return found and found[1]


def is_segment(path):
    found = parts(path)
    return bool(found) and len(found[0]) == 32


def names(answer):
    return json.loads(answer[2])["names"]


def listed(found):
    return 200, "application/json", json.dumps({"names": found, "next": None}).encode()


def in_each_area(lie, path, answer):
    """The list of all areas, of which the attack changes each as if it had been asked alone; None where it changes none."""
    if not re.fullmatch(r"/sync/blobs/[0-9a-f]{32}(\?.*)?", path) or answer[0] != 200:
        return None
    areas = {"members": []}
    for name in names(answer):
        areas.setdefault(name.split("/")[0], []).append(name.split("/")[1])
    changed = {each: lie("GET", f"{path.split('?')[0]}/{each}", listed(found)) for each, found in areas.items()}
    if not any(changed.values()):
        return None
    false = {each: json.loads((changed[each] or listed(found))[2]) for each, found in areas.items()}
    all_names = sorted(f"{each}/{name}" for each, answer in false.items() for name in answer["names"])
    ends = any(answer["next"] is None for answer in false.values())
    return 200, "application/json", json.dumps({"names": all_names, "next": None if ends else all_names[-1]}).encode()


# The attacks. Each returns another answer, or None for the honest one.


def flipped_byte(method, path, answer):
    if method == "GET" and is_segment(path) and answer[0] == 200:
        place = len(answer[2]) // 2
        return 200, answer[1], answer[2][:place] + bytes([answer[2][place] ^ 1]) + answer[2][place + 1 :]


def cut_segment(method, path, answer):
    if method == "GET" and is_segment(path) and answer[0] == 200:
        return 200, answer[1], answer[2][:-40]


def earlier_segment_again(method, path, answer):
    if method == "GET" and is_segment(path) and answer[0] == 200:
        group, number = path.rsplit("/", 1)
        earlier = Liar.seen.get(f"{group}/{int(number) - 1}")
        if earlier:
            return 200, answer[1], earlier


def segment_of_another_chain(method, path, answer):
    if method == "GET" and is_segment(path) and answer[0] == 200:
        others = [v for k, v in Liar.seen.items() if is_segment(k) and parts(k)[0] != parts(path)[0]]
        if others:
            return 200, answer[1], others[0]


def withheld_segments(method, path, answer):
    if method == "GET" and area(path) and len(area(path)) == 32 and answer[0] == 200:
        return listed([])


def withheld_newest(method, path, answer):
    if method == "GET" and area(path) and len(area(path)) == 32 and answer[0] == 200 and names(answer):
        return listed(sorted(names(answer), key=int)[:-1])


def numbers_that_do_not_exist(method, path, answer):
    if method == "GET" and area(path) and len(area(path)) == 32 and answer[0] == 200:
        return listed(names(answer) + ["18446744073709551614", "007", "x", "-1"])


def foreign_statements(method, path, answer):
    if method == "GET" and area(path) == "members" and answer[0] == 200:
        return listed(names(answer) + ["ab" * 32])
    if method == "GET" and path.endswith("/members/" + "ab" * 32):
        return 200, "application/octet-stream", b"TVST" + bytes(500)


def list_without_end(method, path, answer):
    if method == "GET" and area(path) and answer[0] == 200:
        return 200, "application/json", json.dumps({"names": ["1"], "next": "1"}).encode()


def page_of_a_hotel(method, path, answer):
    if path.startswith("/sync/"):
        return 200, "text/html", b"<html>Welcome! Accept our conditions.</html>"


def endless_segment(method, path, answer):
    if method == "GET" and is_segment(path) and answer[0] == 200:
        return 200, answer[1], bytes(5_000_000)


def before_lost_puts(method, path, body):
    if method == "POST" and is_segment(path):
        return 201, "application/json", b""


def before_refused_token(method, path, body):
    if path.startswith("/sync/"):
        return 401, "application/problem+json", b'{"code":"invalid_token","status":401,"title":"no"}'


ATTACKS = [
    flipped_byte, cut_segment, earlier_segment_again, segment_of_another_chain, withheld_segments, withheld_newest,
    numbers_that_do_not_exist, foreign_statements, list_without_end, page_of_a_hotel, endless_segment, before_lost_puts,
    before_refused_token,
]


class Home:
    def __init__(self, base, name):
        self.folder = f"{base}/{name}"
        for part in ("", "/tmp", "/data", "/config", "/cache"):
            os.makedirs(self.folder + part, mode=0o700)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": self.folder, "TASKVAULT_HOME": self.folder + "/home",
            "XDG_STATE_HOME": self.folder + "/state", "XDG_DATA_HOME": self.folder + "/data",
            "XDG_CONFIG_HOME": self.folder + "/config", "XDG_CACHE_HOME": self.folder + "/cache",
            "TMPDIR": self.folder + "/tmp", "LC_ALL": "C.UTF-8", "TERM": "xterm", "TZ": "UTC",
        }
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.passphrase = self.folder + "/passphrase"
        with open(os.open(self.passphrase, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("four words rarely mixed\n")

    def ask(self, *words, typed=""):
        return subprocess.run(
            [BINARIES + "/taskvault", *words, "--no-agent", "--passphrase-file", self.passphrase],
            env=self.environment, input=typed.encode(), capture_output=True, timeout=120)

    def do(self, *words, typed=""):
        done = self.ask(*words, typed=typed)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.returncode} {done.stderr.decode()}")
        return done.stdout.decode()

    def agent(self, *words, typed=""):
        done = subprocess.run(
            [BINARIES + "/taskvault", *words], env=self.environment, input=typed.encode(), capture_output=True, timeout=120)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.returncode} {done.stderr.decode()}")
        return done.stdout.decode()

    def tasks(self):
        return {task["name"] for task in json.loads(self.agent("task", "list", "--json"))}


class Terminal:
    def __init__(self, home, *words):
        self.text = ""
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.execve(BINARIES + "/taskvault", ["taskvault", *words], home.environment)

    def read(self):
        if select.select([self.file], [], [], 0.2)[0]:
            try:
                self.text += os.read(self.file, 4096).decode()
            except OSError:
                pass

    def wait(self, pattern):
        end = time.monotonic() + 120
        while time.monotonic() < end:
            found = re.search(pattern, self.text)
            if found:
                return found
            self.read()
        raise SystemExit(f"not seen: {pattern}\n{self.text}")

    def type(self, text):
        os.write(self.file, (text + "\r").encode())

    def end(self):
        end = time.monotonic() + 120
        while time.monotonic() < end:
            self.read()
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                os.close(self.file)
                return os.waitstatus_to_exitcode(status)
        raise SystemExit(f"does not end:\n{self.text}")


def join(first, second):
    joining = Terminal(second, "sync", "join", "--name", "second")
    approving = Terminal(first, "device", "approve")
    digits = joining.wait(r"on the other device: (\d{3} \d{3})\r")[1]
    approving.wait("Digits of the new device")
    approving.type(digits)
    digits = approving.wait(r"on the new device: (\d{3} \d{3})\r")[1]
    joining.wait("Digits of the other device")
    joining.type(digits)
    for terminal in (joining, approving):
        if terminal.end():
            raise SystemExit(terminal.text)


def attack(lie, number, first, second):
    """One case. Returns what the second home said."""
    before = second.tasks()
    name = f"change {number}"
    puts_are_lost = lie.__name__.startswith("before_")
    Liar.lies = 0
    if puts_are_lost:
        Liar.lie = lie
    first.agent("task", "add", name)
    first.ask("sync", "now")
    first.do("secret", "set", f"service-{number}.example", "ada", typed=f"value {number}")
    sent = first.ask("sync", "now")
    Liar.lie = lie
    said = second.ask("sync", "now")
    text = said.stdout.decode() + said.stderr.decode() + sent.stderr.decode()
    if said.returncode not in (0, 7, 8, 9, 10):
        raise SystemExit(f"{lie.__name__}: exit code {said.returncode}: {text}")
    if not Liar.lies:
        raise SystemExit(f"{lie.__name__}: the server has not lied")
    false = second.tasks() - before - {name}
    if false:
        raise SystemExit(f"{lie.__name__}: applied {false}")
    held = name not in second.tasks()
    Liar.lie = None
    for home in (first, second, first, second):
        home.do("sync", "now")
    for home in (first, second):
        if home.tasks() != before | {name}:
            raise SystemExit(f"{lie.__name__}: {home.folder} has {home.tasks()}")
        if home.do("secret", "get", f"service-{number}.example", "ada").strip() != f"value {number}":
            raise SystemExit(f"{lie.__name__}: the secret is another one")
    words = [home.do("sync", "check") for home in (first, second)]
    if words[0] != words[1]:
        raise SystemExit(f"{lie.__name__}: two histories")
    print(f"{lie.__name__}: lies {Liar.lies}, exit code {said.returncode}, {'held back' if held else 'applied'}")


def serve(base, issuer):
    folder = base + "/server"
    os.makedirs(folder, mode=0o700)
    open(os.open(folder + "/empty.conf", os.O_WRONLY | os.O_CREAT, 0o600), "w").close()
    environment = dict(os.environ)
    environment.update({
        "TASKVAULT_AUTHD_DATABASE": folder + "/accounts.db", "TASKVAULT_AUTHD_CONFIGURATION": folder + "/empty.conf",
        "TASKVAULT_AUTHD_PASSWORD_PASSES": "2", "TASKVAULT_AUTHD_PASSWORD_MEMORY": "19",
        "TASKVAULT_AUTHD_REGISTRATION": "open", "TASKVAULT_AUTHD_GUESS_NETWORK_ATTEMPTS": "0",
    })
    log = open(folder + "/log", "w")
    process = subprocess.Popen(
        [BINARIES + "/taskvault-authd", "serve", "--listen", "127.0.0.1:0", "--issuer", issuer], env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = re.search(r'"event":"started"[^\n]*:(\d+)"', open(folder + "/log").read())
        if found:
            Proxy.target = int(found[1])
            return process
        time.sleep(0.1)
    process.kill()
    raise SystemExit("the server does not start: " + open(folder + "/log").read())


def main():
    with tempfile.TemporaryDirectory(prefix="taskvault-liar-") as base:
        proxy = Server(("127.0.0.1", 0), Proxy)
        issuer = f"http://127.0.0.1:{proxy.server_address[1]}"
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        process = serve(base, issuer)
        homes = []
        try:
            homes = first, second = Home(base, "first"), Home(base, "second")
            for home in homes:
                home.do("init", "--kdf-memory", "19", "--kdf-passes", "2")
                home.agent("unlock", "--passphrase-file", home.passphrase)
                home.agent("settings", "set", "server", issuer)
            first.agent("account", "create", "ada@example.org", "--password-file", "-", typed=PASSWORD + "\n")
            second.agent("login", "ada@example.org", "--password-file", "-", typed=PASSWORD + "\n")
            first.agent("task", "add", "first task")
            first.do("sync", "enable", "--name", "first")
            join(first, second)
            for home in (first, second, first, second):
                home.do("sync", "now")
            for number, lie in enumerate(ATTACKS):
                attack(lie, number, first, second)
        finally:
            Liar.lie = None
            for home in homes:
                subprocess.run(
                    [BINARIES + "/taskvault", "lock"], env=home.environment, stdin=subprocess.DEVNULL, capture_output=True)
            process.send_signal(signal.SIGTERM)
            process.wait()
            proxy.shutdown()
    print(f"{len(ATTACKS)} attacks: nothing false was applied, nothing was lost")


main()
