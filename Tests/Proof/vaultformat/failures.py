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
    "not_found": 5,
}
