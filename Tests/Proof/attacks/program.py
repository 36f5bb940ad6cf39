"""F: the program as a whole."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "F1": "ineffective tests",
    "F2": "untested code",
    "F3": "tests that depend on chance",
    "F4": "cost of protection",
    "F5": "old files",
    "F6": "underlying libraries",
}

ATTACKS = [
    Attack(
        "sabotage", "F1", "small sabotages of the code, one at a time", Program("Tests/Proof/sabotage --short", builds=()),
        "the unchanged copy passes the same tests", (Amount("TASKVAULT_SABOTAGES", "sabotages", 6, 6, 6, wished=30),)),
    Attack(
        "coverage", "F2", "lines of the core run by in-process tests, at least 95 of 100", Program("Tests/Proof/coverage", builds=()),
        "fails below; lists the missing lines", wished=True),
    Attack(
        "again", "F3", "the libraries' tests repeated, each time in another order", Program("Tests/Proof/again", builds=("tests",)),
        "a deliberately failing test fails the run", (Amount("TASKVAULT_RUNS", "runs", 1, 1, 20),), alone=True),
    Attack(
        "speed", "F4", "cost of protection, beside bare C calls for the same bytes", Program(".build/release/TestTools benchmark --quick", builds=("release", "tools")),
        "fails if product and baseline handled different bytes or settings", alone=True),
    Attack(
        "old-files", "F5", "files written by released versions", Tests("OldFilesTests|AccountFileTests|DatabaseContract|VectorTests"),
        "the output now must equal the output then, byte for byte"),
    Attack(
        "library", "F6", "a libsodium that computes one function wrongly, for each function in use", Tests("WrongLibraryTests|InformationTests"),
        "without the check, a wrong hash is reported as a damaged vault, and a wrong cipher writes one"),
]

NOT_APPLICABLE = []
