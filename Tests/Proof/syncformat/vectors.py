"""The vectors of segments and epochs, answered by this reader."""

from vaultformat.encoding import Malformed

from .keys import Epoch, LevelSecrets
from .segments import Segment
from .values import Refused


def lines_of(path):
    found = {}
    for line in path.read_text().splitlines():
        word, _, rest = line.partition(":")
        found.setdefault(word, []).append(rest.strip())
    return found


def shown(data):
    return data.hex() or "-"


def segment(lines):
    """The failure, or the records."""
    data, author = bytes.fromhex(lines["segment"][0]), bytes.fromhex(lines["author"][0])
    keys = dict(enumerate(bytes.fromhex(each) for each in lines["keys"][0].split()))
    before = {bytes.fromhex(device): int(number) for device, number in (each.split() for each in lines.get("seen", []))}
    number = int.from_bytes(data[41:49], "little")
    try:
        found = Segment.decode(data, bytes.fromhex(lines["group"][0]), (author, number), bytes.fromhex(lines["segment_key"][0]),
                               bytes.fromhex(lines["member_key"][0]), int(lines["used_format"][0]))
        body = found.open(keys, before)
        for failure in body.ignored.values():
            raise Refused(failure)
    except Refused as failure:
        return failure.name, []
    return "opens", [f"{r.level} {r.device.hex()} {r.dot[1]} {r.object.hex()} {r.number} {shown(r.detail)} {r.clock} {shown(r.content)}"
                     for r in body.records]


def epoch(lines):
    device, level = bytes.fromhex(lines["device"][0]), int(lines["level"][0])
    try:
        key = Epoch.decode(bytes.fromhex(lines["statement"][0])).key(LevelSecrets(level, device, bytes.fromhex(lines["secret_key"][0]), b""))
    except Malformed:
        return "malformed", []
    except Refused as failure:
        return failure.name, []
    return "opens", [key.hex()]


def answer_all(folder):
    """(name, expected, given) of each vector."""
    answers = []
    for name, answer, further in (("Sync", segment, "record"), ("Epochs", epoch, "key")):
        for path in sorted((folder / name).glob("*.vector")):
            lines = lines_of(path)
            expected = lines["expect"][0], lines.get(further, [])
            answers.append((f"{name}/{path.stem}", expected, answer(lines)))
    return answers
