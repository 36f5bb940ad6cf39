"""What the owner asked for, S1 to S21, and the tests that try it; `Tests/Proof/run --check` finds what has none.

A name is a suite, a contract or a function of `swift test`. Rows of ON_THE_PAGE also begin the name of a test of Tests/Programs/LocalAppTests/Browser.
"""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent

REQUIREMENTS = {
    "S1": ("tasks with subtasks, behind a database protocol", "TaskRepositoryContract TaskListTests"),
    "S2": ("two databases, chosen in one place", "TaskRepositoryTests PostgreSQLContractTests MoveDatabaseTests"),
    "S3": ("add, mark, unmark, delete; Cancel adds nothing", "RequirementTests tasksAreThoseOfTheCommandLine"),
    "S4": ("a reminder switch for tasks and subtasks", "RequirementTests ReminderServiceTests"),
    "S5": ("messages are kept, accepted or declined", "InboxCommandTests InboxStoreTests"),
    "S6": ("signed in without being disturbed, else the form", "LoginTests SignInTests"),
    "S7": ("the auth server runs locally", "ServerTests TokenEndpointTests"),
    "S8": ("the text of protected tasks in the vault only", "RequirementTests ProtectedTaskTests protectedTextNeedsVerification"),
    "S9": ("verification proves the owner", "VerificationTests FingerprintTests CeremonyTests passkeysOpenAndVerify"),
    "S10": ("the passphrase: create, repeat, enter", "aNewUserMakesAVault aWrongPassphraseIsRefused"),
    "S11": ("a keychain behind get, save, update", "SecureStoreContract MemorySecureStoreTests VaultContractTests"),
    "S12": ("the password is changed in a dialog", "AgentChangeTests aWrongPassphraseIsRefused"),
    "S13": ("files and their two settings", "FileCommandTests filesComeInPiecesAndGoOutWhole settingsMessagesAndAccount"),
    "S14": ("messages: rows, detail, picture", "InboxStoreTests PictureTests"),
    "S15": ("a notification opens its detail", "MessageNoticeTests AppCommandTests"),
    "S16": ("lists of the server, saved ones offline", "ChecklistTests SavedChecklistTests"),
    "S17": ("allow saving", "SavedChecklistTests"),
    "S18": ("the list, its add screen, and statistics", "RequirementTests"),
    "S19": ("a done task clears itself after 24 hours", "RequirementTests"),
    "S20": ("how many were completed in the past 24 hours", "RequirementTests"),
    "S21": ("kept, all marked at once, small to large", "RequirementTests"),
}
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
    wrong = [f"{row}: no test" for row in wanted if not REQUIREMENTS.get(row, ("", ""))[1]]
    wrong += [f"{row}: no such test: {name}" for row, (_, names) in REQUIREMENTS.items() for name in names.split() if name not in there]
    wrong += [f"{row}: no test in the browser" for row in ON_THE_PAGE if row not in tried]
    return wrong + [f"{row}: asked for by nobody" for row in sorted((tried | set(REQUIREMENTS)) - set(wanted))]
