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
        "sabotage", "F1", "small sabotages of the code, one at a time; the long form is Tests/Proof/sabotage", Program("Tests/Proof/sabotage --short", builds=()),
        "the unchanged copy passes the same tests", (Amount("TASKVAULT_SABOTAGES", "sabotages", 6, 6, 6, wished=30),)),
    Attack(
        "coverage", "F2", "lines of the core that tests in one process run, at least 95 of 100", Program("Tests/Proof/coverage", builds=()),
        "fails below; which lines are missing is listed", wished=True),
    Attack(
        "again", "F3", "the libraries' tests again and again, each time in another order", Program("Tests/Proof/again", builds=("tests",)),
        "a test that fails on purpose fails the run", (Amount("TASKVAULT_RUNS", "runs", 1, 1, 20),), alone=True),
    Attack(
        "speed", "F4", "what protection costs, beside bare C calls for the same bytes", Program(".build/release/Benchmarks --quick"),
        "fails if product and baseline did not handle the same bytes under the same settings", alone=True),
    Attack(
        "old-files", "F5", "files that released versions left", Tests("OldFilesTests|AccountFileTests|MigratorTests|VectorTests"),
        "what they printed then must be printed now, byte for byte"),
    Attack(
        "library", "F6", "a libsodium that computes one function wrongly, for each that the vault uses", Tests("WrongLibraryTests|InformationTests"),
        "without the check, a wrong hash is called a damaged vault, and a wrong cipher writes one"),
]

NOT_APPLICABLE = []
