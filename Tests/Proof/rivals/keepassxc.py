"""KeePassXC's command line: each command derives and opens by itself; `open` has a shell in which a session lasts."""

import os
import select
import shutil
import subprocess
import time

from . import items
from .process import Measured, private_file, resident
from .tool import Stopped, Tool, Way, Wrong, check_names, check_value, checked

ENTRY = (
    "<Entry><String><Key>Title</Key><Value>{}</Value></String><String><Key>UserName</Key><Value>{}</Value></String>"
    '<String><Key>Password</Key><Value ProtectInMemory="True">{}</Value></String></Entry>'
)


class KeePassXC(Tool):
    name = "keepassxc-cli"
    packages = ("keepassxc",)
    labels = ("keepassxc-cli", "keepassxc-cli open")

    def __init__(self, machine, folder):
        super().__init__(machine, folder)
        machine.environment["QT_QPA_PLATFORM"] = "offscreen"
        self.path = os.path.join(folder, "store", "one.kdbx")
        os.makedirs(os.path.dirname(self.path), mode=0o700)
        self.count = 0
        self.shell = None

    def versions(self):
        return self.machine.run("keepassxc-cli", "--version").text.strip()

    def run(self, command, *words, input="", **options):
        return self.machine.run("keepassxc-cli", command, "-q", *words, input=f"{self.passphrase}\n{input}", **options)

    def fill(self, count):
        entries = "".join(ENTRY.format(items.service(number), items.account(number), items.value(number)) for number in range(count))
        path = private_file(
            os.path.join(self.folder, "import.xml"),
            f'<?xml version="1.0" encoding="UTF-8"?><KeePassFile><Meta/><Root><Group><Name>Root</Name>{entries}</Group></Root></KeePassFile>',
        )
        measured = self.run("import", "-p", path, self.path, input=self.passphrase + "\n")
        os.remove(path)
        self.count = count
        return measured.seconds

    def open(self):
        # The shell keeps all entries in memory and writes all of them: it has a file of its own, or it would undo what the commands do.
        self.close()
        copy = os.path.join(self.folder, "two.kdbx")
        shutil.copy(self.path, copy)
        self.shell = Shell(self.machine, copy, self.passphrase, self.count)

    def close(self):
        if self.shell:
            self.shell.close()
        self.shell = None

    def read(self, number):
        measured = self.run("show", "-s", "-a", "Password", self.path, items.service(number))
        check_value("keepassxc-cli", number, measured.text.rstrip("\n"))
        return measured

    def add(self):
        number = self.count
        measured = self.run("add", "-u", items.account(number), "-p", self.path, items.service(number), input=items.value(number) + "\n")
        self.count += 1
        self.read(number)
        return measured

    def list(self):
        measured = self.run("ls", "-f", "-R", self.path)
        check_titles("keepassxc-cli", measured.text.splitlines(), self.count)
        return measured

    def change(self):
        measured = self.run("db-edit", "-p", self.path, input=f"{self.next_passphrase}\n{self.next_passphrase}\n")
        refused = self.run("show", "-s", "-a", "Password", self.path, items.service(0), succeed=False)
        checked(refused.status != 0 and not refused.output, "keepassxc-cli: the old passphrase still opens the database")
        self.turn += 1
        self.read(0)
        return measured

    def ways(self):
        return [
            Way(self.labels[0], self.read, self.add, self.list, self.change, self.importing),
            Way(
                self.labels[1],
                lambda number: self.shell.read(number),
                lambda: self.shell.add(),
                lambda: self.shell.list(),
                session=lambda: resident(self.shell.process.pid),
            ),
        ]

    def files(self):
        return [self.path]


class Shell:
    """`keepassxc-cli open`, held by its standard streams; a command is timed from its line to the next prompt."""

    def __init__(self, machine, path, passphrase, count):
        self.machine, self.count = machine, count
        self.prompt = os.path.basename(path).encode() + b"> "
        self.process = subprocess.Popen(
            ["keepassxc-cli", "open", "-q", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
            cwd=machine.folder, env=machine.environment,
        )
        machine.staying.append(self.process)
        self.say(passphrase, self.prompt)

    def say(self, line, end):
        self.process.stdin.write(line.encode() + b"\n")
        answer = bytearray()
        last = time.monotonic() + self.machine.limit
        while not answer.endswith(end):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, last - time.monotonic()))
            if not ready:
                raise Stopped(self.machine.limit)
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise Wrong("keepassxc-cli open: it ended")
            answer += more
        return bytes(answer[: -len(end)]).decode().splitlines()

    def command(self, line, then=None):
        start = time.perf_counter()
        lines = self.say(line, b"new entry: " if then else self.prompt)
        if then:
            lines = self.say(then, self.prompt)
        seconds = time.perf_counter() - start
        # The line is repeated before the answer.
        return Measured(seconds), [each for each in lines if each != line]

    def read(self, number):
        measured, lines = self.command(f"show -s -a Password {items.service(number)}")
        check_value("keepassxc-cli open", number, "\n".join(lines))
        return measured

    def add(self):
        number = self.count
        measured, _ = self.command(f"add -u {items.account(number)} -p {items.service(number)}", then=items.value(number))
        self.count += 1
        self.read(number)
        return measured

    def list(self):
        measured, lines = self.command("ls -f -R")
        check_titles("keepassxc-cli open", lines, self.count)
        return measured

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.machine.end(self.process)


def check_titles(label, lines, count):
    # It lists titles; accounts are not part of an entry's path.
    found = {line for line in lines if line and not line.endswith("[empty]") and not line.endswith("/")}
    check_names(label, found, {items.service(number) for number in range(count)})
