"""As many requests as wrk can send over 200 connections, of six kinds: each is answered as promised, and nothing of it stays in the server.

    TASKVAULT_LOAD_SECONDS   for how long each kind

Needs Debian's wrk.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import amount, not_run, wait_for  # noqa: E402
from support.server import FORM, Server  # noqa: E402

SECONDS = amount("TASKVAULT_LOAD_SECONDS", 2)
CONNECTIONS = 200
# Every answer that has another status is counted.
SCRIPT = """
wrk.method, wrk.body = "{method}", "{body}"
{fields}
wrong, threads = 0, {{}}
function setup(thread) table.insert(threads, thread) end
function init() wrong = 0 end
function response(status) if status ~= {status} then wrong = wrong + 1 end end
function done(summary)
    local all, errors = 0, summary.errors
    for _, thread in ipairs(threads) do all = all + thread:get("wrong") end
    io.write(string.format("\\nfigures %d %d %d\\n", summary.requests, all, errors.connect + errors.read + errors.write + errors.timeout))
end
"""


def load(server, folder, path, status, method="GET", values=None, fields=None):
    """Requests of one kind: how many were answered, how many otherwise than with this status, how many broke off."""
    body = urllib.parse.urlencode(values or {})
    if values:
        fields = FORM | (fields or {})
    script = os.path.join(folder, "requests.lua")
    lines = "\n".join(f'wrk.headers["{name}"] = "{value}"' for name, value in (fields or {}).items())
    with open(script, "w") as file:
        file.write(SCRIPT.format(method=method, body=body, fields=lines, status=status))
    output = subprocess.run(
        ["wrk", "--threads", "2", "--connections", str(CONNECTIONS), "--duration", f"{SECONDS}s", "--timeout", "20s", "--script", script,
         f"http://127.0.0.1:{server.port}{path}"], capture_output=True, text=True, check=True).stdout
    return [int(number) for number in re.search(r"^figures (\d+) (\d+) (\d+)$", output, re.M).groups()]


def main():
    if not any(os.access(os.path.join(folder, "wrk"), os.X_OK) for folder in os.environ["PATH"].split(":")):
        not_run("needs wrk")
    with Server("--password-passes", "2", "--password-memory", "19") as server, tempfile.TemporaryDirectory() as folder:
        server.make("ada@example.org")
        token, _ = server.tokens("ada@example.org")
        # What a first request of each kind makes it need.
        for path in ("/health", "/metrics", "/account"):
            server.request("GET", path)
        base, descriptors = server.memory(), server.descriptors
        unknown = {"grant_type": "refresh_token", "client_id": "taskvault", "refresh_token": "none"}
        kinds = [
            ("/health", 200, {}),
            ("/.well-known/oauth-authorization-server", 200, {}),
            ("/account", 200, {"fields": {"Authorization": f"Bearer {token}"}}),
            ("/account", 401, {"fields": {"Authorization": "Bearer tva_none"}}),
            ("/oauth/token", 400, {"method": "POST", "values": unknown}),
            ("/no/such/path", 404, {}),
        ]
        requests = 0
        for path, status, how in kinds:
            # One network may have so many connections, counting those that the server has not closed yet.
            wait_for("its connections are closed", lambda: server.descriptors <= descriptors + 2)
            answered, wrong, broken = load(server, folder, path, status, **how)
            assert answered > 100 and wrong == 0 and broken == 0, f"{path}: {wrong} of {answered} were no {status}, {broken} broke off"
            requests += answered
        wait_for("its connections are closed", lambda: server.descriptors <= descriptors + 2)
        answered, wrong, _ = load(server, folder, "/health", 404)
        assert wrong == answered > 100, f"{wrong} of {answered}"
        print(f"control: {wrong} of {answered} answers differ from those to another kind of request")
        peak = server.memory("VmHWM")
        assert peak <= base + 32, f"{peak:.0f} MiB at most, {base:.0f} MiB before"
        wait_for("its connections are closed", lambda: server.descriptors <= descriptors + 2)
        status, fields, content = server.sign_in("ada@example.org")
        assert status == 200, f"{status} {fields} {content}"
        print(f"{base:.0f} MiB before, {peak:.0f} MiB at most")
        print(f"proof: requests={requests} answered-otherwise=0 broken-off=0")


main()
