"""What the server speaks over TLS: each version and each cipher suite is offered alone, in a hello made by hand; and an ordinary client
takes no certificate of others. As a control the same is asked of a server that speaks everything.
"""

import os
import pathlib
import socket
import ssl
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import free_port, wait_for  # noqa: E402
from support.server import CHEAP, Server  # noqa: E402

VERSIONS = {0x0300: "SSL 3", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2"}
# Ephemeral keys and authenticated encryption: ECDHE or DHE with AES-GCM, AES-CCM or ChaCha20-Poly1305.
GOOD = ({0xc02b, 0xc02c, 0xc02f, 0xc030, 0xcca8, 0xcca9, 0xccaa, 0x009e, 0x009f} | {0xc0ac, 0xc0ad, 0xc0ae, 0xc0af, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3}
        | set(range(0x1301, 0x1306)))
# Still part of TLS 1.2 with ephemeral keys; encrypt, then MAC.
TOLERATED = {0xc009, 0xc00a, 0xc013, 0xc014, 0xc023, 0xc024, 0xc027, 0xc028, 0xc072, 0xc073, 0xc076, 0xc077,
             0x0033, 0x0039, 0x0067, 0x006b, 0x0045, 0x0088, 0x00be, 0x00c4}
SUITES = [*range(0x0001, 0x00c8), *range(0xc001, 0xc0b4), *range(0xcca8, 0xccaf), 0xffe0, 0xffe1, 0xfefe, 0xfeff]


def extension(kind, content):
    return struct.pack(">HH", kind, len(content)) + content


def hello(version, suites):
    offered = b"".join(struct.pack(">H", suite) for suite in suites)
    groups = b"".join(struct.pack(">H", group) for group in (29, 23, 24, 25, 256, 257))
    signatures = b"".join(struct.pack(">H", one) for one in (0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0603, 0x0601, 0x0203, 0x0201, 0x0202))
    extensions = (extension(10, struct.pack(">H", len(groups)) + groups) + extension(11, b"\1\0") + extension(0xff01, b"\0")
                  + extension(13, struct.pack(">H", len(signatures)) + signatures) + extension(22, b"") + extension(23, b""))
    body = (struct.pack(">H", version) + os.urandom(32) + b"\0" + struct.pack(">H", len(offered)) + offered + b"\1\0"
            + struct.pack(">H", len(extensions)) + extensions)
    message = b"\1" + struct.pack(">I", len(body))[1:] + body
    return b"\x16" + struct.pack(">HH", min(version, 0x0301), len(message)) + message


def answered(port, version, suites):
    """The version and the suite that the server takes, or None."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(hello(version, suites))
        answer = b""
        try:
            while len(answer) < 48 and (part := connection.recv(4096)):
                answer += part
        except ConnectionResetError:
            return None
    if len(answer) < 48 or answer[0] != 0x16 or answer[5] != 2:
        return None
    taken, session = struct.unpack(">H", answer[9:11])[0], answer[43]
    return taken, struct.unpack(">H", answer[44 + session:46 + session])[0]


def accepted(port, version):
    """All suites that are taken, found by offering what is left again and again."""
    left, taken = list(SUITES), set()
    for part in [left[start:start + 64] for start in range(0, len(left), 64)]:
        while part and (answer := answered(port, version, part)) and answer[0] == version and answer[1] in part:
            taken.add(answer[1])
            part.remove(answer[1])
    return taken


def openssl(*words, folder):
    subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def speak_everything(folder):
    """A server that does, and its port; somebody else may have taken a port that was free."""
    while True:
        port = free_port()
        process = subprocess.Popen(
            ["openssl", "s_server", "-accept", str(port), "-cert", "old-certificate.pem", "-key", "old.pem", "-cipher",
             "ALL:COMPLEMENTOFALL:@SECLEVEL=0", "-min_protocol", "TLSv1", "-quiet"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait_for("it listens", lambda: process.poll() is not None or listens(port))
        if process.poll() is None:
            return process, port


with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o700)
    for kind, words in (("key", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]), ("old", ["-newkey", "rsa:2048"])):
        openssl("req", "-x509", *words, "-nodes", "-keyout", kind + ".pem", "-out", kind + "-certificate.pem", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2", folder=folder)
        os.chmod(f"{folder}/{kind}.pem", 0o600)
    everything, port = speak_everything(folder)
    try:
        weak = accepted(port, 0x0303)
        old = answered(port, 0x0301, SUITES[:64] + [0xc013, 0xc014])
        assert {0x0002, 0x003b, 0x002f} & weak and old and old[0] == 0x0301, (weak, old)
        print(f"control: a permissive server offers TLS 1.0 and {len(weak)} suites, some without encryption")
    finally:
        everything.kill()
        everything.wait()
    for kind in ("key", "old"):
        with Server("--tls-certificate", f"{folder}/{kind}-certificate.pem", "--tls-key", f"{folder}/{kind}.pem", *CHEAP) as server:
            for version in (0x0300, 0x0301, 0x0302):
                for start in range(0, len(SUITES), 64):
                    answer = answered(server.port, version, SUITES[start:start + 64])
                    assert answer is None or answer[0] >= 0x0303, (VERSIONS[version], answer)
            taken = accepted(server.port, 0x0303)
            assert taken and taken & GOOD, "it speaks TLS 1.2"
            assert not (bad := taken - GOOD - TOLERATED), {hex(suite) for suite in bad}
            context = ssl.create_default_context(cafile=f"{folder}/{kind}-certificate.pem")
            with context.wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="localhost") as connection:
                assert connection.version() == "TLSv1.3", connection.version()
            try:
                with ssl.create_default_context().wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="localhost"):
                    raise AssertionError("a certificate of nobody is taken")
            except ssl.SSLCertVerificationError:
                pass
            print(f"with a certificate of {kind}: {len(taken & GOOD)} suites with authenticated encryption, and {sorted(map(hex, taken - GOOD))}")
    print(f"proof: suites-offered={len(SUITES) * 8} weak-ones-taken=0 old-versions-taken=0")
