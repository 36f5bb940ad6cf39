"""gnome-keyring, asked by secret-tool, over a bus that nobody else is on."""

import os
import socket
import time

from . import items, keyringfile
from .bus import Bus, BusError
from .process import Measured, private_file, resident, wait_until
from .tool import GaveUp, Stopped, Tool, Way, check_names, check_value, checked

SECRETS = "org.freedesktop.secrets"
SERVICE = "/org/freedesktop/secrets"
COLLECTION = "/org/freedesktop/secrets/collection/peers"
GUILTY = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
# An attribute that all items have: secret-tool can only search.
ALL = ("set", "peers")
# A session's usual limits, but for replies: it allows 50,000 at once, and a search asks for one for each item.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
<limit name="max_incoming_bytes">1000000000</limit><limit name="max_outgoing_bytes">1000000000</limit>
<limit name="max_message_size">1000000000</limit><limit name="max_names_per_connection">50000</limit>
<limit name="max_match_rules_per_connection">50000</limit><limit name="max_replies_per_connection">1000000</limit></busconfig>
"""


class Keyring(Tool):
    name = "gnome-keyring"
    labels = ("secret-tool",)
    packages = ("libsecret-tools", "gnome-keyring", "dbus", "openssl")

    def __init__(self, machine, folder):
        super().__init__(machine, folder)
        self.address = os.path.join(folder, "bus")
        self.path = os.path.join(folder, "keyrings", "peers.keyring")
        self.environment = {"XDG_DATA_HOME": folder, "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + self.address}
        self.count = 0
        self.daemon = self.bus_daemon = self.bus = None
        os.makedirs(os.path.dirname(self.path), mode=0o700)
        private_file(os.path.join(folder, "bus.conf"), BUS.format(self.address))

    def versions(self):
        daemon = self.machine.run("gnome-keyring-daemon", "--version").text.split()[1]
        tool = self.machine.run("dpkg-query", "-W", "-f", "${Version}", "libsecret-tools").text
        return f"{daemon} (secret-tool {tool.partition('-')[0]})"

    def run(self, *words, **options):
        measured = self.machine.run("secret-tool", *words, succeed=False, **self.environment, **options)
        if b"Timeout was reached" in measured.errors or b"No such secret item" in measured.errors:
            # GDBus waits for 25 s. A search asks for all items at once, and takes for missing what was not answered by then.
            raise GaveUp(round(measured.seconds))
        checked(measured.status == 0, f"secret-tool {words[0]} ended with {measured.status}: {measured.errors.decode(errors='replace').strip()[:300]}")
        return measured

    def fill(self, count):
        """The file is written, without the daemon."""
        start = time.perf_counter()
        listed = [(items.service(number), items.value(number), attributes(number)) for number in range(count)]
        keyringfile.written(self.machine, self.path, "peers", self.passphrase, listed)
        private_file(os.path.join(os.path.dirname(self.path), "default"), "peers")
        self.count = count
        return time.perf_counter() - start

    def importing(self, count):
        """No import: one connection adds one item after the other."""
        self.fill(1)
        self.open()
        start = time.perf_counter()
        for number in range(1, count):
            properties = {
                "org.freedesktop.Secret.Item.Label": ("s", items.service(number)),
                "org.freedesktop.Secret.Item.Attributes": ("a{ss}", attributes(number)),
            }
            self.ask(COLLECTION, "org.freedesktop.Secret.Collection", "CreateItem", "a{sv}(oayays)b", properties, self.secret(items.value(number)), False)
            if time.perf_counter() - start > self.machine.limit:
                raise Stopped(self.machine.limit)
        self.count = count
        return time.perf_counter() - start

    def start(self):
        self.bus_daemon = self.machine.stay("dbus-daemon", "--config-file=" + os.path.join(self.folder, "bus.conf"), "--nofork", **self.environment)
        wait_until(self.connect, "dbus-daemon")
        control = os.path.join(self.folder, "control")
        os.makedirs(control, mode=0o700, exist_ok=True)
        self.daemon = self.machine.stay(
            "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets", "--control-directory=" + control,
            input="the login keyring, which stays empty", **self.environment,
        )
        # It comes to the bus when it has read its keyrings, which takes the longer the more they hold.
        end = time.monotonic() + self.machine.limit
        while not self.is_there():
            if time.monotonic() > end:
                raise Stopped(self.machine.limit)
            time.sleep(0.01)
        self.session = self.ask(SERVICE, "org.freedesktop.Secret.Service", "OpenSession", "sv", "plain", ("s", ""))[1]

    def connect(self):
        try:
            self.bus = Bus(self.address, self.machine.limit)
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    def is_there(self):
        return self.bus.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", "s", SECRETS)[0]

    def open(self):
        self.close()
        self.start()
        self.unlock(self.passphrase)

    def close(self):
        if self.bus:
            self.bus.close()
        self.machine.end(self.daemon)
        self.machine.end(self.bus_daemon)
        self.daemon = self.bus_daemon = self.bus = None
        if os.path.exists(self.address):
            os.remove(self.address)

    def ask(self, path, interface, member, signature, *values):
        try:
            return self.bus.call(SECRETS, path, interface, member, signature, *values)
        except socket.timeout:
            raise Stopped(self.machine.limit) from None

    def secret(self, text):
        return (self.session, b"", text.encode(), "text/plain")

    def unlock(self, phrase):
        self.ask(SERVICE, GUILTY, "UnlockWithMasterPassword", "o(oayays)", COLLECTION, self.secret(phrase))

    def change_over_bus(self, old, new):
        self.ask(SERVICE, GUILTY, "ChangeWithMasterPassword", "o(oayays)(oayays)", COLLECTION, self.secret(old), self.secret(new))

    def read(self, number):
        measured = self.run("lookup", "service", items.service(number), "account", items.account(number))
        check_value("secret-tool", number, measured.text)
        return measured

    def add(self):
        number = self.count
        words = [word for pair in attributes(number).items() for word in pair]
        measured = self.run("store", "--label=" + items.service(number), *words, input=items.value(number))
        self.count += 1
        self.read(number)
        return measured

    def list(self):
        measured = self.run("search", "--all", *ALL)
        found, service, account = set(), None, None
        # The attributes go to standard error, the labels and the secrets to standard output.
        for line in measured.errors.decode().splitlines():
            name, _, value = line.partition(" = ")
            if name == "attribute.service":
                service = value
            elif name == "attribute.account":
                account = value
            if service and account:
                found.add((service, account))
                service = account = None
        check_names("secret-tool", found, items.names(self.count))
        return measured

    def change(self):
        start = time.perf_counter()
        self.change_over_bus(self.passphrase, self.next_passphrase)
        measured = Measured(time.perf_counter() - start)
        self.ask(SERVICE, "org.freedesktop.Secret.Service", "Lock", "ao", [COLLECTION])
        try:
            self.unlock(self.passphrase)
            checked(False, "gnome-keyring: the old passphrase still opens the keyring")
        except BusError:
            pass
        self.turn += 1
        self.unlock(self.passphrase)
        self.read(0)
        return measured

    def ways(self):
        return [Way(self.labels[0], self.read, self.add, self.list, self.change, self.importing, lambda: resident(self.daemon.pid))]

    def files(self):
        return [self.path]


def attributes(number):
    return {"service": items.service(number), "account": items.account(number), ALL[0]: ALL[1]}
