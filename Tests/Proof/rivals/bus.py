"""Just enough of D-Bus to call methods: one connection to a bus at a path, calls in turn, signals passed over.

gnome-keyring changes a password only for the connection that opened a session, which no tool of the command line keeps.
"""

import os
import socket
import struct

FIXED = {"y": ("B", 1), "b": ("I", 4), "u": ("I", 4), "i": ("i", 4), "x": ("q", 8), "t": ("Q", 8), "d": ("d", 8), "n": ("h", 2), "q": ("H", 2), "h": ("I", 4)}
CALL, ANSWER, ERROR = 1, 2, 3
PATH, INTERFACE, MEMBER, NAME, REPLY, TO, SIGNATURE = 1, 2, 3, 4, 5, 6, 8


class BusError(Exception):
    pass


class Bus:
    def __init__(self, path, seconds):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(seconds)
        self.socket.connect(path)
        self.reading = self.socket.makefile("rb")
        self.serial = 0
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self.reading.readline().startswith(b"OK"):
            raise BusError("the bus refuses")
        self.socket.sendall(b"BEGIN\r\n")
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")

    def close(self):
        self.reading.close()
        self.socket.close()

    def call(self, to, path, interface, member, signature="", *values):
        """The values of the answer. A string that is no bus name raises what the bus answers."""
        self.serial += 1
        body = Writer()
        body.put_all(signature, values)
        fields = [(PATH, ("o", path)), (INTERFACE, ("s", interface)), (MEMBER, ("s", member)), (TO, ("s", to))]
        if signature:
            fields.append((SIGNATURE, ("g", signature)))
        head = Writer()
        head.put_all("yyyyuua(yv)", (ord("l"), CALL, 0, 1, len(body.bytes), self.serial, fields))
        head.align(8)
        self.socket.sendall(head.bytes + body.bytes)
        while True:
            kind, fields, values = self.receive()
            if fields.get(REPLY) == self.serial:
                if kind == ERROR:
                    raise BusError(f"{fields.get(NAME)}: {values[0] if values else ''}")
                return values

    def receive(self):
        start = self.take(16)
        length, _, fields = struct.unpack("<III", start[4:16])
        rest = self.take((fields + 7) // 8 * 8)
        found = dict((code, value) for code, value in Reader(start + rest, 12).get("a(yv)"))
        body = self.take(length)
        return start[1], found, Reader(body, 0).get_all(found.get(SIGNATURE, ""))

    def take(self, count):
        data = self.reading.read(count)
        if len(data) != count:
            raise BusError("the bus closed the connection")
        return data


def whole_types(signature):
    """The signature, cut into its complete types."""
    while signature:
        length = 1
        while signature[length - 1] == "a":
            length += 1
        if signature[length - 1] in "({":
            depth = 1
            while depth:
                depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(signature[length], 0)
                length += 1
        yield signature[:length]
        signature = signature[length:]


def alignment(kind):
    return FIXED[kind[0]][1] if kind[0] in FIXED else {"g": 1, "v": 1, "(": 8, "{": 8}.get(kind[0], 4)


class Writer:
    def __init__(self):
        self.bytes = bytearray()

    def align(self, size):
        self.bytes += bytes(-len(self.bytes) % size)

    def put_all(self, signature, values):
        for kind, value in zip(whole_types(signature), values, strict=True):
            self.put(kind, value)

    def put(self, kind, value):
        self.align(alignment(kind))
        if kind in FIXED:
            self.bytes += struct.pack("<" + FIXED[kind][0], value)
        elif kind in "so":
            text = value.encode()
            self.bytes += struct.pack("<I", len(text)) + text + b"\0"
        elif kind == "g":
            self.bytes += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "v":
            self.put("g", value[0])
            self.put(value[0], value[1])
        elif kind[0] == "a":
            place = len(self.bytes)
            self.bytes += bytes(4)
            self.align(alignment(kind[1:]))
            start = len(self.bytes)
            for each in value.items() if isinstance(value, dict) else value:
                self.put(kind[1:], each)
            struct.pack_into("<I", self.bytes, place, len(self.bytes) - start)
        else:
            self.put_all(kind[1:-1], value)


class Reader:
    def __init__(self, data, place):
        self.data, self.place = data, place

    def align(self, size):
        self.place += -self.place % size

    def take(self, count):
        self.place += count
        return self.data[self.place - count : self.place]

    def get_all(self, signature):
        return [self.get(kind) for kind in whole_types(signature)]

    def get(self, kind):
        self.align(alignment(kind))
        if kind in FIXED:
            return struct.unpack("<" + FIXED[kind][0], self.take(FIXED[kind][1]))[0]
        if kind in "so":
            return self.take(self.get("u") + 1)[:-1].decode()
        if kind == "g":
            return self.take(self.take(1)[0] + 1)[:-1].decode()
        if kind == "v":
            return self.get(self.get("g"))
        if kind[0] == "a":
            length = self.get("u")
            self.align(alignment(kind[1:]))
            end, found = self.place + length, []
            while self.place < end:
                found.append(self.get(kind[1:]))
            return found
        return self.get_all(kind[1:-1])
