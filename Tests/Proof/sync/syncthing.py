"""The real Syncthing between two homes: a newcomer types the commands of Docs/Syncing.md, then both change while apart, and agree."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import ROOT, free_port, not_run, wait_for  # noqa: E402
from support.sync_homes import SyncHome, shown_digits  # noqa: E402

PROGRAM = shutil.which("syncthing") or not_run("syncthing is missing")
TWO_MINUTES = 120
FOLDER = "Sync/taskvault"


class Copier:
    """An instance of Syncthing with one folder, on loopback alone."""

    def __init__(self, home):
        self.home, self.state = home, os.path.join(home.folder, "syncthing")
        self.folder, self.port, self.process = os.path.join(home.folder, FOLDER), free_port(), None
        os.makedirs(self.folder, 0o700)
        self.environment = {"PATH": os.environ["PATH"], "HOME": home.folder, "STNOUPGRADE": "1", "STNODEFAULTFOLDER": "1"}
        subprocess.run([PROGRAM, "generate", "--home", self.state], env=self.environment, check=True, capture_output=True)
        found = subprocess.run([PROGRAM, "--home", self.state, "--device-id"], env=self.environment, check=True, capture_output=True, text=True)
        self.id = found.stdout.strip()

    def configure(self, other):
        path = os.path.join(self.state, "config.xml")
        tree = xml.parse(path)
        root = tree.getroot()
        for each in root.findall("folder") + root.findall("device"):
            root.remove(each)
        root.find("gui").set("enabled", "false")
        options = root.find("options")
        wanted = {"listenAddress": f"tcp://127.0.0.1:{self.port}", "reconnectionIntervalS": "1", "urAccepted": "-1"} | dict.fromkeys(
            ("globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled", "startBrowser"), "false")
        for name, value in wanted.items():
            for old in options.findall(name):
                options.remove(old)
            xml.SubElement(options, name).text = value
        for each in (self, other):
            device = xml.SubElement(root, "device", id=each.id, name=each.home.name)
            xml.SubElement(device, "address").text = f"tcp://127.0.0.1:{each.port}"
        folder = xml.SubElement(root, "folder", id="taskvault", path=self.folder, type="sendreceive", rescanIntervalS="5", fsWatcherEnabled="true",
                                fsWatcherDelayS="1")
        for each in (self, other):
            xml.SubElement(folder, "device", id=each.id)
        tree.write(path)

    def start(self):
        with open(os.path.join(self.home.folder, "syncthing.log"), "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--home", self.state, "--no-browser", "--no-restart", "--no-default-folder"], env=self.environment,
                stdout=log, stderr=log, start_new_session=True)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None


def commands():
    """What the page says a newcomer types, one list for each command."""
    page = (ROOT / "Docs/Syncing.md").read_text().split("Without an account")[1].split("##")[0]
    lines = re.findall(r"^    (taskvault .*)$", page, re.MULTILINE)
    assert [line.split()[1:3] for line in lines] == [["sync", "enable"], ["sync", "join"], ["device", "approve"]], lines
    return [shlex.split(line)[1:] for line in lines]


def typed(words, home):
    """As a shell gives them to a program."""
    return [word.replace("~", home.folder, 1) if word.startswith("~/") else word for word in words]


def converge(homes, what):
    """Rounds, as each change and each `unlock` makes them, until both have the same."""
    def same():
        for home in homes:
            home.sync()
        views = [view(home) for home in homes]
        return views[0] == views[1] and what(views[0])
    start = time.monotonic()
    wait_for("both have the same", same, TWO_MINUTES)
    return time.monotonic() - start


def view(home):
    entries = home.entries()
    return ({service: (home.value(service), entry["concurrent"]) for service, entry in entries.items()},
            sorted((task["name"], task["done"], task["list"]) for task in home.tasks()))


def join(first, second, copiers):
    """The newcomer's two minutes. The seconds that they took."""
    enable, join_, approve = commands()
    for home in (first, second):
        home.unlock()
    start = time.monotonic()
    first.expect(0, *typed(enable, first))
    group = wait_for("the group is on the second machine", lambda: [name for name in os.listdir(copiers[1].folder) if len(name) == 32], TWO_MINUTES)
    wait_for("its statements are", lambda: os.path.isdir(os.path.join(copiers[1].folder, group[0], "members")), TWO_MINUTES)
    with second.session(*typed(join_, second)) as joining, first.session(*typed(approve, first)) as approving:
        approving.answer("Digits of the new device", shown_digits(joining))
        joining.answer("Digits of the other device", shown_digits(approving))
        codes = approving.finish(TWO_MINUTES), joining.finish(TWO_MINUTES)
        assert codes == (0, 0), (codes, approving.seen[-300:], joining.seen[-300:])
    for home in (first, second):
        home.expect(0, "lock")
    converge((first, second), lambda found: len(found[0]) == 2 and len(found[1]) == 2)
    total = time.monotonic() - start
    assert total < TWO_MINUTES, total
    return total


def main():
    homes = [SyncHome("first"), SyncHome("second")]
    copiers = []
    try:
        first, second = homes
        copiers += [Copier(home) for home in homes]
        for own, other in (copiers, reversed(copiers)):
            own.configure(other)
        for copier in copiers:
            copier.start()
        first.save("mail.example", "of the first")
        first.add("buy milk", "--list", "home")
        second.save("bank.example", "of the second")
        second.add("call the plumber")
        joined = join(first, second, copiers)
        for copier in copiers:
            copier.stop()
        # Both machines change, and sync with their own folder.
        first.update("mail.example", "two")
        second.update("mail.example", "three")
        milk = next(task["id"] for task in second.tasks() if task["name"] == "buy milk")
        first.direct("task", "edit", milk, "--list", "shop")
        second.direct("task", "done", milk)
        for home in homes:
            home.save(f"{home.name}.example", "while apart")
            home.sync()
        assert view(first) != view(second)
        print("control: while Syncthing is stopped, both differ")
        for copier in copiers:
            copier.start()
        apart = converge(homes, lambda found: len(found[0]) == 4)
        values, tasks = view(first)
        assert values["mail.example"] == ("three", True), values
        assert ("buy milk", True, "shop") in tasks, tasks
        # A machine is removed; the other notices.
        first.direct("device", "remove", id_of_other(first), "--yes")
        first.save("later.example", "for one")
        first.sync()
        wait_for("the second machine hears of its removal", lambda: second.sync(code=None).get("code") == "device_removed", TWO_MINUTES)
        assert "later.example" not in second.entries()
        print(f"proof: joined-seconds={round(joined)} agreed-seconds={round(apart)}")
    finally:
        for copier in copiers:
            copier.stop()
        for home in homes:
            home.__exit__()


def id_of_other(home):
    """Both may have the machine's name."""
    devices = home.json("device", "list")["devices"]
    return next(device["id"] for device in devices if not device["own"])


main()
