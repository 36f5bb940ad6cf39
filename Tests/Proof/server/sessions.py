"""Random life of accounts against a model: which tokens are good after each sign-in, exchange, reuse, revocation, change of the password,
end of a session and expiry. At last what is stored: hashes only, with costs that follow the settings at the next sign-in.

    TASKVAULT_SESSION_STEPS   random steps
"""

import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import AUTHD, amount, free_port  # noqa: E402
from support.server import CHEAP, PASSWORD, Server  # noqa: E402

STEPS = amount("TASKVAULT_SESSION_STEPS", 150)
LIFETIME = 60
chance = random.Random(int(os.environ.get("TASKVAULT_ROUND") or 0))
NAMES = ["ada@example.org", "eve@example.org", "joe@example.org"]


class Session:
    def __init__(self, name, access, refresh):
        self.name, self.accesses, self.refresh, self.replaced, self.is_over = name, [access], refresh, [], False


class Model:
    """What should be: sessions with their tokens."""

    def __init__(self, server):
        self.server, self.passwords, self.sessions, self.dead, self.checks = server, {name: PASSWORD for name in NAMES}, [], [], 0
        self.seen = set()

    def living(self):
        return [session for session in self.sessions if not session.is_over]

    def new_tokens(self, access, refresh):
        assert access not in self.seen and refresh not in self.seen, "a token twice"
        assert re.fullmatch(r"tva_[A-Za-z0-9_-]{43}", access) and re.fullmatch(r"tvr_[A-Za-z0-9_-]{43}", refresh), "256 bits each"
        self.seen |= {access, refresh}

    def end(self, session):
        session.is_over = True
        self.dead += [(access, session.refresh) for access in session.accesses]

    def sign_in(self):
        name = chance.choice(NAMES)
        access, refresh = self.server.tokens(name, self.passwords[name])
        self.new_tokens(access, refresh)
        self.sessions.append(Session(name, access, refresh))

    def exchange(self, session):
        status, _, content = self.server.refresh(session.refresh)
        assert status == 200, content
        made = json.loads(content)
        self.new_tokens(made["access_token"], made["refresh_token"])
        session.replaced.append(session.refresh)
        session.refresh = made["refresh_token"]
        session.accesses.append(made["access_token"])

    def reuse(self, session):
        """A token that was exchanged twice since: somebody has a copy, and the session ends."""
        if len(session.replaced) >= 2:
            assert self.server.refresh(session.replaced[-2])[0] == 400
            self.end(session)

    def revoke(self, session):
        status, _, _ = self.server.form("/oauth/revoke", {"client_id": "taskvault", "token": session.refresh})
        assert status == 200
        self.end(session)

    def change_password(self, session):
        new = "another password " + str(len(self.seen))
        status, _, content = self.server.request(
            "POST", "/account/password", json.dumps({"current_password": self.passwords[session.name], "new_password": new}),
            {"Authorization": "Bearer " + session.accesses[-1], "Content-Type": "application/json"})
        assert status in (200, 204), content
        old, self.passwords[session.name] = self.passwords[session.name], new
        for other in self.living():
            if other.name == session.name:
                self.end(other)
        assert self.server.sign_in(session.name, old)[0] == 400, "the old password is good"
        made = json.loads(content) if content else {}
        if "access_token" in made:
            self.new_tokens(made["access_token"], made["refresh_token"])
            self.sessions.append(Session(session.name, made["access_token"], made["refresh_token"]))

    def check(self):
        for session in chance.sample(self.living(), min(3, len(self.living()))):
            assert self.server.account(session.accesses[-1])[0] == 200, "a good token is refused"
            self.checks += 1
        for access, refresh in chance.sample(self.dead, min(4, len(self.dead))):
            assert self.server.account(access)[0] == 401, "a token outlives its session"
            assert self.server.refresh(refresh)[0] == 400, "a token outlives its session"
            self.checks += 2


def stored(server):
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as database:
        text = "\n".join(repr(row) for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
                         for row in database.execute(f"SELECT * FROM \"{table}\"").fetchall())
    return sorted(re.findall(r"\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$", text)), text


def hashes():
    """Costs of what is stored, and that they follow the settings at the next sign-in."""
    with Server(*CHEAP) as server:
        server.make(NAMES[0])
        server.make(NAMES[1])
        costs, text = stored(server)
        assert costs == [("19456", "2")] * 2, costs
        assert PASSWORD not in text and NAMES[0] in text
        port = free_port()
        with open(server.log, "ab") as log:
            second = subprocess.Popen(
                [AUTHD, "serve", "--database", server.database, "--listen", f"127.0.0.1:{port}", "--password-passes", "3",
                 "--password-memory", "24"], stderr=log)
        try:
            own_port, server.port = server.port, port
            deadline = time.monotonic() + 30
            while True:
                try:
                    assert server.sign_in(NAMES[0])[0] == 200
                    break
                except ConnectionRefusedError:
                    assert time.monotonic() < deadline and second.poll() is None
                    time.sleep(0.01)
            costs, _ = stored(server)
            assert costs == [("19456", "2"), ("24576", "3")], costs
            assert server.sign_in(NAMES[0])[0] == 200
        finally:
            second.terminate()
            second.wait()
            server.port = own_port
    for option, value in (("--password-passes", "1"), ("--password-memory", "18")):
        done = subprocess.run([AUTHD, "serve", "--check-config", option, value], capture_output=True)
        assert done.returncode == 2, (option, done)
    print("control: an older cost stays stored until the next sign-in")


with Server(*CHEAP, "--access-token-lifetime", "1m", "--guess-free-failures", "1000", "--guess-network-attempts", "100000") as server:
    for name in NAMES:
        server.make(name)
    model = Model(server)
    for _ in range(3):
        model.sign_in()
    # The first one's access token expires while all this goes on; nobody touches it.
    oldest = server.tokens(NAMES[0])[0]
    begin = time.monotonic()
    for step in range(STEPS):
        if not model.living() or chance.random() < 0.3:
            model.sign_in()
        else:
            session = chance.choice(model.living())
            act = chance.choices([model.exchange, model.reuse, model.revoke, model.change_password], [10, 3, 2, 1])[0]
            if act == model.change_password:
                # Its access token may have expired.
                model.exchange(session)
            act(session)
        if time.monotonic() - begin < LIFETIME - 15:
            model.check()
    assert model.dead and model.checks > STEPS / 2
    print(f"control: {model.checks} checks found good tokens accepted and ended ones refused")
    kept, logged = server.kept(), server.logged()
    for token in model.seen:
        assert token.encode() not in kept + logged and token[4:].encode() not in kept + logged, "a token is kept"
    assert all(password.encode() not in kept + logged for password in model.passwords.values())
    # A session that was fixed by somebody else: a token that a client brings is never taken as the name of a new session.
    status, _, content = server.form("/oauth/token", {
        "grant_type": "password", "client_id": "taskvault", "username": NAMES[1], "password": model.passwords[NAMES[1]],
        "refresh_token": "tvr_" + "A" * 43, "access_token": "tva_" + "A" * 43})
    assert "tvr_" + "A" * 43 not in content and server.account("tva_" + "A" * 43)[0] == 401, content
    while time.monotonic() < begin + LIFETIME + 2:
        time.sleep(0.2)
    assert server.account(oldest)[0] == 401, "a token outlives its time"
hashes()
print(f"proof: steps={STEPS} tokens={len(model.seen)} checks={model.checks} wrongly-good=0")
