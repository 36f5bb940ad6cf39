"""F: the program as a whole."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "F1": "checks that do not bite",
    "F2": "code that no test runs",
    "F3": "tests that depend on chance",
    "F4": "what protection costs",
    "F5": "old files",
    "F6": "the libraries underneath",
}

ATTACKS = [
    Attack(
        "sabotage", "F1", "small sabotages of the code, one at a time", Program("Tests/Proof/sabotage --short"),
        "the unchanged copy passes the same tests", short=True),
]

NOT_APPLICABLE = []
