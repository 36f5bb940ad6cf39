"""The vectors of segments, epochs, members and parts of files, answered by this reader."""

import pathlib
import tempfile

from vaultformat.encoding import Cursor, Malformed
from vaultformat.failures import Failure
from vaultformat.primitives import hash
from vaultformat.recovery_code import RecoveryCode

from .folder import Chain, Folder, content_of_parts
from .group import Group
from .joining import compared, exchange_digits, open_recovery
from .keys import LIST, Epoch, LevelSecrets, secrets_chain
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
                               int(lines["used_format"][0]))
        body = found.open(keys, before)
        for failure in body.ignored.values():
            raise Refused(failure)
    except Refused as failure:
        return failure.name, []
    return "opens", [f"{r.level}{f':{r.written}' if r.written < r.level else ''} {r.device.hex()} {r.dot[1]} {r.object.hex()} {r.number} {shown(r.detail)} {r.clock} {shown(r.content)}"
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


def file_parts(lines):
    """The failure, or size and hash of the content."""
    with tempfile.TemporaryDirectory() as place:
        for name, data in map(str.split, lines.get("part", [])):
            (pathlib.Path(place) / name).write_bytes(bytes.fromhex(data))
        try:
            found = content_of_parts(pathlib.Path(place), bytes.fromhex(lines["value"][0]))
        except (Refused, Failure) as failure:
            return failure.name, []
    return "opens", [f"{len(found)} {hash(32, b'', found).hex()}"]


def group(lines):
    """Every line that follows from the statements."""
    found = Group(bytes.fromhex(lines["group"][0]), [bytes.fromhex(each) for each in lines["statement"]])
    counting = {each.id for each in found.counting}
    failures = {id if len(id) == 32 else hash(32, b"", id): failure for id, failure in found.failures.items()}
    failures |= {id: "statement_removed" for id in found.valid if id not in counting}
    answer = {"failure": sorted(f"{id.hex()} {failure}" for id, failure in failures.items()),
              "member": sorted(each.hex() for each in found.members), "recovery": sorted(each.hex() for each in found.recovery_members),
              "former": [f"{id.hex()} {last[id]} {last[secrets_chain(id)]}" for id, last in sorted(found.former.items())],
              "usable": [each.hex() for each in found.usable]}
    if "secrets" in lines:
        opened = found.open_epochs({level: LevelSecrets.read(Cursor(bytes.fromhex(each))) for level, each in enumerate(lines["secrets"])})
        answer["key"] = [f"{id.hex()} {level} {key.hex()}" for id, keys in sorted(opened.items()) for level, key in sorted(keys.items())]
        list_keys = {id: keys[LIST] for id, keys in opened.items() if LIST in keys}
        names = {each.split()[0] for each in lines.get("name", [])}
        answer["name"] = [f"{id} {shown(found.name(bytes.fromhex(id), list_keys).encode())}" for id in sorted(names)]
    return answer


def chain(lines):
    """How far each chain of the list can be applied, and what is refused."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, lines["group"][0])
        members = folder / "members"
        members.mkdir(parents=True)
        for data in map(bytes.fromhex, lines["statement"]):
            (members / hash(32, b"", data).hex()).write_bytes(data)
        for device, number, data in map(str.split, lines["segment"]):
            (folder / device).mkdir(exist_ok=True)
            (folder / device / number).write_bytes(bytes.fromhex(data))
        secrets = {level: LevelSecrets.read(Cursor(bytes.fromhex(each))) for level, each in enumerate(lines["secrets"])}
        found = Folder(place, bytes.fromhex(lines["group"][0]), secrets)
        applied = Chain(found, "list").applied
        return {"applied": sorted(f"{device.hex()} {number}" for device, (number, _) in applied.items()),
                "refused": sorted(f"{device} {number} {failure}" for (device, number), failure in found.problems.items())}


def joining(lines):
    try:
        return {"expect": ["joins"], "digits": [" ".join(exchange_digits([bytes.fromhex(each) for each in lines["message"]]))]}
    except Refused as failure:
        return {"expect": [failure.name]}


def recovery(lines):
    parts = open_recovery(bytes.fromhex(lines["blob"][0]), RecoveryCode(lines["code"][0].encode()).prepared())
    return {"expect": ["opens"], "secrets": [each.encoded.hex() for each in parts]} if parts else {"expect": ["nothing"]}


def heads(lines):
    entries = {bytes.fromhex(device): (int(number), bytes.fromhex(hash_)) for device, number, hash_ in map(str.split, lines.get("head", []))}
    return {"numbers": [" ".join(map(str, compared(bytes.fromhex(lines["group"][0]), entries, 8, int(lines["below"][0]))))]}


def answer_all(folder):
    """(name, expected, given) of each vector."""
    answers = []
    for name, answer, further in (("Sync", segment, "record"), ("Epochs", epoch, "key"), ("FileParts", file_parts, "content")):
        for path in sorted((folder / name).glob("*.vector")):
            lines = lines_of(path)
            expected = lines["expect"][0], lines.get(further, [])
            answers.append((f"{name}/{path.stem}", expected, answer(lines)))
    for path in sorted((folder / "Members").glob("*.vector")):
        lines = lines_of(path)
        given = {"group": group, "chain": chain, "joining": joining, "recovery": recovery, "heads": heads}[lines["kind"][0]](lines)
        answers.append((f"Members/{path.stem}", {word: lines.get(word, []) for word in given}, given))
    return answers
