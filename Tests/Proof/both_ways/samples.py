"""Names and values that are easy to get wrong."""

import os

from .content import Content

NAMES = [
    "\u00e9",  # composed and
    "e\u0301",  # decomposed: two names
    "A",
    "a",
    " ",
    "-",
    "--json",
    '"\\\u2028/',
    "\u00a0",
    "\u0130\u0131\u017f\u1e9e\u00df",
    "\u1100\u1161\u11a8",
    "\uac01",
    "\u05d0\u202e\u0627",
    "\ufeff",
    "\ufffd\ufffe\uffff",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0010ffff",
    "\ud7ff\ue000",
    "n" * 1024,
    "\u00e9" * 512,
]

VALUES = [
    b"",
    b"\0",
    b"\0" * 60,
    bytes(range(256)),
    b"\xff\xfe\xc0\x80",
    b"line\r\nline\n",
    *(os.urandom(size) for size in (59, 60, 61, 4091, 4092, 4093, 65_532, 65_533, 1_048_575, 1_048_576)),
]


def odd_contents() -> list[Content]:
    """Each name as service and as account, some as fields, each value, both classes."""
    contents = []
    for number in range(max(len(NAMES), len(VALUES))):
        service, account = NAMES[number % len(NAMES)], NAMES[-1 - number % len(NAMES)]
        label, field = "" if number % 3 else account, "password" if number % 4 else NAMES[number * 7 % len(NAMES)]
        value = VALUES[number % len(VALUES)]
        contents.append(Content(service, account, label, 1 + number % 2, value, field=field))
    return contents


def with_attributes(contents: list[Content]) -> list[Content]:
    """What the format can hold and no command takes: any text in any attribute, any time, any revision."""
    texts = ["", "\0", "a\nb\t\x7f", "\u00e9", "e\u0301", "\U0010ffff", "t" * 20_000]
    times = [0, -1, 1_795_290_320_261, 253_402_300_799_999, -62_135_596_800_000]
    changed = []
    for number, each in enumerate(contents):
        extra = tuple(sorted(((key, texts[(number + len(key)) % len(texts)]) for key in ("k", "\u00e9", "url")), key=utf8))
        time, revision = times[number % len(times)], (1, 2, 2**32, 2**63 - 2)[number % 4]
        parts = (each.service, each.account, each.label, each.item_class, each.value)
        changed.append(Content(*parts, extra[: number % 4], revision, time, time, each.field))
    return changed


def utf8(pair: tuple[str, str]) -> bytes:
    return pair[0].encode()


def many_contents(count: int) -> list[Content]:
    return [
        Content(
            f"service {number % 7}", f"account {number}", f"label {number}", 1 + number % 2, os.urandom(number % 200),
            (("note", f"n\u00f8te {number}"), ("url", f"https://{number}.example")), 1,
            1_700_000_000_000 + number, 1_700_000_000_001 + number,
        )
        for number in range(count)
    ]  # fmt: skip
