"""Section 10: each damage has one name, and each name an exit code (Docs/CommandLine.md)."""


class Failure(Exception):
    """A vault, or what should open it, is refused."""

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name

    @property
    def exit_code(self) -> int:
        return EXIT_CODES.get(self.name, DAMAGED)


DAMAGED = 7

EXIT_CODES = {
    "wrong_passphrase": 4,
    "wrong_recovery_code": 4,
    "wrong_key": 4,
    "recovery_code_malformed": 4,
    "recovery_code_check": 4,
    "passphrase_length": 4,  # no vault has such a passphrase, so to the command line it is a wrong one
    "passphrase_encoding": 8,
    "not_found": 5,
    "no_vault": 5,
}
