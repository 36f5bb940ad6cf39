"""No setting and no variable makes secrets come out without a fresh passphrase: not even while the vault is unlocked and verified."""

import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.canaries import Canaries  # noqa: E402
from support.product import Home, random_text, wait_for  # noqa: E402

SETTINGS = ["verification-window", "idle-limit", "absolute-limit", "require-locked-memory", "require-rollback-record", "verify-with-fingerprint", "server", "server-client", "client-secret", "scope", "server-ca", "server-key",
            "allow-caching-credentials", "offline-limit", "database", "vault", "task-order", "clear-after"]
OUT = "/tmp/taskvault-out-" + random_text()
# What could mean that something is written, run or not asked for.
VALUES = ["yes", "24h", "365d", "never", "none", OUT, "|cat", "export", "$(cat)", "file://" + OUT, "http://127.0.0.1:1", "always"]
INVENTED = ["export", "export-file", "auto-export", "trigger", "on-unlock", "hook", "command", "passphrase", "passphrase-file", "plaintext", "debug",
            "log", "log-level", "no-passphrase", "editor", "pager"]
VARIABLES = ["PASSPHRASE", "EXPORT", "DEBUG", "LOG", "TRACE", "NO_PASSPHRASE", "CONFIG", "SETTINGS", "PAGER", "EDITOR", "HOOK"]


WAYS_OUT = (["secret", "export"], ["secret", "export", "--format", "csv"], ["secret", "export", "--json"])
NO_PASSPHRASE = b"cannot ask for the passphrase"
UNKNOWN_SETTING = b"unknown setting"


def is_open(home):
    """Whether the agent hands out even a protected secret, asking for nothing."""
    done = home.run("secret", "get", "diary", "ada")
    assert done.returncode in (0, 3, 8) and done.stdout in (b"", protected.encode()), done
    return done.stdout == protected.encode()


def asks(home, why=NO_PASSPHRASE, **more):
    """Every way out asks for the passphrase, and writes nothing without it. The vault is open before and after."""
    global opened
    if not is_open(home):
        home.unlock()
        opened += 1
    assert is_open(home) and home.state == "verified", "the vault to be tried is not open"
    for words in WAYS_OUT:
        done = home.run(*words, **more)
        assert done.returncode == 2 and why in done.stderr and not done.stdout, (words, done)
        assert not canaries.find(done.stderr), done
    assert is_open(home), "the vault was locked while it was tried"
    return len(WAYS_OUT)


with Home() as home:
    home.unlock()
    canaries, opened = Canaries(), 0
    value, protected, hidden = (canaries.new(name) for name in ("a secret", "a protected secret", "a protected task"))
    home.expect(0, "secret", "set", "mail.example", "ada", data=value.encode())
    home.expect(0, "secret", "set", "--class", "after-verification", "diary", "ada", data=protected.encode())
    for words in WAYS_OUT:
        done = home.expect(0, *words, "--passphrase-file", "-", lines=[home.passphrase])
        assert len(canaries.find(done.stdout)) == 2, done
    print("control: with the passphrase the same commands write them")
    home.expect(0, "lock")
    assert not is_open(home), "a locked vault is taken for an open one"
    tries = asks(home)
    assert opened == 1, opened
    taken = 0
    chance = random.Random(int(os.environ.get("TASKVAULT_ROUND") or 0))
    for setting in SETTINGS:
        for word in VALUES:
            # Those that lock it are tried as well: it is unlocked again before the try.
            taken += home.run("settings", "set", setting, word).returncode == 0
            tries += asks(home)
            home.expect(0, "settings", "set", "vault", "file")
            home.expect(0, "settings", "set", "database", "sqlite")
    assert taken, "no setting was changed"
    for setting in INVENTED:
        done = home.run("settings", "set", setting, chance.choice(VALUES))
        assert done.returncode == 2, (setting, done)
    settings = pathlib.Path(home.path, "settings")
    before = settings.read_text() if settings.exists() else ""
    for setting in INVENTED:
        settings.write_text(before + f"{setting} = yes\n")
        settings.chmod(0o600)
        tries += asks(home, UNKNOWN_SETTING)
    settings.write_text(before)
    for name in VARIABLES:
        for variable in (name, "TASKVAULT_" + name):
            for word in (home.passphrase, "1", OUT):
                tries += asks(home, env=home.environment | {variable: word})
    print(f"control: before and after each of the {tries} tries the agent handed out a protected secret without a passphrase, and not while locked")
    # The text of protected tasks requires verification as well.
    home.unlock()
    home.expect(0, "task", "add", "--protected", data=hidden.encode() + b"\n")
    reveals = (["task", "export", "--reveal"], ["task", "list", "--reveal"])
    for words in reveals:
        assert hidden.encode() in home.expect(0, *words).stdout, words
    print("control: while the vault is verified the same commands show the words of a protected task")
    home.expect(0, "settings", "set", "verification-window", "1s")
    wait_for("the verification is over", lambda: home.state != "verified")
    for words in (*reveals, ["task", "export", "--format", "todo.txt"]):
        assert home.state == "unlocked", home.status
        done = home.run(*words)
        assert not canaries.find(done.stdout + done.stderr), words
        # Without --reveal the export is one, but for the words.
        why = (8, b"verification required") if words in reveals else (0, b"left out: protected tasks")
        assert done.returncode == why[0] and why[1] in done.stderr, (words, done)
        tries += 1
    assert not pathlib.Path(OUT).exists()
    print(f"proof: tries={tries} settings-taken={taken} unlocked-again={opened - 1} written-without-passphrase=0")
