"""An agent that is unlocked and not verified, of a home to which protected text travels: its memory is read, and it is asked everything."""

import base64
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import not_run, random_text, wait_for  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")
if os.geteuid() != 0:
    not_run("only the administrator reads the agent's memory")

from support.sync_homes import Pair  # noqa: E402
from sync.forging import stolen  # noqa: E402
from syncformat.home import read_device  # noqa: E402
from syncformat.keys import LIST, UNLOCKED, VERIFIED  # noqa: E402
from vaultformat.file import read_records  # noqa: E402
from vaultformat.passphrase import Passphrase  # noqa: E402
from vaultformat.vault import Vault  # noqa: E402

LIMIT = 1 << 30


def memory_of(process):
    """All pages with content that can be written."""
    pages = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            first, last = (int(each, 16) for each in line.split()[0].split("-"))
            if not line.split()[1].startswith("rw") or last - first > LIMIT:
                continue
            memory.seek(first)
            try:
                pages.append(memory.read(last - first))
            except OSError:
                continue
    return pages


def windows(secret):
    """Pieces of eight bytes of a key or a text."""
    return [secret[start:start + 8] for start in range(0, len(secret) - 7, 8)]


def found(process, secrets):
    pages = memory_of(process)
    return {name for name, secret in secrets.items() if any(window in page for window in windows(secret) for page in pages)}


def close_window(home):
    home.expect(0, "settings", "set", "verification-window", "1s")
    wait_for("the window is closed", lambda: home.state == "unlocked", 30)
    # The next one stays open for long enough.
    home.direct("settings", "set", "verification-window", "1h")
    assert home.state == "unlocked"


def is_shown(secret, answers):
    return any(form in answers for form in (secret, secret.hex().encode(), base64.b64encode(secret)[:len(secret) // 3 * 4]))


QUESTIONS = [
    "secret list", "secret list --json", "secret get bank.example ada --json", "secret get later.example ada", "secret show bank.example ada --reveal --json",
    "secret history bank.example ada --show --json", "secret export", "task list --reveal --json", "task list --json", "task show {task} --reveal --json",
    "task history {task} --json", "task export", "sync status --json", "sync log --json", "sync seen --all", "sync check", "log --json", "backup {folder}/asked",
    "secret get taskvault.sync {device} --field verified", "secret get taskvault.sync {device} --field unlocked",
    "secret edit bank.example ada --class while-unlocked", "task unprotect {task}", "secret run -- true"]


def ask(home, names):
    """Every command that could show something. What they printed."""
    answers = b""
    for question in QUESTIONS:
        result = home.run(*(word.format(**names) for word in question.split()), data=b"\n")
        answers += result.stdout + result.stderr
    return answers


def send(home, service, texts):
    """A protected secret and a protected task. Their texts are added to those that are looked for."""
    value, name, notes = (random_text(96) for _ in range(3))
    texts |= {f"{what} of {service}": text.encode() for what, text in (("value", value), ("task", name), ("notes", notes))}
    home.save(service, value, "--class", "after-verification")
    home.direct("task", "add", "--protected", "--notes", "-", data=f"{name}\n{notes}".encode())


def main():
    with Pair() as pair:
        first, second = pair.homes
        texts = {}
        send(first, "bank.example", texts)
        pair.sync()
        process = second.unlock()
        second.expect(0, "task", "list", "--reveal")
        close_window(second)
        send(first, "later.example", texts)
        first.sync()
        for _ in range(2):
            second.expect(0, "sync", "now", "--json")
        device = read_device(second.sync_folder, second.vault, Passphrase(second.passphrase.encode()))
        vault = Vault(read_records(pathlib.Path(second.vault)), Passphrase(second.passphrase.encode()))
        full = stolen(pair, second, LIST, UNLOCKED, VERIFIED)
        protected = {f"V of epoch {number}": keys[VERIFIED] for number, keys in enumerate(full.keys.values())}
        protected |= {"secret key for V": device.secrets[VERIFIED].box_secret, "member key": device.secrets[VERIFIED].seed, "value key 2": vault.keys.values[2]}
        protected |= texts
        task = second.json("task", "list")[0]["id"]
        names = {"task": task, "folder": second.folder, "device": device.id.hex()}
        asked = ask(second, names)
        assert second.state == "unlocked" and "not_verified" in asked.decode(errors="replace"), asked
        shown = [name for name, secret in protected.items() if is_shown(secret, asked)]
        assert not shown, shown
        there = found(process, protected | {"value key 1": vault.keys.values[1]})
        assert there == {"value key 1"}, there
        files = [path for folder in (second.path, second.sync_folder, second.folder) for path in pathlib.Path(folder).rglob("*") if path.is_file()]
        for path in files:
            data = path.read_bytes()
            assert not [name for name, text in protected.items() if text in data], path
        # All that the keys of both lower levels open.
        low = stolen(pair, second, LIST, UNLOCKED)
        for chain in ("list", "secrets"):
            for record in low.records(chain).values():
                assert not [name for name, text in protected.items() if text in record.content], record
        second.unlock()
        second.expect(0, "sync", "now", "--json")
        answers = ask(second, names)
        missing = [name for name, text in texts.items() if not is_shown(text, answers)]
        assert not missing, f"a verified agent does not answer {missing}"
        assert "value key 2" in found(process, protected)
        print("control: value key 1 was found; a verified agent answers, and has value key 2")
        print(f"proof: protected={len(protected)} questions={len(QUESTIONS)} files={len(files)} answered=0")


main()
