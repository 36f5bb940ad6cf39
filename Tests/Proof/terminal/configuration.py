"""No setting and no variable makes secrets come out without a fresh passphrase: not even while the vault is unlocked and verified."""

import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, random_text  # noqa: E402

SETTINGS = ["verification-window", "idle-limit", "absolute-limit", "require-locked-memory", "server", "server-client", "server-ca", "server-key",
            "allow-caching-credentials", "offline-limit", "database", "vault", "task-order", "clear-after"]
# What could mean that something is written, run or not asked for.
VALUES = ["yes", "24h", "365d", "never", "none", "/tmp/out", "|cat", "export", "$(cat)", "file:///tmp/out", "http://127.0.0.1:1", "always"]
INVENTED = ["export", "export-file", "auto-export", "trigger", "on-unlock", "hook", "command", "passphrase", "passphrase-file", "plaintext", "debug",
            "log", "log-level", "no-passphrase", "editor", "pager"]
VARIABLES = ["PASSPHRASE", "PASSPHRASE_FILE", "EXPORT", "DEBUG", "LOG", "TRACE", "NO_PASSPHRASE", "CONFIG", "SETTINGS", "PAGER", "EDITOR", "HOOK"]


def asks(home, **more):
    """Every way out asks for the passphrase, and writes nothing without it."""
    for words in (["secret", "export"], ["secret", "export", "--format", "csv"], ["secret", "export", "--json"]):
        done = home.run(*words, **more)
        assert done.returncode in (2, 4, 7, 8, 9) and not done.stdout, (words, done)
        assert value.encode() not in done.stderr, done
    return 3


with Home() as home:
    home.unlock()
    value = random_text()
    home.expect(0, "secret", "set", "mail.example", "ada", data=value.encode())
    done = home.expect(0, "secret", "export", "--passphrase-file", "-", lines=[home.passphrase])
    assert b"mail.example" in done.stdout
    print("control: with the passphrase the same command writes them")
    tries = asks(home)
    chance = random.Random(int(os.environ.get("TASKVAULT_ROUND") or 0))
    for setting in SETTINGS:
        for word in VALUES:
            # Those that could lock it are tried as well; it is unlocked again then.
            home.run("settings", "set", setting, word)
            tries += asks(home)
            home.run("settings", "set", "vault", "file")
            home.run("settings", "set", "database", "sqlite")
    for setting in INVENTED:
        done = home.run("settings", "set", setting, chance.choice(VALUES))
        assert done.returncode == 2, (setting, done)
    settings = pathlib.Path(home.path, "settings")
    before = settings.read_text() if settings.exists() else ""
    for setting in INVENTED:
        settings.write_text(before + f"{setting} = yes\n")
        settings.chmod(0o600)
        tries += asks(home)
    settings.write_text(before)
    for name in VARIABLES:
        for variable in (name, "TASKVAULT_" + name):
            for word in (home.passphrase, "1", "/tmp/out"):
                if name == "PASSPHRASE_FILE":
                    continue
                tries += asks(home, env=home.environment | {variable: word})
    # The words of protected tasks need a fresh verification as well.
    home.unlock()
    hidden = random_text()
    home.expect(0, "task", "add", "--protected", data=hidden.encode() + b"\n")
    home.expect(0, "settings", "set", "verification-window", "1s")
    while home.state == "verified":
        pass
    for words in (["task", "export", "--reveal"], ["task", "list", "--reveal"], ["task", "export", "--format", "todo.txt"]):
        done = home.run(*words)
        assert hidden.encode() not in done.stdout + done.stderr, words
        tries += 1
    assert not pathlib.Path("/tmp/out").exists()
    print(f"proof: tries={tries} written-without-passphrase=0")
