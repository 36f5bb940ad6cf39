"""An auth server in a process of its own, and requests to it."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

# Cheap passwords, so that much happens before a kill; forwarded addresses are believed, so that everybody has a network.
SETTINGS = [
    "--password-passes", "2", "--password-memory", "19", "--registration", "open", "--trusted-proxy", "127.0.0.1",
    "--guess-free-failures", "12", "--guess-name-failures", "12", "--guess-network-attempts", "100000",
]
# Answers after which nobody knows what was done.
UNKNOWN = (0, {})


class AuthServer:
    def __init__(self, executable, folder, *options, port=0, database=None):
        """A port is the same after each start; without an address of a database it is a file."""
        self.executable = executable
        self.options = options
        self.port = port
        self.folder = folder
        self.database = database or os.path.join(folder, "accounts.db")
        self.process = None
        os.makedirs(folder, mode=0o700)

    def start(self):
        for _ in range(20):
            if self._try_to_start():
                return
        raise RuntimeError("the server does not start")

    def _try_to_start(self):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", self.port))
            self.address = "127.0.0.1:%d" % probe.getsockname()[1]
        command = [self.executable, "serve", "--database", self.database, "--listen", self.address, *SETTINGS, *self.options]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://{self.address}/health", timeout=5).close()
                return True
            except OSError:
                time.sleep(0.01)
        self.kill()
        return False

    def kill(self):
        """Ends it; one that has ended stays so."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def post(self, path, form=None, member=None, token=None, client="10.0.0.1"):
        """Returns status and content; `UNKNOWN` where there was no answer, or one that promises nothing."""
        if form is not None:
            content, kind = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        else:
            content, kind = json.dumps(member), "application/json"
        fields = {"Content-Type": kind, "X-Forwarded-For": client}
        if token:
            fields["Authorization"] = "Bearer " + token
        request = urllib.request.Request(f"http://{self.address}{path}", content.encode(), fields)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else {}
        except urllib.error.HTTPError as error:
            with error:
                text = error.read()
            return UNKNOWN if error.code >= 500 else (error.code, json.loads(text) if text else {})
        except (OSError, ValueError, urllib.error.URLError):
            return UNKNOWN
        except Exception as error:  # http.client's own, which are no OSError
            if type(error).__module__ == "http.client":
                return UNKNOWN
            raise

    def sign_in(self, name, password, client="10.0.0.1"):
        form = {"grant_type": "password", "client_id": "taskvault", "username": name, "password": password}
        return self.post("/oauth/token", form=form, client=client)

    def refresh(self, token, client="10.0.0.1"):
        form = {"grant_type": "refresh_token", "client_id": "taskvault", "refresh_token": token}
        return self.post("/oauth/token", form=form, client=client)
