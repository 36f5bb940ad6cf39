"""Text that somebody else arranged, shown at a real pseudo-terminal: no byte of it steers the terminal, and each item is one line.

It comes through every door there is: names, labels and values of secrets, tasks with notes and subtasks, protected or not, errors that
repeat what was typed, and answers of an auth server. Random strings over all code points, bytes that are no UTF-8, and a list by hand.
"""

import collections
import http.server
import json
import os
import pathlib
import random
import re
import sys
import threading
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, amount  # noqa: E402
from support.terminal import Session  # noqa: E402

STRINGS = amount("TASKVAULT_HOSTILE_STRINGS", 2_000)
SEED = int(os.environ.get("TASKVAULT_ROUND") or 0)
chance = random.Random(SEED)

# Joiner and selector are let through within an emoji of Unicode's own list, and nowhere else.
EMOJI = {"\u200d", "\ufe0f"}
STEERING = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]")
# What the program itself says to a terminal: its second screen, erased row by row, and columns of tables.
OWN = re.compile(rb"\x1b\[(?:\?1049[hl]|\?25[hl]|\?7[hl]|0m|\d+;1H|2K|2J|H|\d+G|K)|\r(?=\x1b\[K)")
BY_HAND = [
    "\x1b[31mred", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x07", "\x9b31m", "\x1bP1$r\x1b\\", "a\rb", "a\nb", "a\tb", "a\vb\fc", "\x7f\x08\x08x",
    "\u202egpj.exe", "\u2066x\u2069", "a\u200bb", "a\u200db", "\ufeffx", "\u2028line", "\u2029paragraph", "\u0085next", "аdа", "ｐａｙｐａｌ", "x" * 900,
    "e" + "\u0301" * 300, "\U000e0041\U000e0042", "\u00ad", "👩\u200d👩", "❤\ufe0f", "1\ufe0f", "\x00", "%s%n$(id)`id`", "--help", "\\u{1B}[31m"]
DANGEROUS = [*range(0x20), *range(0x7f, 0xa0), *range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x2070), 0xfeff, 0xad, 0x61c]


def random_string():
    def character():
        kind = chance.random()
        if kind < 0.35:
            return chr(chance.choice(DANGEROUS))
        if kind < 0.6:
            return chr(chance.randrange(0x20, 0x7f))
        while True:
            value = chance.randrange(0x110000)
            if not 0xd800 <= value < 0xe000:
                return chr(value)
    return "".join(character() for _ in range(chance.randrange(1, 25)))


def steering(seen):
    """What of some bytes would steer a terminal, or is no text."""
    try:
        text = seen.decode()
    except UnicodeDecodeError as error:
        return f"no UTF-8: {error}"
    if found := STEERING.search(text):
        return f"{found.group()!r} in {text[max(0, found.start() - 40):found.end() + 40]!r}"
    for place, character in enumerate(text):
        # Something that can be seen stands before a joiner or selector.
        if character in EMOJI and (place == 0 or unicodedata.category(text[place - 1])[0] not in "SPNM" and ord(text[place - 1]) < 0x2000):
            return f"{character!r} in {text[max(0, place - 40):place + 40]!r}"
    if found := re.search("\r(?!\n)", text.replace("\r\r\n", "\r\n")):
        return f"a bare return in {text[max(0, found.start() - 40):found.end() + 40]!r}"
    return ""


class Screen:
    """Runs commands of a home at a terminal and looks at all that arrives there."""

    def __init__(self, home):
        self.home, self.shown = home, 0

    def show(self, *words, answers=(), codes=(0,), is_view=False, tries=3):
        # As wide as no line is long.
        with Session(self.home.words(*words), self.home.environment | {"TERM": "xterm" if is_view else "dumb"}, self.home.folder, size=(50, 4_000)) as session:
            for question, text in answers:
                session.answer(question, text)
            if is_view:
                # What was revealed goes away when a key is pressed.
                try:
                    session.wait_for(b"\x1b[?1049h")
                    session.wait_for(b"\x1b[0m")
                except AssertionError:
                    # The agent took longer to answer than a view waits for it.
                    if tries > 1 and b"shows it again" in session.seen:
                        return self.show(*words, codes=codes, is_view=True, tries=tries - 1)
                    raise
                session.read(0.2)
                session.type("q")
            code = session.finish(15)
            assert code in codes, (words, code, session.seen[-300:])
            assert not (found := steering(OWN.sub(b"", session.seen))), (words, found)
            self.shown += len(session.seen)
            return session.seen.decode().replace("\r\n", "\n")


def tasks(screen, texts):
    """As tasks of which every part is hostile; a list has as many lines as there are tasks."""
    home = screen.home
    texts = [text.replace("\0", "") for text in texts]
    texts = [text for text in texts if text.strip()]
    record = [{"name": text[:500], "notes": text[:500]} for text in texts]
    made = 0
    for start in range(0, len(record), 500):
        part = record[start:start + 500]
        lines = "".join(todo_txt(entry["name"]) + "\n" for entry in part)
        home.run("task", "import", "--format", "todo.txt", "-", data=lines.encode())
        made += len(part)
    listed = json.loads(home.expect(0, "task", "list", "--json").stdout)
    assert len(listed) >= len(texts) * 0.7, (len(listed), len(texts))
    shown = screen.show("task", "list", "--limit", "1000000")
    lines = [line for line in shown.splitlines() if line.strip()]
    return listed, lines


def todo_txt(text):
    # One line is one task there.
    return text.replace("\n", " ").replace("\r", " ")


def one_by_one(screen, texts):
    """What takes a command each: notes, subtasks, labels, values, names that are not there, words nobody knows."""
    home, shown = screen.home, collections.Counter()
    made = json.loads(home.expect(0, "task", "add", "a task", "--json").stdout)["id"]
    hidden = json.loads(home.expect(0, "task", "add", "--protected", "--json", data=b"words").stdout)["id"]
    for number, text in enumerate(texts):
        raw = text if isinstance(text, bytes) else text.encode()
        kind = number % 8
        typed = raw.replace(b"\0", b"")[:900]
        if kind == 0:
            # Any bytes are a value.
            home.expect(0, "secret", "set", "--replace", "mail.example", "ada", data=raw or b"x")
            screen.show("secret", "get", "mail.example", "ada")
        elif kind == 1:
            if home.run("task", "edit", made, "--notes", "-", data=typed).returncode == 0:
                screen.show("task", "show", made)
                shown["notes"] += 1
        elif kind == 2:
            if home.run("task", "edit", hidden, "--name", "-", data=typed.replace(b"\n", b" ") + b"\n").returncode == 0:
                screen.show("task", "show", hidden, is_view=True)
                screen.show("task", "list", "--reveal", "--protected", is_view=True)
                shown["protected words"] += 1
        elif kind == 3:
            screen.show("secret", "get", "--", typed, "ada", codes=(2, 5))
        elif kind == 4:
            screen.show("task", "show", "--", b"?" + typed, codes=(2, 5))
        elif kind == 5:
            screen.show(b"x" + typed, codes=(2,))
        elif kind == 6:
            # A name has no control character; what else steers or hides may stand in one.
            if any(unicodedata.category(character) == "Cc" for character in typed.decode(errors="replace")):
                assert home.run("secret", "set", "--", typed, "ada", data=b"x").returncode == 2, typed
                typed = "".join(character for character in typed.decode(errors="replace") if unicodedata.category(character) != "Cc").encode()
            if home.run("secret", "set", "--replace", "--", typed, typed, data=b"x").returncode == 0:
                assert home.run("secret", "edit", "--label=" + typed.decode(errors="replace"), "--", typed, typed).returncode in (0, 2, 8)
                listed = screen.show("secret", "list")
                assert len(listed.splitlines()) - len(json.loads(home.run("secret", "list", "--json").stdout)) in (0, 1), listed
                shown["names and labels"] += 1
                home.run("secret", "remove", "--yes", "--", typed, typed)
        else:
            screen.show("settings", "set", "--", "database", typed, codes=(2, 8, 9, 1, 7, 5))
            home.run("settings", "set", "database", "sqlite")
    # The others are refused before they are stored, which is no door either.
    assert len(shown) == 3 and min(shown.values()) >= len(texts) / 8 / 2, (len(texts), shown)
    print(f"control: of {len(texts)} texts were stored and shown: {', '.join(f'{count} as {name}' for name, count in shown.items())}")
    return len(texts)


class Server(http.server.BaseHTTPRequestHandler):
    """An auth server that answers with hostile text wherever text can stand."""

    text = ""
    answers = 0

    def answer(self):
        Server.answers += "well-known" not in self.path
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        address = f"http://127.0.0.1:{self.server.server_port}"
        if "well-known" in self.path:
            status, body = 200, {
                "issuer": address, "token_endpoint": address + "/oauth/token", "revocation_endpoint": address + "/oauth/revoke",
                "account_endpoint": address + "/account", "grant_types_supported": ["password", "refresh_token"]}
        elif self.path == "/oauth/token":
            status, body = 400, {
                "error": ("invalid_grant", "invalid_request", self.text)[len(self.text) % 3], "error_description": self.text}
        else:
            status, body = 403, {"error": self.text, "error_description": self.text, "email": self.text}
        content = json.dumps(body).encode()
        self.send_response(status, "x")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


def server(screen, texts):
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    screen.home.expect(0, "settings", "set", "server", f"http://127.0.0.1:{listener.server_port}")
    password = screen.home.folder + "/password"
    pathlib.Path(password).write_text("correct horse\n")
    os.chmod(password, 0o600)
    # Of a length that makes it the description of an error of OAuth.
    Server.text = "harmless words."
    first = screen.show("login", "ada@example.org", "--password-file", password, codes=(10,))
    assert ": harmless words." in first, first
    print("control: a server's words are shown")
    for text in texts:
        Server.text = text
        before = Server.answers
        screen.show("login", "ada@example.org", "--password-file", password, codes=(1, 4, 7, 8, 9, 10))
        assert Server.answers > before, "the server was not asked"
        screen.show("whoami", codes=(0, 1, 5, 7, 8, 9, 10))
    listener.shutdown()
    return len(texts)


def main():
    texts = BY_HAND + [random_string() for _ in range(STRINGS - len(BY_HAND))]
    singles = chance.sample(texts, min(len(texts), max(120, STRINGS // 20)))
    # Bytes that are no UTF-8, among them.
    singles += [bytes(chance.randrange(256) for _ in range(chance.randrange(1, 40))) for _ in range(len(singles) // 3)]
    # Without the escapes the same bytes do arrive, so they would have been seen.
    with Home() as home:
        with Session(["/bin/cat"], home.environment, home.folder) as session:
            session.type("\x16\x1b[31mred \u202e\n")
            session.wait_for("red")
            session.wait_for("red")
            assert steering(session.seen), session.seen
        print("control: what another program writes is seen to steer the terminal")
        home.unlock()
        screen = Screen(home)
        count, lines = tasks(screen, texts)
        extra = len(lines) - len(count)
        assert 0 <= extra <= 4, (len(lines), len(count), lines[:3], lines[-3:])
        done = len(count) + one_by_one(screen, singles) + server(screen, [text for text in singles if isinstance(text, str)][:40])
        print(f"proof: strings={done} bytes-shown={screen.shown} steering=0")


main()
