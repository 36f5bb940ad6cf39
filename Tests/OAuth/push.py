#!/usr/bin/env python3
"""push.py URL FOLDER TASKVAULT EMAIL: a foreign sender, pywebpush, at the push service. The access token and the password come on standard input.

Makes an inbox with subscriptions, pushes with and without VAPID, reads the messages and decrypts them with http_ece. FOLDER has the server's
database and its log, in which nothing of the content, of an endpoint or of a token may be. Then the executable TASKVAULT makes an address for
the same sender, and takes and accepts what it pushes there.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02
from pywebpush import WebPushException, webpush

URL, FOLDER, TASKVAULT, EMAIL = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
ACCESS, PASSWORD = sys.stdin.readline().strip(), sys.stdin.readline()
CANARY = "a canary of a task, " + os.urandom(8).hex()


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def ask(path, token, content=None):
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(URL + path, data, {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def require(condition, what):
    if not condition:
        sys.exit(f"pywebpush: {what}")


class Subscription:
    def __init__(self, inbox, sender=None):
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        content = {"inbox": inbox["id"]}
        if sender:
            content["vapid_key"] = text(sender.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
        status, made = ask("/subscriptions", ACCESS, content)
        require(status == 201, f"no subscription: {made}")
        self.id, self.endpoint = made["id"], made["endpoint"]

    def push(self, content, sender=None, headers=None, ttl=60, claims=None):
        """The status of the answer."""
        keys = {"p256dh": text(point(self.key)), "auth": text(self.auth)}
        more = {}
        if sender:
            more = {"vapid_private_key": sender, "vapid_claims": claims or {"sub": "mailto:sender@example.com"}}
        try:
            return webpush({"endpoint": self.endpoint, "keys": keys}, content, ttl=ttl, headers=headers or {}, timeout=60, **more).status_code
        except WebPushException as error:
            require(error.response is not None, f"no answer: {error}")
            return error.response.status_code

    def open(self, message):
        return http_ece.decrypt(base64.b64decode(message["body_base64"]), private_key=self.key, auth_secret=self.auth, version="aes128gcm")


def vapid():
    sender = Vapid02()
    sender.generate_keys()
    return sender


def main():
    status, inbox = ask("/inboxes", ACCESS, {})
    require(status == 201, f"no inbox: {inbox}")
    sender, other = vapid(), vapid()
    free, bound = Subscription(inbox), Subscription(inbox, sender)
    require(free.push(CANARY, headers={"Urgency": "high", "Topic": "first"}) == 201, "a message is not accepted")
    require(bound.push(CANARY, sender) == 201, "a signed message is not accepted")
    require(bound.push(CANARY) == 401, "an unsigned message is not refused with 401")
    require(bound.push(CANARY, other) == 403, "another signature is not refused with 403")
    late = {"sub": "mailto:a@b.example", "exp": int(time.time()) + 2 * 86_400}
    require(bound.push(CANARY, sender, claims=late) in (401, 403), "a token for two days is accepted")
    elsewhere = {"sub": "mailto:a@b.example", "aud": "https://push.example.net"}
    require(bound.push(CANARY, sender, claims=elsewhere) == 403, "a token for another server is accepted")
    # 3,993 bytes of content fill 4,096; the library sends more without complaint.
    require(free.push("x" * 3_993) == 201, "the largest message is not accepted")
    require(free.push("x" * 3_994) == 413, "a message that is too large is not refused with 413")

    status, answer = ask("/messages", inbox["receive_token"])
    require(status == 200 and len(answer["messages"]) == 3, f"messages: {answer}")
    by_subscription = {free.id: free, bound.id: bound}
    opened = [by_subscription[message["subscription"]].open(message) for message in answer["messages"]]
    require(opened == [CANARY.encode(), CANARY.encode(), b"x" * 3_993], "a message is another one")
    require(answer["messages"][0]["urgency"] == "high" and answer["messages"][0]["topic"] == "first", "urgency or topic is another one")

    ids = [message["id"] for message in answer["messages"]]
    require(ask("/messages/acknowledge", inbox["receive_token"], {"messages": ids})[0] == 401, "the receive token acknowledges")
    require(ask("/messages/acknowledge", inbox["acknowledge_token"], {"messages": ids}) == (200, {"acknowledged": 3}), "no acknowledgement")
    require(ask("/subscriptions/end", ACCESS, {"subscription": free.id})[0] == 204, "the subscription does not end")
    require(free.push(CANARY) == 410, "an ended subscription is not refused with 410")

    require(bound.push(CANARY, sender) == 201, "a signed message is not accepted")
    stored = b"".join(path.read_bytes() for path in FOLDER.iterdir() if path.is_file())
    require(inbox["id"].encode() in stored and b"/push/{endpoint}" in stored, "what is stored is not found")
    secrets = [free.endpoint, bound.endpoint, inbox["receive_token"], inbox["acknowledge_token"], ACCESS]
    for secret in [CANARY] + [secret[-43:] for secret in secrets]:
        require(secret.encode() not in stored, "the server stores or logs a secret")
    print("pywebpush: messages with and without VAPID arrive, and the server sees neither content nor credentials")
    with tempfile.TemporaryDirectory() as folder:
        to_the_client(pathlib.Path(folder), sender, other)


def to_the_client(folder, sender, other):
    for name, content in (("passphrase", "four words nobody guesses\n"), ("password", PASSWORD)):
        path = folder / name
        path.touch(mode=0o600)
        path.write_text(content)

    def client(*words):
        command = [TASKVAULT, "--home", str(folder / "home"), *words, "--no-agent", f"--passphrase-file={folder / 'passphrase'}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        require(done.returncode == 0, f"taskvault {' '.join(words)}: {done.stderr}")
        return done.stdout

    subprocess.run(
        [TASKVAULT, "--home", str(folder / "home"), "init", "--kdf-memory", "19", "--kdf-passes", "2", f"--passphrase-file={folder / 'passphrase'}"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True)
    client("settings", "set", "server", URL)
    client("login", EMAIL, f"--password-file={folder / 'password'}")
    client("inbox", "enable")
    key = text(sender.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
    address = json.loads(client("inbox", "address", "--for", "pywebpush", "--vapid", key))
    content = json.dumps({"title": CANARY, "subtasks": ["one", "two"]})

    def push(signer):
        try:
            claims = {"sub": "mailto:sender@example.com"}
            return webpush(address, content, ttl=60, timeout=60, vapid_private_key=signer, vapid_claims=claims).status_code
        except WebPushException as error:
            return error.response.status_code

    require(push(other) == 403, "another signature is not refused with 403")
    require(push(sender) == 201, "a signed message is not accepted")
    messages = json.loads(client("inbox", "list", "--json"))
    require([(one["title"], one["sender"]) for one in messages] == [(CANARY, "pywebpush")], f"the inbox has {messages}")
    client("inbox", "accept", messages[0]["id"])
    require(CANARY in client("task", "list"), "the message became no task")
    print("pywebpush: a signed message reaches the inbox of the client, and becomes a task")


main()
