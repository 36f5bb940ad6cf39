"""The account's server, its PostgreSQL and the devices are killed under load, at random moments and at each step of a round.

Nothing that was acknowledged is lost: what a command of a device ended with 0 for, and what the server answered a put for.
"""

import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.auth_server import AuthServer  # noqa: E402
from support.postgresql import PostgreSQL  # noqa: E402
from support.product import AUTHD, amount, free_port, random_text, wait_for  # noqa: E402
from support.sync_homes import SyncHome, exchange_digits  # noqa: E402

# Of the time before a kill, in seconds.
LONGEST = 3
# What a round or a put may do between two states that others see.
CLIENT_CALLS = ("sendto", "recvfrom", "pwrite64", "fdatasync", "fsync", "renameat2", "unlinkat")
SERVER_CALLS = ("pwrite64", "fdatasync", "sendto", "sendmsg")
BINARY = {"Content-Type": "application/octet-stream"}


class Device:
    """A home whose owner changes something and syncs, again and again. What its commands ended with 0 for is acknowledged."""

    def __init__(self, home):
        self.home, self.saved, self.added, self.files, self.numbers = home, {}, set(), {}, 0

    def change(self):
        """One acknowledged change."""
        self.numbers += 1
        name, kind = f"{self.home.name}-{self.numbers}", self.numbers % 4
        if kind == 0:
            content = os.urandom(random.choice((100, 200_000)))
            self.home.direct("file", "add", "-", "--name", name, data=content)
            self.files[name] = content
        elif kind == 1 and self.saved:
            changed = random.choice(sorted(self.saved))
            self.home.update(changed, name)
            self.saved[changed] = name
        elif kind < 3:
            self.home.save(name, name)
            self.saved[name] = name
        else:
            self.home.add(name)
            self.added.add(name)

    def live(self, stop):
        while not stop.is_set():
            self.change()
            self.home.direct("sync", "now", code=None)

    def lacks(self, other):
        """What was acknowledged here, and another home has not."""
        values = {item["service"]: base64.b64decode(item["value_base64"]).decode() for item in json.loads(other.direct("secret", "export").stdout)["items"]}
        found = [f"{name}: {values.get(name)}, not {value}" for name, value in self.saved.items() if values.get(name) != value]
        found += sorted(self.added - set(other.task_names()))
        found += [name for name, content in self.files.items() if other.direct("file", "get", name, "--output", "-", code=None).stdout != content]
        return found


class Putter:
    """Puts blobs to the server itself, and keeps those that it acknowledged."""

    def __init__(self, site, token):
        self.site, self.token, self.acknowledged, self.numbers, self.group = site, token, {}, 0, os.urandom(16).hex()

    def request(self, method, path, content=None, fields={}):
        with contextlib.closing(http.client.HTTPConnection(self.site, timeout=30)) as connection:
            connection.request(method, path, content, {"Authorization": "Bearer " + self.token} | fields)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def live(self, stop):
        while not stop.is_set():
            self.numbers += 1
            area, name = random.choice((("ab" * 16, f"{self.numbers}"), ("files", f"{'cd' * 16}-{self.numbers}"), ("members", f"{self.numbers:064x}")))
            content = os.urandom(random.choice((100, 1_000, 30_000)))
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, _ = self.request("POST", f"/sync/blobs/{self.group}/{area}/{name}", content, BINARY)
                assert status in (200, 201, 429, 500, 502, 503, 504), status
                if status < 300:
                    self.acknowledged[f"{area}/{name}"] = content

    def lost(self):
        """The names of what the server acknowledged and has not."""
        return [name for name, content in self.acknowledged.items()
                if self.request("GET", f"/sync/blobs/{self.group}/{name}") != (200, content)]

    def check_room(self):
        """What the account has used is what its blobs count: no kill has left one without the other."""
        used, total = json.loads(self.request("GET", "/sync/groups")[1]), 0
        for group in used["groups"]:
            for place in (f"/sync/blobs/{group}", f"/sync/blobs/{group}/files"):
                after, names = "", []
                while after is not None:
                    page = json.loads(self.request("GET", place + (after and f"?after={after}"))[1])
                    names, after = names + page["names"], page["next"]
                total += sum(512 + len(self.request("GET", f"{place}/{name}")[1]) for name in names)
        assert total == used["used"], (total, used["used"])


class Place:
    """A server, perhaps over PostgreSQL, two devices of one account, and one who puts blobs alone."""

    def __init__(self, on_postgresql):
        self.homes = [SyncHome(name) for name in ("first", "second")]
        self.folder = self.homes[0].folder
        self.postgresql = PostgreSQL(self.folder + "-postgresql") if on_postgresql else None
        port = free_port()
        self.issuer = f"http://127.0.0.1:{port}"
        self.server = AuthServer(AUTHD, os.path.join(self.folder, "server"), "--issuer", self.issuer, "--sync-quota", "4096", port=port,
                                 database=self.postgresql and self.postgresql.address)
        self.devices = [Device(home) for home in self.homes]

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        if self.postgresql:
            self.postgresql.start()
        self.server.start()
        word = random_text()
        for home, command in zip(self.homes, (("account", "create"), ("login",))):
            home.unlock()
            home.expect(0, "settings", "set", "server", self.issuer)
            home.expect(0, *command, "ada@example.org", "--password-file", "-", lines=[word])
        self.homes[0].direct("sync", "enable", "--name", "first")
        exchange_digits(self.homes[1], self.homes[0])
        _, signed_in = self.server.sign_in("ada@example.org", word)
        status, made = self.server.post("/sync/token", member={}, token=signed_in["access_token"])
        assert status == 201, made
        self.putter = Putter(self.server.address, made["sync_token"])

    def __exit__(self, *_):
        for home in self.homes:
            home.__exit__()
        if self.server.process:
            self.server.kill()
        if self.postgresql:
            self.postgresql.end()

    def load(self, act):
        """Runs `act` while both devices and the putter are at work."""
        stop = threading.Event()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            working = [pool.submit(each.live, stop) for each in (*self.devices, self.putter)]
            try:
                act()
            finally:
                stop.set()
            for each in working:
                each.result()

    def restart(self):
        if self.postgresql:
            self.postgresql.start()
        if self.server.process.poll() is not None:
            self.server.start()
        wait_for("the server answers", lambda: self.putter.request("GET", "/sync/groups")[0] == 200)

    def check(self):
        lost = self.putter.lost()
        assert not lost, f"the server lost {lost[:5]}"

    def agree(self):
        """Both devices have what either acknowledged."""
        for home in self.homes * 2:
            home.sync()
        for device in self.devices:
            for home in self.homes:
                lacking = device.lacks(home)
                assert not lacking, f"{home.name} lacks of {device.home.name}: {lacking[:5]}"
        words = {home.direct("sync", "check").stdout for home in self.homes}
        assert len(words) == 1, words
        self.putter.check_room()

    def random_kills(self, count):
        """Kills of the server, or in turn of PostgreSQL's first process, at random moments."""
        for number in range(count):
            is_database = self.postgresql and number % 2 == 0

            def act():
                time.sleep(random.uniform(0.1, LONGEST))
                self.postgresql.kill() if is_database else self.server.kill()

            self.load(act)
            self.restart()
            self.check()
        self.agree()
        return count

    def server_steps(self, count):
        """The server is killed when one of its threads is about to make a certain call for the nth time."""
        killed = 0
        for number in range(count):
            call = SERVER_CALLS[number % len(SERVER_CALLS)]
            strace = subprocess.Popen(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={1 + number // len(SERVER_CALLS)}",
                 "-p", str(self.server.process.pid)], stderr=subprocess.DEVNULL)

            def act():
                end = time.monotonic() + 20
                while self.server.process.poll() is None and time.monotonic() < end:
                    time.sleep(0.02)

            self.load(act)
            strace.terminate()
            strace.wait()
            killed += self.server.process.poll() is not None
            self.restart()
            self.check()
        assert killed > count // 2, (killed, count)
        self.agree()
        return killed

    def client_steps(self, count):
        """A round of a device is killed when it is about to make a certain call for the nth time; each is one of those that a whole round makes."""
        device, log = self.devices[0], self.folder + "/trace"
        round_ = device.home.words("sync", "now", "--no-agent", "--passphrase-file", device.home.secret_file)

        def trace(*options):
            for _ in range(2):
                device.change()
            return subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(CLIENT_CALLS), *options, *round_],
                                  env=device.home.environment, capture_output=True, cwd=device.home.folder, timeout=300).returncode

        assert trace() == 0
        own = pathlib.Path(log).read_text().splitlines()
        calls = [line.split()[1].partition("(")[0] for line in own if line.split()[0] == own[0].split()[0]]
        steps = [(call, 1 + calls[:place].count(call)) for place, call in enumerate(calls) if call in CLIENT_CALLS]
        chosen = steps[::max(1, len(steps) // count)][:count]
        killed = sum(trace("-e", f"inject={call}:signal=KILL:when={number}") != 0 for call, number in chosen)
        assert killed > len(chosen) // 2, (killed, len(chosen))
        self.agree()
        return killed, len(steps)

    def controls(self):
        """A server whose database is put back, and a device whose home is, lack what they acknowledged."""
        self.server.stop()
        copy = self.server.folder + "-copy"
        shutil.copytree(self.server.folder, copy)
        self.server.start()
        before = len(self.putter.acknowledged)
        self.load(lambda: wait_for("puts", lambda: len(self.putter.acknowledged) > before + 5))
        self.server.kill()
        shutil.rmtree(self.server.folder)
        os.rename(copy, self.server.folder)
        self.restart()
        lost = len(self.putter.lost())
        assert lost > 5, "an older database is not noticed"
        self.putter.acknowledged.clear()
        # The devices put again what the server lost.
        self.agree()
        device = self.devices[1]
        copy = device.home.path + "-copy"
        shutil.copytree(device.home.path, copy, ignore=shutil.ignore_patterns("*.sock"))
        device.change()
        shutil.rmtree(device.home.path)
        os.rename(copy, device.home.path)
        for home in self.homes * 2:
            home.sync(code=None)
        assert device.lacks(self.homes[0]), "a home that forgets is not noticed"
        return lost


def main():
    kills, steps = amount("TASKVAULT_SYNC_KILLS", 4), amount("TASKVAULT_SYNC_STEPS", 8)
    figures = {}
    with Place(on_postgresql=False) as place:
        figures["server-kills"] = place.random_kills(kills)
        if shutil.which("strace"):
            figures["server-steps"] = place.server_steps(steps)
            figures["device-steps"], figures["calls-of-a-round"] = place.client_steps(steps)
        else:
            print("not run: strace is missing")
        figures["acknowledged-puts"] = len(place.putter.acknowledged)
        figures["acknowledged-changes"] = sum(device.numbers for device in place.devices)
        print(f"control: a server with an older database lacks {place.controls()} puts, and a home that was put back a change")
    if PostgreSQL.programs():
        with Place(on_postgresql=True) as place:
            figures["postgresql-kills"] = place.random_kills(kills)
            figures["acknowledged-puts"] += len(place.putter.acknowledged)
            figures["acknowledged-changes"] += sum(device.numbers for device in place.devices)
    else:
        print("not run: PostgreSQL is missing")
    print("proof: " + " ".join(f"{name}={value}" for name, value in figures.items()))


main()
