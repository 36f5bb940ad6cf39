"""Mistakes that a writer could make, and the failure that each must give."""

from vaultformat.passphrase import Passphrase

SECRET = Passphrase("a passphrase e\u0301".encode())
"""Of the vaults with mistakes; not in its normal form."""


class Mistakes(list):
    """Functions that make a mistake, with the name of its failure."""

    def named(self, failure: str):
        def remember(function):
            self.append((failure, function))
            return function

        return remember
