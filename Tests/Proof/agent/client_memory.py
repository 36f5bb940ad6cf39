"""Protected text in the memory of the page's process and of the services, in windows of 8 bytes, after each use and after a lock.

The text goes both ways: tasks, secrets and files by HTTP; secrets by D-Bus in sessions without encryption.
"""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, not_run, random_text, wait_for  # noqa: E402

try:
    import dbus
except ImportError:
    not_run("needs python3-dbus")

LIMIT = 1 << 30


def windows(text):
    """Pieces of eight bytes, next to each other, from at most 24 places of a text."""
    starts = range(0, len(text) - 7, 8)
    return [text[start:start + 8].encode() for start in starts[::len(starts) // 24 + 1]]


class Memory:
    """What is looked for in the writable memory of a process."""

    def __init__(self, process):
        self.process, self.texts = process, {}

    def text(self, name, count=200):
        self.texts[name] = random_text(count)
        return self.texts[name]

    def found(self):
        """The texts of which a window is there."""
        found = set()
        with open(f"/proc/{self.process}/maps") as maps, open(f"/proc/{self.process}/mem", "rb", 0) as memory:
            for line in maps:
                first, last = (int(each, 16) for each in line.split()[0].split("-"))
                if not line.split()[1].startswith("rw") or last - first > LIMIT:
                    continue
                memory.seek(first)
                try:
                    content = memory.read(last - first)
                except OSError:
                    continue
                # Most pages are empty.
                content = b"".join(page for start in range(0, len(content), 4096) if any(page := content[start:start + 4096]))
                found |= {name for name, text in self.texts.items() if any(window in content for window in windows(text))}
        return found

    def expect_only(self, *names):
        """The rest of an answer may still be on its way."""
        wait_for(f"only {names}, but {sorted(self.found())}", lambda: self.found() == set(names), 20)


class Page:
    """The page's process, and what a browser asks it."""

    def __init__(self, home):
        self.program = subprocess.Popen(
            home.words("app", "--foreground", "--print-url"), env=home.environment, stdout=subprocess.PIPE, text=True)
        self.host, token = re.fullmatch(r"http://([\w.]+:\d+)/#token=(\S+)\n", self.program.stdout.readline()).groups()
        self.bearer = ""
        self.bearer = self.ask("POST", "session", {"token": token})["bearer"]

    def head(self, media_type="application/json"):
        return {"Host": self.host, "Origin": "http://" + self.host, "Sec-Fetch-Site": "same-origin", "Content-Type": media_type,
                "Authorization": "Bearer " + self.bearer}

    def send(self, method, path, content, media_type="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.host.split(":")[1]), timeout=60)
        connection.request(method, "/api/" + path, content, self.head(media_type))
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        assert answer.status == 200, (path, answer.status, data[:200])
        return data

    def ask(self, method, path, members=None):
        return json.loads(self.send(method, path, None if members is None else json.dumps(members)))["result"]

    def half(self, content):
        """Sends the first part of a request, and leaves the connection open."""
        connection = http.client.HTTPConnection("127.0.0.1", int(self.host.split(":")[1]), timeout=60)
        connection.putrequest("POST", "/api/tasks", skip_host=True)
        for field in (self.head() | {"Content-Length": "9000"}).items():
            connection.putheader(*field)
        connection.endheaders(content.encode())
        return connection


def page(home):
    page = Page(home)
    try:
        memory = Memory(page.program.pid)
        memory.texts["environment"] = home.environment["CANARY"]
        half = page.half(memory.text("half a request"))
        memory.expect_only("environment", "half a request")
        half.close()
        memory.expect_only("environment")
        print("control: a word of the page's environment and half a request were found")
        made = page.ask("POST", "tasks", {"name": memory.text("name", 60), "notes": memory.text("notes", 3_000), "protected": True})
        task = "tasks/" + made["id"]
        secret = {"service": "bank.example", "account": "ada"}
        page.ask("POST", "secrets/set", secret | {"value": memory.text("value", 90), "class": "after-verification"})
        content = memory.text("content", 50_000)
        upload = page.ask("POST", "uploads", {"name": "a.txt", "size": len(content), "protected": True})["upload"]
        page.send("PUT", f"uploads/{upload}?offset=0", content, "application/octet-stream")
        page.ask("POST", f"uploads/{upload}/finish", {})
        for _ in range(3):
            assert page.ask("GET", "tasks?reveal=1")[0]["name"] == memory.texts["name"]
            assert page.ask("GET", task)["notes"] == memory.texts["notes"]
            page.ask("PATCH", task, {"notes": memory.texts["notes"]})
            page.ask("GET", task + "/history")
            page.ask("POST", "secrets/get", secret)
            page.ask("POST", "secrets/show", secret | {"reveal": True})
            assert page.send("GET", "files/content?name=a.txt", None).decode() == content
        code = page.ask("POST", "vault/recovery-code", {"passphrase": home.passphrase})
        memory.texts |= {"passphrase": home.passphrase, "recovery code": code["recovery_code"].replace("-", "")}
        memory.expect_only("environment")
        page.ask("POST", "session/lock")
        memory.expect_only("environment")
        return len(memory.texts) - 1
    finally:
        page.program.terminate()
        page.program.wait()


def services(home):
    with subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        home.environment["DBUS_SESSION_BUS_ADDRESS"] = daemon.stdout.readline().strip()
        program = subprocess.Popen(home.words("services"), env=home.environment, stderr=subprocess.DEVNULL)
        try:
            memory = Memory(program.pid)
            memory.texts["environment"] = home.environment["CANARY"]
            bus = dbus.bus.BusConnection(home.environment["DBUS_SESSION_BUS_ADDRESS"])
            name = "org.freedesktop.secrets"
            wait_for("the services", lambda: bus.name_has_owner(name))
            service = dbus.Interface(bus.get_object(name, "/org/freedesktop/secrets"), "org.freedesktop.Secret.Service")
            _, session = service.OpenSession("plain", dbus.String("", variant_level=1))
            collection = wait_for("a collection", lambda: str(service.ReadAlias("default")).strip("/") and service.ReadAlias("default"))
            create = dbus.Interface(bus.get_object(name, collection), "org.freedesktop.Secret.Collection").CreateItem
            item = "org.freedesktop.Secret.Item."
            attributes = dbus.Dictionary({"n": "1"}, signature="ss")
            properties = dbus.Dictionary({item + "Label": "x", item + "Attributes": attributes}, signature="sv")
            memory.expect_only("environment")
            print("control: a word of the services' environment was found")
            for number in range(3):
                value = memory.text(f"value {number}", 3_000).encode()
                made, _ = create(properties, (session, dbus.ByteArray(), dbus.ByteArray(value), "text/plain"), True)
                given = service.GetSecrets([made], session)[made]
                assert bytes(given[2]) == value
            memory.expect_only("environment")
            home.expect(0, "lock")
            memory.expect_only("environment")
            return len(memory.texts) - 1
        finally:
            program.terminate()
            program.wait()
            daemon.terminate()


def main():
    if os.geteuid() != 0:
        not_run("only the administrator reads the memory of these processes")
    with Home() as home:
        home.environment["CANARY"] = random_text()
        home.unlock()
        count = page(home)
        home.unlock()
        print(f"proof: texts={count + services(home)} windows=0")


main()
