"""32 secrets go through all commands that take one, at a terminal and in pipes, and are looked for in four encodings outside of the vault:
in the arguments and environments of all processes, in files, in what is printed, in the server's log and database.
"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.canaries import Canaries, Watch, encodings  # noqa: E402
from support.product import AUTHD, CHEAP, Home, free_port, wait_for  # noqa: E402
from support.terminal import Session  # noqa: E402

EMAIL = "ada@example.org"


class Life:
    """One person's use of everything that takes a secret. What a command printed must have no secret but those that it was asked for."""

    def __init__(self, home, canaries, address):
        self.home, self.canaries, self.address, self.commands = home, canaries, address, 0

    def check(self, words, output, shows):
        self.commands += 1
        found = {name for name, _ in self.canaries.find(output)}
        assert found <= set(shows), (words, found, output[-300:])
        assert not shows or found, (words, "what was asked for is not seen", shows, output[-300:])

    def pipe(self, words, lines=(), data=b"", code=0, shows=()):
        done = self.home.run(*words.split(), lines=lines, data=data)
        assert done.returncode == code, (words, done.returncode, done.stderr)
        self.check(words, done.stdout + done.stderr, shows)
        return done.stdout.decode()

    def terminal(self, words, *answers, code=0, shows=()):
        with Session(self.home.words(*words.split()), self.home.environment | {"TERM": "dumb"}, self.home.folder) as session:
            for question, text in answers:
                session.answer(question, text)
            assert session.finish() == code, (words, session.seen)
        self.check(words, session.seen, shows)
        return session.seen.decode()

    def new(self, name):
        return self.canaries.new(name)

    def vault(self):
        new, first = self.new, self.new("passphrase")
        out = self.terminal("init " + " ".join(CHEAP), ("Create a passphrase", first), ("Repeat the passphrase", first))
        code = next(line for line in out.split() if line.count("-") == 13)
        self.canaries.add("recovery code", code.replace("-", "")[:40])
        self.canaries.add("recovery code, in groups", code[:40])
        self.terminal("unlock", ("Passphrase: ", first))
        self.pipe("unlock --passphrase-file -", [new("wrong passphrase")], code=4)
        self.terminal("verify", ("Passphrase: ", first))
        second = new("second passphrase")
        self.terminal("passphrase change", ("Passphrase: ", first), ("Create a passphrase", second), ("Repeat the passphrase", second))
        third = new("third passphrase")
        self.pipe("passphrase change --recovery --passphrase-file -", [code, third])
        self.pipe("lock")
        self.terminal("recovery unlock", ("Recovery code: ", code))
        self.home.passphrase = third

    def secrets(self):
        new = self.new
        self.terminal("secret set mail.example ada", ("Value: ", new("value, typed")))
        self.pipe("secret set bank.example ada --class after-verification", data=new("value, piped").encode())
        self.terminal("secret update mail.example ada", ("Value: ", new("value, updated")))
        self.pipe("secret get mail.example ada", shows=["value, updated"])
        self.pipe("secret get --json bank.example ada", shows=["value, piped"])
        self.terminal("secret get bank.example ada", shows=["value, piped"])
        generated = self.pipe("secret generate wifi home --length 24").strip()
        self.canaries.add("generated", generated)
        self.pipe("secret generate wifi2 home --words 4")
        imported = f"name,url,username,password\nx,https://x.example,ada,{new('imported')}\n"
        self.pipe("secret import - --format browser --passphrase-file /dev/fd/0", data=b"", code=2)
        names = self.home.folder + "/import"
        pathlib.Path(names).write_text(imported)
        self.pipe(f"secret import {names} --passphrase-file -", [self.home.passphrase])
        os.unlink(names)
        self.terminal("secret export", ("Passphrase: ", self.home.passphrase), shows=["value, updated", "value, piped", "generated", "imported"])
        self.pipe("secret edit mail.example ada --label Mail")
        for number in range(4):
            self.pipe(f"secret set host{number}.example ada --json", data=new(f"value {number}").encode())
            self.terminal(f"secret update host{number}.example ada", ("Value: ", new(f"value {number}, typed again")))
            self.pipe(f"secret remove --yes host{number}.example ada")
        self.pipe("secret list --json")
        self.pipe("secret remove --yes wifi2 home")

    def tasks(self):
        new = self.new
        made = self.terminal("task add --protected", ("Name", new("task, typed")))
        made = json.loads(self.pipe("task list --json"))[0]["id"]
        self.pipe(f"task edit {made} --notes -", data=new("notes, piped").encode())
        self.pipe(f"task edit {made} --name -", data=new("name, edited").encode() + b"\n")
        self.pipe(f"task subtask add {made}", data=new("subtask").encode() + b"\n")
        sub = json.loads(self.pipe(f"task show {made} --json", shows=["notes, piped", "name, edited", "subtask"]))["subtasks"][0]["id"]
        self.pipe(f"task subtask edit {made} {sub} --name -", data=new("subtask, renamed").encode() + b"\n")
        self.pipe(f"task subtask done {made} {sub}")
        other = json.loads(self.pipe("task add plain --protected --json", data=b"", code=2) or "{}")
        assert not other
        other = json.loads(self.pipe("task add --protected --json --notes -", data=f"{new('second task')}\n{new('second notes')}".encode()))["id"]
        self.pipe("task list")
        self.pipe("task list --json")
        self.pipe("task stats")
        self.pipe("task export")
        self.pipe("task export --format todo.txt")
        exported = self.pipe("task export --reveal", shows=["notes, piped", "name, edited", "subtask, renamed", "second task", "second notes"])
        self.pipe("task list --reveal", shows=["name, edited", "second task"])
        self.pipe(f"task remove --yes {other}")
        self.pipe("task import -", data=exported.encode())
        self.pipe(f"task done {made}")

    def account(self, invitation):
        new, home = self.new, self.home
        password = new("account password")
        self.pipe(f"settings set server {self.address}")
        self.terminal(f"account create {EMAIL} --invitation", ("Invitation", invitation), ("assword", password), ("assword", password))
        self.pipe("whoami")
        self.pipe("login")
        self.pipe(f"login eve@example.org --password-file -", [new("wrong account password")], code=10)
        changed = new("second account password")
        self.terminal("account password", ("assword", password), ("assword", changed), ("assword", changed))
        self.pipe("whoami --json")
        self.pipe("logout --forget")
        self.terminal(f"login {EMAIL}", ("assword", changed))
        self.tokens()
        self.pipe("whoami --json")
        third = new("third account password")
        self.pipe("account password --password-file -", [changed, third])
        self.tokens()
        self.pipe("account remove --yes --password-file -", [third])

    def tokens(self):
        """What the vault keeps for the session is secret as well."""
        exported = self.home.expect(0, "secret", "export", "--all", "--passphrase-file", "-", lines=[self.home.passphrase]).stdout
        kept = [entry for entry in json.loads(exported)["items"] if entry["service"].startswith("taskvault.session:")]
        assert kept
        for entry in kept:
            value = base64.b64decode(entry["value_base64"])
            found = re.findall(rb"tv[ar]_[A-Za-z0-9_-]{43}", value)
            assert len(found) == 2, "two tokens"
            for token in found:
                self.canaries.add(f"token {len(self.canaries.words)}", token.decode()[4:])

    def upkeep(self):
        passphrase = [self.home.passphrase]
        self.pipe("doctor --passphrase-file -", passphrase)
        self.pipe("backup copy.db")
        self.pipe("rekey --passphrase-file -", passphrase)
        self.pipe("unlock --passphrase-file -", passphrase)
        self.pipe("recovery revoke --passphrase-file -", passphrase)
        self.pipe("unlock --passphrase-file -", passphrase)
        self.pipe("recovery show-new --passphrase-file -", passphrase)
        self.pipe("settings list --json")
        self.pipe("settings set idle-limit 10m")
        self.pipe("status --json")
        self.pipe("restore copy.db --replace --passphrase-file -", passphrase)
        self.pipe("unlock --passphrase-file -", passphrase)
        self.pipe("secret get nobody nowhere", code=5)
        self.pipe("secret fetch", code=2)
        self.pipe("lock")
        self.pipe("secret list", code=3)
        self.pipe("secret list --json --no-agent --passphrase-file -", passphrase)


def control(home, canaries):
    """A program that takes a secret as argument, one in whose environment it is, and one that writes it, in each encoding, are seen."""
    word = canaries.new("control")
    place = home.folder + "/tmp/written"
    for encoding, forms in encodings(word).items():
        with open(place, "wb") as file:
            file.write(b"before" + forms[0] + b"after")
        found = {pair for pairs in canaries.below(home.folder + "/tmp").values() for pair in pairs}
        assert found == {("control", encoding)}, (encoding, found)
    os.unlink(place)
    with Watch(canaries, []) as watch:
        nap = ["/usr/bin/python3", "-c", "import time; time.sleep(600)"]
        for words, more in (([*nap, word], {}), (nap, {"env": {"SECRET": word}})):
            process = subprocess.Popen(words, **more)
            wait_for("it is seen", lambda: any(str(process.pid) in place for place in watch.found) or process.poll() is not None)
            process.kill()
            process.wait()
    assert any("environ" in place for place in watch.found) and any("cmdline" in place for place in watch.found), watch.found
    del canaries.words[word]
    canaries.pattern = None
    print("control: planted text is found in arguments, environments and files of other programs, in four encodings")


def main():
    with Home(has_vault=False) as home:
        canaries = Canaries()
        control(home, canaries)
        server_folder = home.folder + "/server"
        os.mkdir(server_folder, 0o700)
        address = f"127.0.0.1:{free_port()}"
        log = open(server_folder + "/log", "wb")
        common = ["--database", server_folder + "/accounts.db"]
        server = subprocess.Popen([AUTHD, "serve", *common, "--listen", address, "--password-passes", "2", "--password-memory", "19"], stderr=log)
        try:
            wait_for("it serves", lambda: b"started" in open(server_folder + "/log", "rb").read() or server.poll() is not None)
            assert server.poll() is None, open(server_folder + "/log").read()
            made = subprocess.run([AUTHD, "account", "invite", EMAIL, "--json", *common], capture_output=True, check=True)
            invitation = canaries.add("invitation", json.loads(made.stdout)["code"])
            begin = time.monotonic()
            with Watch(canaries, [home.folder]) as watch:
                life = Life(home, canaries, "http://" + address)
                life.vault()
                life.secrets()
                life.tasks()
                life.account(invitation)
                life.upkeep()
                time.sleep(0.5)
            seconds = time.monotonic() - begin
        finally:
            server.terminate()
            server.wait()
            log.close()
        # The file that was made to be imported had to be somewhere.
        watch.found.pop(home.folder + "/import", None)
        assert not watch.found, watch.found
        assert not (found := canaries.below(home.folder)), found
        assert any(b"vault.db" in name.encode() for name in os.listdir(home.path)) and watch.looks > 500
        count = len(canaries.words)
        assert count >= 32, count
        print(f"proof: canaries={count} commands={life.commands} looks={watch.looks} found-outside=0")
        print(f"{len(watch.young)} processes were seen in {seconds:.0f} s")


main()
