"""The account's server of somebody who owns it: the blobs of sync are files of a folder, as a shared folder has them, so that what is changed there
is what it answers. Everything else is the real server's, which knows the accounts."""

import json
import os
import pathlib
import re
import threading

from support.auth_server import AuthServer
from support.between import BINARY, Between, BetweenServer, problem
from support.product import AUTHD, random_text

PAGE = 1_000
# More than a client reads.
LONGEST = 67_108_864
GROUP = re.compile("[0-9a-f]{32}")
# A list can go on after such a name.
NAME = re.compile("[0-9a-z/-]+")


class Handler(Between):
    def respond(self, path, fields, body):
        token = fields.get("Authorization", "").removeprefix("Bearer ")
        path, _, query = path.partition("?")
        if path == "/sync/token":
            answer = super().respond(path, fields, body)
            if answer[0] == 201:
                self.server.folders[json.loads(answer[2])["sync_token"]] = self.server.folder
            return answer
        if not path.startswith("/sync/"):
            return super().respond(path + "?" + query if query else path, fields, body)
        if token not in self.server.folders:
            return problem(401, "invalid_token")
        folder = self.server.folders[token]
        if path == "/sync/groups":
            return found({"groups": sorted(filter(GROUP.fullmatch, os.listdir(folder))), "used": 0, "quota": 0})
        if path == "/sync/remove":
            place = folder / json.loads(body)["blob"]
            if place.parent.name == "members":
                return problem(403, "forbidden")
            place.unlink(missing_ok=True)
            return 204, BINARY, b""
        parts = path.removeprefix("/sync/blobs/").split("/")
        if not path.startswith("/sync/blobs/") or len(parts) > 3 or not GROUP.fullmatch(parts[0]):
            return problem(404, "not_found")
        place = folder.joinpath(*parts)
        if len(parts) < 3:
            return names(place, query.removeprefix("after="), len(parts) == 1)
        return put(place, body) if self.command == "POST" else content(place)


def found(members):
    return 200, "application/json", json.dumps(members).encode()


def names(place, after, all_areas):
    """A page of the names in an area, or of all areas but that of files."""
    all_ = sorted(path.relative_to(place).as_posix() for path in place.glob("*/*" if all_areas else "*")
                  if not path.name.startswith(".") and not (all_areas and path.parent.name == "files"))
    rest = [name for name in all_ if name > after]
    end = PAGE
    while end < len(rest) and not NAME.fullmatch(rest[end - 1]):
        end += 1
    return found({"names": rest[:end], "next": rest[end - 1] if end < len(rest) else None})


def content(place):
    # Of what is no file a server has no bytes.
    if not place.is_file() or place.is_symlink():
        return problem(404, "not_found")
    with open(place, "rb") as file:
        return 200, BINARY, file.read(LONGEST)


def put(place, body):
    if os.path.lexists(place):
        same = place.is_file() and place.stat().st_size == len(body) and place.read_bytes() == body
        return (200, BINARY, b"") if same else problem(409, "occupied")
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.{threading.get_ident()}")
    new.write_bytes(body)
    new.rename(place)
    return 201, BINARY, b""


class FolderServer:
    """Serves the blobs of a folder to the devices of one account."""

    def __init__(self, shared, folder):
        self.real = AuthServer(AUTHD, folder)
        self.between = BetweenServer(Handler)
        self.real.options = ("--issuer", self.between.issuer)
        self.between.folders = {}
        self.show(shared)
        self.password, self.has_account = random_text(), False
        self.real.start()
        self.between.target = self.real.address
        threading.Thread(target=self.between.serve_forever, daemon=True).start()

    def show(self, folder):
        """Devices that get a token from now on see this folder."""
        self.between.folder = pathlib.Path(folder)

    def sign_in(self, home):
        """Signs a home in, the first one with a new account."""
        home.unlock()
        home.expect(0, "settings", "set", "server", self.between.issuer)
        command = ("login",) if self.has_account else ("account", "create")
        home.expect(0, *command, "ada@example.org", "--password-file", "-", lines=[self.password])
        home.expect(0, "lock")
        self.has_account = True

    def stop(self):
        self.between.shutdown()
        self.between.server_close()
        self.real.stop()
