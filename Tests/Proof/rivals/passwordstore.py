"""pass over GnuPG, with a key of its own and an agent that keeps its passphrase, which is pass's open session."""

import os
import re
import shutil

from . import items
from .process import private_file, resident
from .tool import Stopped, Tool, Way, check_names, check_value, checked

# The agent tries the passphrase that it was given last for any key, so two keys must not have the same one.
PHRASES = (items.PASSPHRASES, ("six words nobody guesses, really", "seven words nobody guesses, really"))
COLOUR = re.compile("\x1b\\[[0-9;]*m")


class Keys:
    """Two keys in a folder of their own, made once for all sizes, and the agent."""

    def __init__(self, machine):
        self.machine = machine
        self.home = os.path.join(machine.folder, "gnupg")
        os.makedirs(self.home, mode=0o700)
        # Nobody is asked: what is not cached is not there.
        private_file(os.path.join(self.home, "gpg-agent.conf"), "allow-preset-passphrase\nmax-cache-ttl 86400\ndefault-cache-ttl 86400\npinentry-program /bin/false\n")
        machine.environment["GNUPGHOME"] = self.home
        self.preset_program = os.path.join(machine.run("gpgconf", "--list-dirs", "libexecdir").text.strip(), "gpg-preset-passphrase")
        for name, (phrase, _) in zip(("one", "two"), PHRASES):
            self.gpg("--pinentry-mode", "loopback", "--passphrase", phrase, "--quick-gen-key", f"{name} <{name}@example.invalid>", "default", "default", "never", limit=300)
        lines = [line.split(":") for line in self.gpg("--list-secret-keys", "--with-colons", "--with-keygrip").text.splitlines()]
        self.grips = [line[9] for line in lines if line[0] == "grp"]
        prints = [line[9] for line in lines if line[0] == "fpr"]
        # Each key is a pair: one that signs, one that decrypts.
        self.prints, self.pairs = prints[0::2], [self.grips[0:2], self.grips[2:4]]
        self.phrases = [first for first, _ in PHRASES]

    def gpg(self, *words, **options):
        return self.machine.run("gpg", "--batch", "--yes", "-q", *words, **options)

    def agent(self, command):
        return self.machine.run("gpg-connect-agent", command, "/bye").text

    def remember(self, *keys):
        """The agent forgets all passphrases and gets those of these keys."""
        self.agent("reloadagent")
        for key in keys:
            for grip in self.pairs[key]:
                self.machine.run(self.preset_program, "--preset", grip, input=self.phrases[key])

    def opens(self, path, phrase):
        self.agent("reloadagent")
        return self.gpg("--pinentry-mode", "loopback", "--passphrase", phrase, "--decrypt", path, succeed=False)

    def resident(self):
        for line in self.agent("getinfo pid").splitlines():
            if line.startswith("D "):
                return resident(int(line[2:]))
        return None

    def close(self):
        self.machine.run("gpgconf", "--kill", "all", succeed=False)
        self.machine.run("gpgconf", "--remove-socketdir", succeed=False)


class PasswordStore(Tool):
    name = "pass"
    packages = ("pass", "gnupg", "tree")
    labels = ("pass", "pass init")
    keys = None

    def __init__(self, machine, folder):
        super().__init__(machine, folder)
        self.path = os.path.join(folder, "store")
        self.count = 0
        self.key = 0
        if PasswordStore.keys is None:
            PasswordStore.keys = Keys(machine)
        self.keys = PasswordStore.keys

    def run(self, *words, **options):
        return self.machine.run("pass", *words, PASSWORD_STORE_DIR=self.path, **options)

    def versions(self):
        version = re.search(r"v([0-9.]+)", self.run("--version").text).group(1)
        words = self.machine.run("gpg", "--version").text.split()
        return f"{version} (GnuPG {words[2]}, RSA 3072)"

    def file(self, number):
        return os.path.join(self.path, items.service(number), items.account(number) + ".gpg")

    def fill(self, count):
        """No import of its own: the files are written, and one gpg encrypts all of them."""
        self.run("init", self.keys.prints[0])
        plain = []
        for number in range(count):
            path = self.file(number)[: -len(".gpg")]
            os.makedirs(os.path.dirname(path), mode=0o700)
            plain.append(private_file(path, items.value(number) + "\n"))
        measured = self.keys.gpg("-r", self.keys.prints[0], "--multifile", "--encrypt", input="".join(path + "\n" for path in plain))
        for path in plain:
            os.remove(path)
        self.count = count
        return measured.seconds

    def open(self):
        self.keys.remember(0, 1)

    def read(self, number):
        measured = self.run("show", f"{items.service(number)}/{items.account(number)}")
        check_value("pass", number, measured.text.rstrip("\n"))
        return measured

    def add(self):
        number = self.count
        measured = self.run("insert", "-m", f"{items.service(number)}/{items.account(number)}", input=items.value(number) + "\n")
        self.count += 1
        self.read(number)
        return measured

    def list(self):
        measured = self.run("ls")
        found, folder = set(), None
        for line in COLOUR.sub("", measured.text).splitlines():
            branch, dashes, name = line.partition("── ")
            if dashes and len(branch) == 1:
                folder = name
            elif dashes:
                found.add((folder, name))
        check_names("pass", found, items.names(self.count))
        return measured

    def change(self):
        """The passphrase of the key, not the key: no secret is touched."""
        old = self.keys.phrases[self.key]
        new = next(phrase for phrase in PHRASES[self.key] if phrase != old)
        self.keys.agent("reloadagent")
        measured = self.machine.run(
            "gpg", "-q", "--pinentry-mode", "loopback", "--command-fd", "0", "--change-passphrase", self.keys.prints[self.key], input=f"{old}\n{new}\n"
        )
        refused = self.keys.opens(self.file(0), old)
        checked(refused.status != 0 and not refused.output, "pass: the old passphrase still opens the key")
        self.keys.phrases[self.key] = new
        accepted = self.keys.opens(self.file(0), new)
        check_value("pass", 0, accepted.text.rstrip("\n"))
        self.open()
        return measured

    def change_key(self):
        """Another key: every secret is encrypted anew."""
        before = self.path + ".before"
        shutil.copytree(self.path, before)
        try:
            measured = self.run("init", self.keys.prints[1 - self.key])
        except Stopped:
            # Some files are for the other key by now.
            shutil.rmtree(self.path)
            os.rename(before, self.path)
            raise
        shutil.rmtree(before)
        self.keys.remember(self.key)
        refused = self.run("show", f"{items.service(0)}/{items.account(0)}", succeed=False)
        checked(refused.status != 0 and not refused.output, "pass init: the old key still opens a secret")
        self.key = 1 - self.key
        self.keys.remember(self.key)
        self.read(0)
        self.open()
        return measured

    def ways(self):
        return [
            Way(self.labels[0], self.read, self.add, self.list, self.change, self.importing, self.keys.resident),
            Way(self.labels[1], change=self.change_key),
        ]

    @property
    def root(self):
        return self.path

    def files(self):
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.path) for name in names]

