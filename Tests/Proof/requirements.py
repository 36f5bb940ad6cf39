"""The requirements of Docs/Requirements.md and the tests that try them; `Tests/Proof/run --check` finds those that have none.

A name is a suite, a contract or a function of `swift test`. Rows of ON_THE_PAGE also begin the name of a test of Tests/Programs/LocalAppTests/Browser.
"""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
PAGE = TESTS.parent / "Docs/Requirements.md"
ROW = re.compile(r"^\| (S\d+) \|.*\| ([^|]*) \|$", re.M)

# The names of tests by the number of the requirement.
REQUIREMENTS = {row: re.findall(r"`(\w+)`", names) for row, names in ROW.findall(PAGE.read_text(encoding="utf-8"))}
ON_THE_PAGE = [row for row in REQUIREMENTS if row not in ("S2", "S7", "S11")]


def gaps():
    """The rows without a test, and the tests that are named and not there."""
    swift = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("*.swift"))
    there = set(re.findall(r"(?:struct|class|enum|func) (\w+)", swift))
    tried = set()
    for path in (TESTS / "Programs/LocalAppTests/Browser").glob("*.mjs"):
        for name in re.findall(r"(?:async|step\() ?'((?:\\'|[^'])+)'", path.read_text(encoding="utf-8")):
            tried |= set(re.findall(r"\bS\d+\b", name))
    wanted = [f"S{number}" for number in range(1, 22)]
    wrong = [f"{row}: no test" for row in wanted if not REQUIREMENTS.get(row)]
    wrong += [f"{row}: no such test: {name}" for row, names in REQUIREMENTS.items() for name in names if name not in there]
    wrong += [f"{row}: no test in the browser" for row in ON_THE_PAGE if row not in tried]
    return wrong + [f"{row}: not in Docs/Requirements.md" for row in sorted(tried - set(REQUIREMENTS))]
