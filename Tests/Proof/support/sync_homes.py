"""Homes that share a folder, by commands alone. Their agents are asked with the passphrase, or not at all.

With `server` among its words, an attack has the account's server as remote, whose owner changes what is in a folder.
"""

import json
import os
import re
import shutil
import sys

from support.folder_server import FolderServer
from support.product import Home
from support.terminal import Session

BY_SERVER = "server" in sys.argv[1:]


class SyncHome(Home):
    """A home whose rounds have everything that a verification gives, with `--no-agent`."""

    def __init__(self, name, **more):
        super().__init__(**more)
        self.name = name
        self.secret_file = os.path.join(self.folder, "passphrase")
        with open(os.open(self.secret_file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(self.passphrase + "\n")

    def direct(self, *words, data=b"", code=0):
        """A command with the passphrase. `code` is what it ends with, or None for anything."""
        found = self.run(*words, "--no-agent", "--passphrase-file", self.secret_file, data=data)
        assert code is None or found.returncode == code, (words, found.returncode, found.stderr.decode(errors="replace"))
        return found

    def json(self, *words, code=0):
        return json.loads(self.direct(*words, "--json", code=code).stdout)

    def save(self, service, value, *options):
        self.direct("secret", "set", service, "ada", *options, data=value.encode())

    def update(self, service, value):
        self.direct("secret", "update", service, "ada", data=value.encode())

    def value(self, service, code=0):
        return self.direct("secret", "get", service, "ada", code=code).stdout.decode().rstrip("\n")

    def add(self, name, *options):
        """Adds a task. Its six characters."""
        return json.loads(self.direct("task", "add", name, *options, "--json").stdout)["id"]

    def tasks(self, *options):
        return self.json("task", "list", *options)

    def task_names(self, *options):
        return sorted(task["name"] or "" for task in self.tasks(*options))

    def entries(self):
        return {entry["service"]: entry for entry in self.json("secret", "list")}

    def sync(self, code=0):
        """A round. Its report, or the error."""
        found = self.direct("sync", "now", "--json", code=code)
        return json.loads(found.stdout or found.stderr)

    def codes(self):
        """The codes of the problems of a round, whatever becomes of it."""
        report = self.sync(code=None)
        return {problem["code"] for problem in report.get("problems", [])} or {report.get("code", "")} - {""}

    @property
    def sync_folder(self):
        """The folder with this device's state of sync."""
        parent = os.path.join(self.folder, "state/taskvault/sync")
        return os.path.join(parent, os.listdir(parent)[0])

    def session(self, *words):
        return Session(self.words(*words), self.environment, self.folder)


class Pair:
    """Two homes of one group. Each has a folder of its own if something copies between them, else the same one."""

    def __init__(self, joined=True, names=("first", "second")):
        self.homes = [SyncHome(name) for name in names]
        self.first, self.second = self.homes
        self.shared = os.path.join(self.first.folder, "shared")
        os.mkdir(self.shared, 0o700)
        self.server = FolderServer(self.shared, os.path.join(self.first.folder, "server")) if BY_SERVER else None
        for home in self.homes:
            self.sign_in(home)
        if joined:
            self.enable()
            self.join(self.second)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server:
            self.server.stop()
        for home in self.homes:
            home.__exit__()

    def sign_in(self, home):
        """What a home needs before it can use the remote."""
        if self.server:
            self.server.sign_in(home)

    def remote(self, folder=None):
        """The options by which the next device that begins or joins uses the remote, or another folder in its place."""
        if not self.server:
            return "--folder", str(folder or self.shared)
        self.server.show(folder or self.shared)
        return ()

    def enable(self):
        self.first.direct("sync", "enable", *self.remote(), "--name", self.first.name)

    def third(self):
        """Another home, which is no device yet."""
        self.homes.append(SyncHome("third"))
        self.sign_in(self.homes[-1])
        return self.homes[-1]

    def join(self, home, by=None, folders=None):
        """Both persons at their terminals read the digits of one and type them on the other."""
        exchange_digits(home, by or self.first, *self.remote(folders and folders[0]))

    def sync(self, *homes):
        """Rounds until nothing more travels."""
        for home in (homes or self.homes) * 2:
            home.sync()

    @property
    def group(self):
        return next(os.path.join(self.shared, name) for name in os.listdir(self.shared) if re.fullmatch("[0-9a-f]{32}", name))

    def group_of(self, home):
        """The folder of the group of a home, if another group is there, too."""
        from syncformat.home import read_list_keys
        return os.path.join(self.shared, read_list_keys(home.sync_folder).group.hex())

    def copy(self):
        """The shared folder as it is now."""
        place = os.path.join(self.first.folder, f"copy-{len(os.listdir(self.first.folder))}")
        shutil.copytree(self.shared, place, symlinks=True)
        return place

    def put(self, copy):
        """An earlier state of the folder in its place."""
        shutil.rmtree(self.shared)
        shutil.copytree(copy, self.shared, symlinks=True)


def exchange_digits(home, by, *options, codes=(0, 0)):
    """Joins a home to a device. `codes` are the ends of *approve* and *join*, or None for any."""
    for each in (home, by):
        each.unlock()
    with home.session("sync", "join", *options, "--name", home.name) as joining, by.session("device", "approve") as approving:
        approving.answer("Digits of the new device", shown_digits(joining))
        joining.answer("Digits of the other device", shown_digits(approving))
        found = approving.finish(), joining.finish()
        assert codes is None or found == codes, (found, approving.seen[-400:], joining.seen[-400:])
    for each in (home, by):
        each.expect(0, "lock")


def view(home):
    """The secrets, tasks and devices of a home."""
    items = json.loads(home.direct("secret", "export").stdout)["items"]
    return ({(item["service"], item["value_base64"]) for item in items}, {(task["name"], task["done"], task["list"]) for task in home.tasks()},
            {device["name"] for device in home.json("device", "list")["devices"]})


def shown_digits(session):
    """The six digits that a terminal shows for the other one, or none after an error."""
    session.wait_for("type these digits on the ", 60)
    session.wait_for("\n")
    return re.findall(rb"digits on [^:]*: (\d{3} \d{3})", session.seen)[-1].decode()
