#!/usr/bin/python3
"""homes.py ADDRESS CERTIFICATE [full]: two homes sync through the proxy at this address, whose certificate they are told to trust.

They join by digits, and exchange the largest value, the parts of a file and a change for which one waits; at last the group is removed. With `full`
the proxy takes no content as large as a part of a file: the error says so, and all else is exchanged.
"""

import json
import os
import pathlib
import re
import ssl
import sys
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Proof"))

from support.product import random_text  # noqa: E402
from support.sync_homes import SyncHome, exchange_digits  # noqa: E402

LARGEST_VALUE, TWO_PARTS_AND_MORE = 1_048_576, 2_500_000


class Proxy:
    def __init__(self, address, certificate):
        self.address, self.trust, self.token = address, ssl.create_default_context(cafile=certificate), None

    def get(self, path):
        request = urllib.request.Request(self.address + path, headers={"Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(request, timeout=90, context=self.trust) as answer:
            return json.load(answer)

    def waits(self, home):
        """A request that waits until a change of a home ends it."""
        [group] = self.get("/sync/groups")["groups"]
        now = self.get(f"/sync/changes/{group}?after=0&wait=0")["next"]
        seen = []
        waiting = threading.Thread(target=lambda: seen.append((self.get(f"/sync/changes/{group}?after={now}&wait=60")["next"], time.monotonic())))
        waiting.start()
        home.add("call the plumber")
        home.sync()
        done = time.monotonic()
        waiting.join(30)
        assert seen and seen[0][0] > now and seen[0][1] < done + 5, (seen, now, done)
        return group


def main(address, certificate, kind=""):
    homes = [SyncHome("first"), SyncHome("second")]
    first, second = homes
    proxy, word = Proxy(address, certificate), random_text()
    try:
        for home, command in ((first, ("account", "create")), (second, ("login",))):
            home.unlock()
            home.expect(0, "settings", "set", "server-ca", certificate)
            home.expect(0, "settings", "set", "server", address)
            home.expect(0, *command, "sync@example.org", "--password-file", "-", lines=[word])
        first.direct("sync", "enable", "--name", "first")
        exchange_digits(second, first)
        proxy.token = re.search(r"tvy_[\w-]+", pathlib.Path(first.sync_folder, "sync").read_text())[0]
        content, value = os.urandom(TWO_PARTS_AND_MORE), random_text(LARGEST_VALUE if not kind else 1_000)
        first.save("large.example", value)
        first.direct("file", "add", "-", "--name", "film.bin", data=content)
        if kind == "full":
            refused = first.direct("sync", "now", code=None)
            assert refused.returncode and b"no content of 1048848 bytes" in refused.stderr, refused
        else:
            first.sync()
        second.sync()
        assert second.value("large.example") == value
        if kind == "full":
            assert not second.json("file", "list")
            return
        assert second.direct("file", "get", "film.bin", "--output", "-").stdout == content
        group = proxy.waits(second)
        # The messages of joining are removed, and so is all else at the end.
        assert proxy.get(f"/sync/blobs/{group}/mailbox")["names"] == []
        first.direct("device", "remove", "second", "--yes")
        first.direct("sync", "disable", "--yes", "--remove-group")
        assert proxy.get("/sync/groups")["groups"] == []
    finally:
        for home in homes:
            home.__exit__()


main(*sys.argv[1:])
