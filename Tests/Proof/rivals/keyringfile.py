"""gnome-keyring's file, as its docs/file-format.txt says, to make a large keyring at once: the daemon writes all of it again for each item.

The daemon must open what is written here, and find each item, before anything is measured; a mistake would not go unseen.
"""

import hashlib
import os
import struct

ITERATIONS = 1_000
NOW = struct.pack(">II", 0, 1_700_000_000)


def number(value):
    return struct.pack(">I", value)


def text(value):
    return number(len(value.encode())) + value.encode()


def written(machine, path, name, passphrase, items):
    """Items are (label, secret, attributes); what is in clear are hashes of the attributes."""
    salt = os.urandom(8)
    head = b"GnomeKeyring\n\r\0\n" + bytes(4) + text(name) + NOW + NOW + number(0) + number(0) + number(ITERATIONS) + salt + bytes(16)
    clear, hidden = bytearray(number(len(items))), bytearray()
    for index, (label, secret, attributes) in enumerate(items):
        clear += number(index + 1) + number(0) + number(len(attributes))
        for key, value in attributes.items():
            clear += text(key) + number(0) + text(hashlib.md5(value.encode()).hexdigest())
        hidden += text(label) + text(secret) + NOW + NOW + number(0xFFFFFFFF) + bytes(16) + number(len(attributes))
        for key, value in attributes.items():
            hidden += text(key) + number(0) + text(value)
        # Nobody is on its list of those who may read.
        hidden += number(0)
    hidden += bytes(-len(hidden) % 16)
    digest = hashlib.sha256(passphrase.encode() + salt).digest()
    for _ in range(ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    sealed = machine.run(
        "openssl", "enc", "-aes-128-cbc", "-nopad", "-K", digest[:16].hex(), "-iv", digest[16:].hex(), input=hashlib.md5(hidden).digest() + bytes(hidden)
    ).output
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(head + clear + number(len(sealed)) + sealed)
