"""G: somebody who owns a neighbour of the program, such as its storage, its disk or its clock, and behaves well otherwise; or its owner, in a hurry."""

from attacks.cryptography import files
from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "G1": "storage that shows each machine another branch",
    "G2": "rollback record lost, behind, copied, unwritable",
    "G3": "another vault in the place of one",
    "G4": "old keys with the newest rows",
    "G5": "planted libraries",
    "G6": "session bus",
    "G7": "lying devices and senders",
    "G8": "pages, ports and users beside the local app",
    "G9": "a client that polls and half-opens",
    "G10": "clock set, sessions",
    "G11": "hostile disk",
    "G12": "a person in a hurry",
    "G13": "who had the page's origin before",
    "G14": "a stranger's work before it is counted",
    "G15": "the owner of the folder by which homes sync",
    "G16": "copied, restored and lost devices that sync",
    "G20": "files written by name; no /proc",
    "G21": "another state of the to-do list in its place",
}


def sync(name):
    return Program(f"/usr/bin/python3 Tests/Proof/sync/{name}")


ATTACKS = [
    Attack(
        "branches", "G1 G2 P2 P4",
        "random schedules of up to four machines, crashes, copied and unwritable records, and a storage that shows any branch, or rows of two",
        Tests("FreshnessModelTests|ForkTests|LinkTests"), "without a record, answers lack acknowledged writes",
        (Amount("TASKVAULT_SCHEDULES", "schedules", 60, 2_000, 20_000),)),
    Attack(
        "rollback-records", "G2", "records torn at each byte, damaged, removed, unwritable, or of others", Tests("RollbackRecordTests"),
        "the record before is found, or the owner's word is needed"),
    Attack(
        "places-of-vaults", "G3 P4", "another vault, a destroyed one, a copy or a fork in the place of one; a link and a bind mount to it",
        Tests("PlaceTests|TaskVaultCommandsTests.RollbackTests"), "the vault of the place opens by each path"),
    Attack(
        "old-keys", "G4 P4", "each old passphrase, code and header on each newest row, by the second implementation", files("old_keys.py"),
        "after --keep-keys they open all", short=True),
    Attack(
        "planted", "G5", "libraries beside the executable, and in its folder", Program("Tests/executables"), "with LD_LIBRARY_PATH they run"),
    Attack(
        "liars", "G6 G7", "actions by others; daemons that fail; false answers of security keys",
        Tests("ReminderServiceTests|SecurityKeysTests.FailureTests"), "the right ones count"),
    Attack(
        "secret-clients", "G6 G14", "another owner of the name, forged signals of the bus, sessions of others, clients that vanish, floods of sessions and of waiting bytes, the owner's entries",
        Tests("BusNameTests|SecretServiceTests|LockedSecretsTests"), "the other clients are answered; by the setting all, the owner's entries are read"),
    Attack(
        "readers", "G7", "forged results of a finger, another owner of the name, a reader claimed, unplugged or failing, an ended bus",
        Tests("FingerprintTests|FingerprintMemoryTests"), "the enrolled finger opens"),
    Attack(
        "senders", "G7 P10", "forged, cut, repeated and changed messages; lost keys; addresses of private networks for pictures; words in the server's files",
        Tests("WebPushTests|InboxStoreTests|InboxDeliveryTests|PublicAddressTests"), "the unchanged message is opened"),
    Attack(
        "titles", "G7 P10", "markup, fields of todo.txt, line ends and control characters in a title, in exports and notifications",
        Tests("TodoTxtFormatTests|ICalendarFormatTests|TaskwarriorFormatTests|ReminderServiceTests"), "the title comes back as it was"),
    Attack(
        "local-app", "G8 G14", "other hosts, origins, ports, tokens and users; a rebound name; frames; a vault destroyed while its page is open",
        Tests("RequestRulesTests|LocalAppTests.RefusalTests|PageSessionsTests|LocalAppTests.EventTests|aPageGivesTheClientSecretAndNoFile"),
        "the page itself is answered"),
    Attack(
        "earlier-origins", "G13", "Service Workers, cached scripts and all cookies that fit at the fixed host and at that of an earlier start, in the owner's browsers; taken ports",
        Program("node Tests/Programs/LocalAppTests/Browser/origins.mjs"), "at its own origin what was left takes the page over", short=True),
    Attack(
        "sync-folder", "G15 P11",
        "segments and statements that are lost, repeated, reordered, delayed, cut, changed, of two histories, or of another group; keys of a thief; old, cut, foreign and false snapshots; histories of changes "
        "and of members in random order",
        Tests("SyncTests.ReplicaTests|FolderRemoteTests|SegmentTests|LyingFolderTests|SyncTests.SnapshotTests|SyncTests.ModelTests|MergingTableTests|StatementTests|RuleTests|SyncMembersTests.HistoryTests|GroupRemoteTests"),
        "with any of ten rules switched off, the model loses values or diverges",
        (Amount("TASKVAULT_MEMBER_HISTORIES", "histories of members", 200, 2_000, 10_000),), limit=100_000),
    Attack(
        "sync-joining", "G15 P11", "two exchanges by a mailbox in the middle, chosen openings, silent tries, digits for one side only, foreign keys, repeated messages, a used recovery code",
        Tests("JoiningTests|MemberKeyTests|RecoveryTests"), "the unchanged exchange joins"),
    Attack(
        "sync-reader", "G15 A12 P11", "a second reader, written from the page, with the keys of two homes: changes of each row of the table of merging, while apart",
        sync("reading.py"), "without one rule, or with one changed byte, it has something else", short=True),
    Attack(
        "sync-liar", "G15 P11",
        "two homes and a folder that changes each field, cuts, repeats, reorders, exchanges, withholds, goes back, has another group's files, two branches, other formats, "
        "a chain that begins anew; parts of files; thousands of files that cost work; a removal that is not shown, segments and statements of a removed device",
        sync("lying.py"), "the same change without an attack arrives", short=True),
    Attack(
        "sync-server", "G15 P11",
        "two homes and the account's server, which changes, cuts, repeats, exchanges and withholds segments, goes back to an earlier state, lists what there is not, shows statements "
        "and segments of another account, loses puts, refuses the token; a newcomer who is shown an old snapshot, a removal that is not shown",
        sync("server.py"), "the same change without a lie arrives", short=True),
    Attack(
        "sync-server-liar", "G15 P11", "the attacks of `sync-liar` by the owner of the account's server: parts of files, other groups, formats, branches, removed devices",
        sync("lying.py server"), "the same change without an attack arrives", short=True),
    Attack(
        "sync-server-snapshots", "G15 P11", "the attacks of `sync-snapshots` by the owner of the account's server",
        sync("snapshots.py server"), "with the blobs as they are, the new device has everything", short=True),
    Attack(
        "sync-server-thief", "G15 P11", "the attacks of `sync-thief`, at the account's server: stolen keys of each level, and keys that its owner chooses",
        sync("thief.py server"), "a task of the thief's own arrives; with the keys of the third level protection ends", short=True),
    Attack(
        "sync-server-mailbox", "G15 P11", "the attacks of `sync-mailbox` by the owner of the account's server, who shows each device other messages",
        sync("mailbox.py server"), "the unchanged messages join; without a commitment a search finds digits",
        (Amount("TASKVAULT_SILENT_TRIES", "silent tries", 1_000_000, 1_000_000, 1_000_000),)),
    Attack(
        "sync-snapshots", "G15 P11",
        "a folder that shows a device which joins an old snapshot, a cut one, exchanged files, none, or one that the thief of a locked machine announces",
        sync("snapshots.py"), "with the folder as it is, the new device has everything", short=True),
    Attack(
        "sync-thief", "G15 P11",
        "the keys on a stolen disk, of an agent that is not verified, or chosen by the folder's owner: devices, removals, epochs and deliveries with known keys, other formats, parts, also of other segments, "
        "records that end protection, items among tasks, reserved services",
        sync("thief.py"), "a task of the thief's own arrives; with the keys of the third level protection ends", short=True),
    Attack(
        "sync-numbers", "G15 P11",
        "the thief of a locked disk writes tasks with numbers, times, texts, zones and rules at their limits, segments and clocks of any time, thousands of versions, tags and subtasks: "
        "no command of the other device crashes or takes long, and it goes on to sync",
        sync("numbers.py"), "the forged tasks are in the list", short=True),
    Attack(
        "sync-unverified", "G15 C6 P11",
        "the memory of an agent that is unlocked and not verified, its answers to 23 questions, its home, and all that its keys open in the folder: no protected text, no key for it",
        sync("unverified.py"), "value key 1 is found; a verified agent answers", short=True),
    Attack(
        "sync-mailbox", "G15 P11", "a mailbox with exchanges with both homes: digits typed, read out for one side only, other keys opened, four attempts, silent tries",
        sync("mailbox.py"), "the unchanged messages join; without a commitment a search finds digits",
        (Amount("TASKVAULT_SILENT_TRIES", "silent tries", 1_000_000, 1_000_000, 1_000_000),)),
    Attack(
        "sync-syncthing", "G16 P11", "the commands of the page for newcomers, over the real Syncthing; both change while apart; a device is removed", sync("syncthing.py"),
        "while Syncthing is stopped, both differ", wished=True),
    Attack(
        "sync-slow", "G16 P11", "a folder that brings each file late and each removal at once, while a device joins", sync("slow.py"),
        "digits that the new device refuses remove it again", (Amount("TASKVAULT_LATE_SECONDS", "seconds of each file", 12, 30, 30),)),
    Attack(
        "sync-newcomer", "G16 P11", "a newcomer at two terminals: the commands of the page, then wrong digits, wrong folders, joining twice, a folder that is gone", sync("newcomer.py"),
        "the same commands with the right words work", short=True),
    Attack(
        "sync-disks", "G16 P11", "a disk that is copied and of which both halves work on, a disk image that is put back and works on, rounds killed at each step, clocks of 1999 and 2038, a device away for a year, a lost last device",
        sync("disks.py"), "what was not put back agrees, and the home that was is named", (Amount("TASKVAULT_KILLED_ROUNDS", "changes before killed rounds", 12, 40, 40),)),
    Attack(
        "sync-homes", "G16 P11",
        "rounds cut off at each step, locked and unverified homes, wrong clocks, restored, copied and put back homes, removed devices, a lost last device; files of the records read, cut and changed",
        Tests("SecretMirror|TaskMirror|SuccessionTests|SyncBadInputTests|SyncStorageTests|SyncCommandTests|SyncCopyTests"), "homes that end their rounds have the same secrets and the same list"),
    Attack(
        "sync-histories", "G16 G15 P11",
        "random histories of the model, of secrets and of lists: devices apart, crashes, wrong clocks, locked and unverified ones, late ones, those that leave and join again, a folder that loses and doubles files",
        Program("/usr/bin/python3 Tests/Proof/sync/histories.py", builds=("optimised",)),
        "without each of ten rules the model fails; what one home lacks is noticed",
        (Amount("TASKVAULT_SYNC_HISTORIES", "histories of each kind", 200, 1_000, 10_000),), limit=100_000),
    Attack(
        "sync-oracle", "G16 G15 P11",
        "what each device of a random history shows, computed once more by the rules of `../shared/sync-model` from the records and what their authors really had",
        Program("/usr/bin/python3 Tests/Proof/sync/oracle.py", builds=("tests",)), "a wrong state of a device is noticed, of each kind",
        (Amount("TASKVAULT_SYNC_HISTORIES", "histories", 200, 1_000, 10_000),), limit=100_000),
    Attack(
        "older-lists", "G21 P4",
        "older lists, also changed since; logs lost, emptied, cut, random; removed files, dropped tables; kills between change and record; damaged records",
        Tests("TaskHeadTests|TaskRollbackTests|TaskHeadRecordTests|PostgreSQLTaskTests"), "without its record the older list opens"),
    Attack(
        "pollers", "G9 P9", "guesses from one and many networks, full tables of guesses and connections, half-sent requests, ended sessions",
        Tests("GuessLimitsTests|NetworkLimiterTests|HTTPServerTests.ConnectionTests|TokenEndpointTests|SessionEndpointTests|AuditTests"),
        "the owner signs in from a known device at once, from a new network within 60 s"),
    Attack(
        "hostile-disks", "G11", "3 GiB, a pipe, device, link or folder in the place of vault, log, record or backup; no inode, no quota, no writing",
        Tests("HostileDiskTests|restoreLooksBeforeItCopies"), "with the right file the same command works"),
    Attack(
        "hurry", "G12", "Ctrl-C, Enter twice, a wrong word and a paste at each question of seven commands, and before it; wrong secret, wrong home",
        Tests("HurryTests|EarlierSecretTests"), "the right answers do what is asked"),
    Attack(
        "without-proc", "G20", "each role of both executables, by its command and by a name of its own, where /proc is hidden",
        Tests("WithoutProc"), "a wrong option is an error of each; a program of run has its own arguments"),
]

NOT_APPLICABLE = []
