"""TaskVault itself, through its agent and, for reading, without it."""

import os

from . import items
from .process import private_file, resident, wait_until
from .tool import Tool, Way, check_names, check_value, checked

WRONG_PASSPHRASE = 4


class TaskVault(Tool):
    name = "taskvault"
    labels = ("taskvault", "taskvault --no-agent")
    executable = ""

    def __init__(self, machine, folder):
        super().__init__(machine, folder)
        self.home = os.path.join(folder, "home")
        self.agent = None
        self.count = 0

    def run(self, *words, **options):
        return self.machine.run(self.executable, *words, TASKVAULT_HOME=self.home, **options)

    def phrases(self, *phrases):
        return private_file(os.path.join(self.folder, "passphrases"), "".join(phrase + "\n" for phrase in phrases))

    def versions(self):
        return self.run("--version").text.splitlines()[0].removeprefix("taskvault ")

    def fill(self, count):
        self.run("init", "--passphrase-file", self.phrases(self.passphrase))
        if count == 0:
            return 0
        path = os.path.join(self.folder, "import.csv")
        rows = (f"{items.service(number)},,{items.account(number)},{items.value(number)}\n" for number in range(count))
        private_file(path, "name,url,username,password\n" + "".join(rows))
        measured = self.run("secret", "import", "--passphrase-file", self.phrases(self.passphrase), path)
        os.remove(path)
        self.count = count
        return measured.seconds

    def open(self):
        self.agent = self.machine.stay(self.executable, "agent", TASKVAULT_HOME=self.home)
        wait_until(lambda: os.path.exists(os.path.join(self.home, "agent.sock")), "taskvault agent")
        self.run("unlock", "--offline", "--passphrase-file", self.phrases(self.passphrase))
        # A slow rival's round must not run into ours' idle lock.
        self.run("settings", "set", "idle-limit", "4h")
        self.run("settings", "set", "absolute-limit", "24h")

    def close(self):
        self.machine.end(self.agent)
        self.agent = None

    def read(self, number):
        measured = self.run("secret", "get", items.service(number), items.account(number))
        check_value("taskvault", number, measured.text)
        return measured

    def read_alone(self, number):
        phrases = self.phrases(self.passphrase)
        measured = self.run("secret", "get", "--no-agent", "--passphrase-file", phrases, items.service(number), items.account(number))
        check_value("taskvault --no-agent", number, measured.text)
        return measured

    def add(self):
        number = self.count
        measured = self.run("secret", "set", items.service(number), items.account(number), input=items.value(number))
        self.count += 1
        self.read(number)
        return measured

    def list(self):
        measured = self.run("secret", "list")
        found = {tuple(line.split()[:2]) for line in measured.text.splitlines()}
        check_names("taskvault", {name for name in found if name[0] != "SERVICE"}, items.names(self.count))
        return measured

    def change(self):
        measured = self.run("passphrase", "change", "--keep-keys", "--passphrase-file", self.phrases(self.passphrase, self.next_passphrase))
        old = self.phrases(self.passphrase)
        refused = self.run("secret", "get", "--no-agent", "--passphrase-file", old, items.service(0), items.account(0), succeed=False)
        checked(refused.status == WRONG_PASSPHRASE and not refused.output, "taskvault: the old passphrase still opens the vault")
        self.turn += 1
        self.read_alone(0)
        return measured

    def ways(self):
        return [
            Way(self.labels[0], self.read, self.add, self.list, self.change, self.importing, lambda: resident(self.agent.pid)),
            Way(self.labels[1], self.read_alone),
        ]

    def files(self):
        return [os.path.join(self.home, name) for name in os.listdir(self.home) if name.startswith("vault.db")]
