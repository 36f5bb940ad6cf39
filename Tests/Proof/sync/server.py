"""The account's server lies: a proxy before the real one changes, cuts, repeats, exchanges, withholds and puts back what it answers.

Each time the other device has its earlier state or that of the first one, never another; and once the server is honest, both agree.
"""

import json
import os
import pathlib
import re
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.auth_server import AuthServer  # noqa: E402
from support.between import BINARY, Between, BetweenServer, problem  # noqa: E402
from support.product import AUTHD, random_text  # noqa: E402
from support.sync_homes import SyncHome, exchange_digits, view  # noqa: E402

# What a command may end with while the server lies: done, damaged, refused, unreachable, rejected.
ENDS = (0, 7, 8, 9, 10)


class Liar:
    """How answers are changed now: a function of method, path and answer; None for an honest server."""

    lie = None
    lies = 0
    # What was read and what was put, by path.
    seen = {}
    sent = {}
    # The chains of the first device, and the blobs of another account's group, by area and name.
    chains = set()
    foreign = {}
    # What the server had when it was looked at, by area and name.
    old = {}
    group = None
    token = None
    proxy = None


class Proxy(Between):
    def respond(self, path, fields, body):
        if path.startswith("/sync/blobs/"):
            Liar.token = fields.get("Authorization", Liar.token)
        if self.command == "POST" and parts(path):
            Liar.sent[path] = body
        lie, lied, answer = Liar.lie, None, None
        early = lie and lie.__name__.startswith("before_")
        if early:
            lied = lie(self.command, path)
        if not lied:
            answer = super().respond(path, fields, body)
            if self.command == "GET" and parts(path) and answer[0] == 200:
                Liar.seen[path] = answer[2]
            if lie and not early:
                lied = lie(self.command, path, answer) or in_each_area(lie, path, answer)
        Liar.lies += bool(lied)
        return lied or answer


def get(area, name=""):
    """What the real server has: the bytes of a blob, or the names in an area."""
    path = f"/sync/blobs/{Liar.group}/{area}" + (f"/{name}" if name else "")
    status, _, content = Liar.proxy.ask("GET", path, {"Authorization": Liar.token})
    assert status == 200, (path, status)
    return content if name else json.loads(content)["names"]


def parts(path):
    """Group, area and name of a blob's path; None for others."""
    found = re.fullmatch(r"/sync/blobs/([0-9a-f]{32})/([0-9a-z]+)/([0-9a-z-]+)", path)
    return found and found.groups()


def area(path):
    found = re.fullmatch(r"/sync/blobs/[0-9a-f]{32}/([0-9a-z]+)(\?.*)?", path)
    return found and found[1]


def is_list_of_chain(method, path, answer):
    return method == "GET" and answer[0] == 200 and len(area(path) or "") == 32


def is_segment(method, path, answer):
    found = parts(path)
    return method == "GET" and answer[0] == 200 and bool(found) and len(found[1]) == 32 and found[2].isdigit()


def names(answer):
    return json.loads(answer[2])["names"]


def listed(found):
    return 200, "application/json", json.dumps({"names": found, "next": None}).encode()


def in_each_area(lie, path, answer):
    """The list of all areas, of which a lie changes each as if it had been asked alone; None where it changes none."""
    if not re.fullmatch(r"/sync/blobs/[0-9a-f]{32}(\?.*)?", path) or answer[0] != 200:
        return None
    areas = {each: [] for each in ("members", *Liar.old) if each != "files"}
    for each, name in (found.split("/") for found in names(answer)):
        areas.setdefault(each, []).append(name)
    lies = {each: lie("GET", f"{path.split('?')[0]}/{each}", listed(found)) for each, found in areas.items()}
    if not any(lies.values()):
        return None
    answers = {each: json.loads((lies[each] or listed(found))[2]) for each, found in areas.items()}
    shown = sorted(f"{each}/{name}" for each, found in answers.items() for name in found["names"])
    ends = all(found["next"] is None for found in answers.values())
    return 200, "application/json", json.dumps({"names": shown, "next": None if ends else shown[-1]}).encode()


def look():
    """Notes all that the server has."""
    Liar.old = {}
    areas = {found[1] for found in map(parts, [*Liar.sent, *Liar.seen]) if found and found[0] == Liar.group}
    for each in areas:
        Liar.old[each] = {name: get(each, name) for name in get(each)}


# The lies. Each returns another answer, or None for the honest one. Those that begin with *before* do not ask the server.


def flipped_byte(method, path, answer):
    if is_segment(method, path, answer):
        place = len(answer[2]) // 2
        return 200, BINARY, answer[2][:place] + bytes([answer[2][place] ^ 1]) + answer[2][place + 1:]


def cut_segment(method, path, answer):
    if is_segment(method, path, answer):
        return 200, BINARY, answer[2][:-40]


def endless_segment(method, path, answer):
    if is_segment(method, path, answer):
        return 200, BINARY, bytes(5_000_000)


def earlier_segment_again(method, path, answer):
    if is_segment(method, path, answer):
        chain, number = path.rsplit("/", 1)
        earlier = Liar.seen.get(f"{chain}/{int(number) - 1}")
        return earlier and (200, BINARY, earlier)


def segment_of_another_chain(method, path, answer):
    if is_segment(method, path, answer):
        others = [bytes for other, bytes in Liar.seen.items() if is_segment("GET", other, answer) and parts(other)[1] != parts(path)[1]]
        return others and (200, BINARY, others[0])


def newest_exchanged(method, path, answer):
    if is_segment(method, path, answer) and parts(path)[1] in Liar.chains:
        _, chain, name = parts(path)
        last = sorted(map(int, filter(str.isdigit, get(chain))))[-2:]
        if len(last) == 2 and int(name) in last:
            return 200, BINARY, get(chain, str(sum(last) - int(name)))


def all_withheld(method, path, answer):
    if is_list_of_chain(method, path, answer):
        return listed([])


def newest_withheld(method, path, answer):
    if is_list_of_chain(method, path, answer) and names(answer):
        return listed(sorted(filter(str.isdigit, names(answer)), key=int)[:-1])


def old_server(method, path, answer):
    """All lists and blobs as they were before the change."""
    if method == "GET" and area(path) and answer[0] == 200:
        return listed(sorted(Liar.old.get(area(path), {})))
    if method == "GET" and parts(path):
        _, each, name = parts(path)
        old = Liar.old.get(each, {}).get(name)
        return (200, BINARY, old) if old is not None else problem(404, "not_found")


def old_chains(method, path, answer):
    """As `old_server`, the chains of the first device alone."""
    each = area(path) or (parts(path) or ["", ""])[1]
    return old_server(method, path, answer) if each in Liar.chains else None


def old_members(method, path, answer):
    if (area(path) or (parts(path) or ["", ""])[1]) == "members":
        return old_server(method, path, answer)


def numbers_that_do_not_exist(method, path, answer):
    if is_list_of_chain(method, path, answer):
        return listed(names(answer) + ["18446744073709551614", "007", "x", "-1"])


def false_statement(method, path, answer):
    if method == "GET" and area(path) == "members" and answer[0] == 200:
        return listed(names(answer) + ["ab" * 32])
    if method == "GET" and path.endswith("/members/" + "ab" * 32):
        return 200, BINARY, b"TVST" + bytes(500)


def members_of_another_group(method, path, answer):
    """Statements of other people, who add themselves, and their segments after those of the first device."""
    if method == "GET" and area(path) == "members" and answer[0] == 200:
        return listed(names(answer) + sorted(Liar.foreign["members"]))
    found = parts(path)
    if method == "GET" and found and found[1] == "members" and found[2] in Liar.foreign["members"]:
        return 200, BINARY, Liar.foreign["members"][found[2]]
    if is_list_of_chain(method, path, answer) and area(path) in Liar.chains:
        numbers = [int(name) for name in names(answer) if name.isdigit()]
        return listed(names(answer) + [str(max(numbers) + 1)])
    if method == "GET" and found and found[1] in Liar.chains and answer[0] == 404:
        return 200, BINARY, next(bytes for each, blobs in Liar.foreign.items() if len(each) == 32 for bytes in blobs.values())


def list_without_end(method, path, answer):
    if method == "GET" and area(path) and answer[0] == 200:
        return 200, "application/json", json.dumps({"names": ["1"], "next": "1"}).encode()


def page_of_a_hotel(method, path, answer):
    if path.startswith("/sync/"):
        return 200, "text/html", b"<html>Welcome! Accept our conditions.</html>"


def before_lost_puts(method, path):
    if method == "POST" and parts(path) and len(parts(path)[1]) == 32:
        return 201, "application/json", b""


def before_refused_token(method, path):
    if path.startswith("/sync/"):
        return problem(401, "invalid_token")


LIES = [
    flipped_byte, cut_segment, endless_segment, earlier_segment_again, segment_of_another_chain, newest_exchanged, all_withheld, newest_withheld,
    old_server, numbers_that_do_not_exist, false_statement, members_of_another_group, list_without_end, page_of_a_hotel, before_lost_puts, before_refused_token,
]


class Scene:
    def __init__(self, first, second):
        self.first, self.second, self.numbers, self.tries = first, second, 0, 0

    def change(self):
        for _ in range(2):
            self.numbers += 1
            self.first.save(f"service{self.numbers}.example", f"value {self.numbers}")
            self.first.add(f"task {self.numbers}")
            self.first.sync(code=None)

    def honest(self, *homes):
        """Rounds with an honest server, after which all have the same."""
        Liar.lie = None
        homes = homes or (self.first, self.second)
        for home in homes * 2:
            home.sync()
        views = [view(home) for home in homes]
        assert all(each == views[0] for each in views), views
        words = {home.direct("sync", "check").stdout for home in homes}
        assert len(words) == 1, words

    def attack(self, lie):
        before = view(self.second)
        look()
        Liar.lies = 0
        # A put that the server only pretends to keep is one of the first device.
        Liar.lie = lie if lie and lie.__name__.startswith("before_") else None
        self.change()
        Liar.lie = lie
        said = self.second.direct("sync", "now", "--json", code=None)
        Liar.lie = None
        after, first = view(self.second), view(self.first)
        assert said.returncode in ENDS, (lie, said)
        assert all(old <= new <= own for old, new, own in zip(before, after, first)), (lie, before, after)
        if lie:
            assert Liar.lies, f"{lie.__name__}: the server has not lied"
            print(f"{lie.__name__}: lies {Liar.lies}, exit code {said.returncode}, {'held back' if after != first else 'applied'}")
            self.tries += 1
        else:
            assert after == first, (after, first)
        self.honest()


def old_snapshot(scene, newcomer):
    """A new device is shown an old snapshot, and nothing that came later: it says so, and does not take it for the newest."""
    first = scene.first

    def snapshot(number):
        # What was sent in the open and is protected now is replaced by a snapshot.
        first.save(f"opened{number}.example", "open")
        scene.honest()
        first.direct("secret", "edit", f"opened{number}.example", "ada", "--class", "after-verification")
        # All devices must have seen it, and say so with a change.
        scene.honest()
        scene.second.save(f"seen{number}.example", "of the second")
        for _ in range(2):
            scene.honest()

    snapshot(1)
    look()
    assert any(len(name) == 64 for chain in Liar.chains for name in Liar.old.get(chain, {})), "there is no snapshot"
    snapshot(2)
    first.save("newest.example", "after both snapshots")
    scene.honest()
    Liar.lie, Liar.lies = old_chains, 0
    exchange_digits(newcomer, first, codes=None)
    codes = newcomer.codes()
    assert Liar.lies and codes & {"change_missing", "snapshot_missing", "needs_other"}, codes
    assert "newest.example" not in newcomer.entries()
    scene.honest(first, scene.second, newcomer)
    assert newcomer.value("newest.example") == "after both snapshots"
    scene.tries += 1


def withheld_removal(scene, removed):
    """A device that is not shown the removal of another one notices that others go on with keys that it lacks."""
    first, second = scene.first, scene.second
    look()
    first.direct("device", "remove", removed.name, "--yes")
    first.save("later.example", "for two")
    first.sync()
    Liar.lie, Liar.lies = old_members, 0
    removed.sync(code=None)
    assert "later.example" not in removed.entries(), "a removed device has the new keys"
    codes = second.codes()
    assert Liar.lies and "keys_missing" in codes, codes
    assert "later.example" not in second.entries()
    scene.honest()
    assert second.value("later.example") == "for two"
    assert removed.sync(code=None)["code"] == "device_removed"
    scene.tries += 1


def main(only=""):
    """`only` is the name of one of the lies."""
    proxy = Liar.proxy = BetweenServer(Proxy)
    issuer = proxy.issuer
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    homes = [SyncHome(name) for name in ("first", "second", "third", "foreign")]
    first, second, third, foreign = homes
    server = AuthServer(AUTHD, os.path.join(first.folder, "server"), "--issuer", issuer)
    try:
        server.start()
        proxy.target = server.address
        for home in homes:
            home.unlock()
            home.expect(0, "settings", "set", "server", issuer)
        words = [random_text(), random_text()]
        for home, name, word, command in ((first, "ada", 0, ("account", "create")), (second, "ada", 0, ("login",)), (third, "ada", 0, ("login",)),
                                          (foreign, "eve", 1, ("account", "create"))):
            home.expect(0, *command, f"{name}@example.org", "--password-file", "-", lines=[words[word]])
        foreign.direct("sync", "enable", "--name", "foreign")
        foreign.save("foreign.example", "foreign")
        foreign.add("foreign")
        foreign.sync()
        for path, blob in Liar.sent.items():
            Liar.foreign.setdefault(parts(path)[1], {})[parts(path)[2]] = blob
        Liar.sent.clear()
        first.direct("sync", "enable", "--name", "first")
        first.add("first task")
        first.save("first.example", "first")
        first.sync()
        Liar.group = parts(next(iter(Liar.sent)))[0]
        Liar.chains = {parts(path)[1] for path in Liar.sent if len(parts(path)[1]) == 32}
        exchange_digits(second, first)
        scene = Scene(first, second)
        scene.honest()
        scene.attack(None)
        print("control: the same change without a lie arrives")
        for lie in LIES:
            if only in ("", lie.__name__):
                scene.attack(lie)
        old_snapshot(scene, third)
        withheld_removal(scene, third)
    finally:
        Liar.lie = None
        for home in homes:
            home.__exit__()
        if server.process:
            server.stop()
        proxy.shutdown()
    print(f"proof: attacks={scene.tries}")


main(*sys.argv[1:])
