"""The auth server as a process of its own on loopback, and requests to it from many addresses: all of 127.0.0.0/8 is this machine."""

import contextlib
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.parse

from support.product import AUTHD, field, free_port, not_run, wait_for

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
CHEAP = ("--password-passes", "2", "--password-memory", "19")
PASSWORD = "correct horse battery"


class Server:
    """With registration open, so that accounts are made in one request."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="taskvault-proof-")
        self.database = self.folder + "/accounts.db"
        self.log = self.folder + "/log"
        for _ in range(5):
            # Somebody else may have taken a port that was free.
            self.port = free_port()
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(
                    [AUTHD, "serve", "--database", self.database, "--listen", f"127.0.0.1:{self.port}", "--registration", "open", *options],
                    stderr=log, cwd=self.folder)
            wait_for("it serves", lambda: b'"started"' in self.logged() or self.process.poll() is not None)
            if self.process.poll() is None:
                return
        raise AssertionError(self.logged())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def logged(self):
        with open(self.log, "rb") as file:
            return file.read()

    def kept(self):
        """All bytes of all its files but the log."""
        return b"".join(open(os.path.join(self.folder, name), "rb").read() for name in os.listdir(self.folder) if name != "log")

    def connection(self, source="127.0.0.1", timeout=20):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))

    def request(self, method, path, content=None, fields=None, source="127.0.0.1"):
        """The answer to one request over a connection of its own: status, fields, content."""
        with contextlib.closing(self.connection(source)) as connection:
            connection.request(method, path, content, fields or {})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()

    def form(self, path, values, source="127.0.0.1", fields=None):
        return self.request("POST", path, urllib.parse.urlencode(values), FORM | (fields or {}), source)

    def sign_in(self, name, password=PASSWORD, source="127.0.0.1", fields=None):
        return self.form("/oauth/token", {
            "grant_type": "password", "client_id": "taskvault", "username": name, "password": password}, source, fields)

    def tokens(self, name, password=PASSWORD, source="127.0.0.1"):
        status, _, content = self.sign_in(name, password, source)
        assert status == 200, content
        made = json.loads(content)
        return made["access_token"], made["refresh_token"]

    def refresh(self, token):
        return self.form("/oauth/token", {"grant_type": "refresh_token", "client_id": "taskvault", "refresh_token": token})

    def make(self, name, password=PASSWORD):
        status, _, content = self.request(
            "POST", "/account", json.dumps({"email": name, "password": password}), {"Content-Type": "application/json"})
        assert status == 201, content

    def account(self, token):
        return self.request("GET", "/account", fields={"Authorization": "Bearer " + token})

    @property
    def derivations(self):
        """How often a password was looked at."""
        return int(re.search(r'event="argon2"} (\d+)', self.request("GET", "/metrics")[2]).group(1))

    def memory(self, name="VmRSS"):
        """In MiB."""
        return int(field(self.process.pid, name).split()[0]) / 1024

    @property
    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except PermissionError:
            not_run("needs the administrator, who may look at the server's descriptors")
