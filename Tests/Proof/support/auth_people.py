"""People who use an auth server that is killed under them, and remember what it told them."""

import collections
import random
import threading
import time

CHECKS = ("account", "removed", "password", "old password", "session", "ended session", "whole or not", "guesses")
FREE_FAILURES = 12
# The server takes the direct predecessor of a token for 30 seconds, for clients that never got the answer.
PATIENCE = 20


class Findings:
    """Counts what was looked at."""

    def __init__(self):
        self.passed, self.failed = collections.Counter(), collections.Counter()
        self.failures, self.databases = [], 0
        self.answered = collections.Counter()
        self.lock = threading.Lock()

    def answer(self, what):
        with self.lock:
            self.answered[what] += 1

    def expect(self, check, is_right, detail):
        with self.lock:
            (self.passed if is_right else self.failed)[check] += 1
            if not is_right:
                self.failures.append(f"{check}: {detail}")

    def soundness(self, is_right, detail):
        with self.lock:
            self.databases += 1
            if not is_right:
                self.failures.append(f"the database is not sound: {detail}")

    def figures(self):
        return f"acknowledged={self.answered.total()} checks={self.passed.total()} databases={self.databases} lost={len(self.failures)}"

    def summary(self):
        answers = ", ".join(f"{count} {what}" for what, count in sorted(self.answered.items()))
        checks = ", ".join(f"{name} {self.passed[name]}/{self.passed[name] + self.failed[name]}" for name in CHECKS)
        return f"acknowledged {answers}; held {checks}"


class Session:
    def __init__(self, answer):
        self.access, self.token = answer["access_token"], answer["refresh_token"]
        self.older = []
        self.asked = time.monotonic()


class Person:
    """Has one account, and another one after that was removed."""

    def __init__(self, name, findings, seed):
        self.label, self.findings, self.random = name, findings, random.Random(seed)
        self.client = "10.1.0.%d" % self.random.randrange(1, 250)
        self.number = 0
        self._begin()

    def _begin(self):
        self.number += 1
        self.name = f"{self.label}.{self.number}@example.org"
        # What may be the password; the first is the one that was acknowledged. None: there is no account.
        self.passwords = [None]
        self.old, self.sessions, self.ended = None, [], []
        # What was asked last and never answered.
        self.unknown, self.unknown_session = None, None

    # What they do, until the server is gone.

    def live(self, server, stop):
        while not stop.is_set() and self.unknown is None and not (self.old and self.passwords == [None]):
            if self.passwords == [None]:
                self._create(server)
            elif not self.sessions:
                self._sign_in(server)
            else:
                deeds = [self._refresh] * 6 + [self._sign_in] * 2 + [self._sign_out] * 2 + [self._replay]
                deeds += [self._change] * 2 + ([self._remove] if self.random.random() < 0.5 else [])
                self.random.choice(deeds)(server)

    def _note(self, what, status, *good):
        """Whether the server said that it is done. A deed without an answer is remembered, and is the last one of this life."""
        if status in good:
            self.findings.answer(what)
            return True
        if status in (0, 429):
            self.unknown = what
        else:
            self.findings.expect("whole or not", False, f"{self.name}: {what} was answered with {status}")
            self.unknown = what
        return False

    def _password(self):
        return "password %016x" % self.random.getrandbits(64)

    def _create(self, server):
        password = self._password()
        self.passwords = [None, password]
        status, _ = server.post("/account", member={"email": self.name, "password": password}, client=self.client)
        if self._note("accounts", status, 201):
            self.passwords = [password]

    def _sign_in(self, server):
        status, answer = server.sign_in(self.name, self.passwords[0], self.client)
        if self._note("sign-ins", status, 200):
            self.sessions.append(Session(answer))

    def _refresh(self, server):
        session = self.random.choice(self.sessions)
        session.asked = time.monotonic()
        status, answer = server.refresh(session.token, self.client)
        if self._note("refreshes", status, 200):
            session.older.append(session.token)
            session.access, session.token = answer["access_token"], answer["refresh_token"]

    def _sign_out(self, server):
        session = self.random.choice(self.sessions)
        self.sessions.remove(session)
        status, _ = server.post(
            "/oauth/revoke", form={"client_id": "taskvault", "token": session.token}, client=self.client)
        if self._note("sign-outs", status, 200):
            self.ended.append(session)

    def _replay(self, server):
        """A token that was used up long ago ends the session."""
        session = self.random.choice(self.sessions)
        if len(session.older) < 2:
            return
        self.sessions.remove(session)
        status, _ = server.refresh(session.older[-2], self.client)
        if self._note("replays", status, 400):
            self.ended.append(session)

    def _change(self, server):
        session, new = self.random.choice(self.sessions), self._password()
        self.passwords = [self.passwords[0], new]
        member = {"current_password": self.passwords[0], "new_password": new}
        status, answer = server.post("/account/password", member=member, token=session.access, client=self.client)
        if self._note("changes", status, 200):
            self._has_changed(Session(answer))
        elif status == 0:
            self.unknown_session = session

    def _has_changed(self, *sessions):
        self.ended += self.sessions
        self.old, self.passwords, self.sessions = self.passwords[0], [self.passwords[-1]], list(sessions)

    def _remove(self, server):
        session = self.random.choice(self.sessions)
        password = self.passwords[0]
        self.passwords = [password, None]
        status, _ = server.post(
            "/account/remove", member={"current_password": password}, token=session.access, client=self.client)
        if self._note("removals", status, 204):
            self.ended, self.sessions = self.ended + self.sessions, []
            self.old, self.passwords = password, [None]

    # What the next server has to know.

    def check(self, server):
        expect = self.findings.expect
        works = self._working(server)
        certain = self.passwords[0] if len(self.passwords) == 1 else ...
        if certain is None:
            if self.old is not None:
                expect("removed", not works, f"{self.name} is there again")
        elif certain is not ...:
            check = "password" if self.old is not None else "account"
            expect(check, works == certain, f"{self.name}: the password that was acknowledged does not count")
        else:
            expect("whole or not", works in self.passwords, f"{self.name}: neither of two passwords counts")
        if certain not in (None, ...) and self.old is not None:
            status, _ = server.sign_in(self.name, self.old, "10.2.0.1")
            expect("old password", status in (400, 429), f"{self.name}: {status} for the password before")
        self._check_sessions(server, works, certain)
        self._begin()

    def _working(self, server):
        """Which of the passwords counts; None if no one."""
        for password in self.passwords + ([self.old] if self.passwords == [None] else []):
            if password is not None and server.sign_in(self.name, password, self.client)[0] == 200:
                return password
        return None

    def _check_sessions(self, server, works, certain):
        expect = self.findings.expect
        survive = certain is not ... or works == self.passwords[0]
        for session in self.sessions:
            if session.asked and time.monotonic() - session.asked > PATIENCE and self.unknown == "refreshes":
                continue
            status, _ = server.refresh(session.token, self.client)
            check = "session" if certain is not ... else "whole or not"
            expect(check, status == (200 if survive else 400), f"{self.name}: {status} for a session, {self.unknown}")
        for session in self.ended:
            status, _ = server.refresh(session.token, self.client)
            expect("ended session", status == 400, f"{self.name}: {status} for a session that had ended")


class Newcomer(Person):
    """Makes one account after the other, and leaves them alone: they have to outlive all kills."""

    def __init__(self, name, findings, seed):
        self.accounts, self.checked = [], 0
        super().__init__(name, findings, seed)

    def live(self, server, stop):
        while not stop.is_set():
            self._create(server)
            if self.unknown is None:
                self.accounts.append((self.name, self.passwords[0]))
            self._begin()

    def check(self, server):
        old = self.accounts[:self.checked]
        for name, password in self.accounts[self.checked:] + (self.random.sample(old, 1) if old else []):
            status, _ = server.sign_in(name, password, self.client)
            self.findings.expect("account", status == 200, f"{name}: {status} for an account that was made")
        self.checked = len(self.accounts)


class Guesser:
    """Tries passwords of one name after the other. What was counted stays counted."""

    def __init__(self, name, findings, seed):
        self.label, self.findings, self.random = name, findings, random.Random(seed)
        self.number = 0
        self._begin()

    def _begin(self):
        self.number += 1
        self.name = f"{self.label}.{self.number}@example.org"
        self.rejected, self.began = 0, time.monotonic()

    def live(self, server, stop):
        while not stop.is_set():
            self._guess(server)
            stop.wait(0.05)

    def _guess(self, server):
        status, _ = server.sign_in(self.name, "a wrong guess", "10.3.%d.1" % self.random.randrange(250))
        if status == 400:
            self.rejected += 1
            self.findings.answer("guesses")
        return status

    def check(self, server):
        """Nobody gets more guesses than there are, however often the server dies."""
        for _ in range(FREE_FAILURES + 2):
            if self._guess(server) != 400:
                break
        # A name that is closed opens again after a quarter of an hour.
        if time.monotonic() - self.began < PATIENCE:
            self.findings.expect(
                "guesses", self.rejected <= FREE_FAILURES + 1, f"{self.name}: {self.rejected} guesses were looked at")
        self._begin()
