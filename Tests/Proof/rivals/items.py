"""The items that every tool keeps: a service of 20 bytes, an account of 10 and a password of 16, as in Docs/Performance.md."""

import hashlib

PASSPHRASES = ("four words nobody guesses", "five words nobody ever guesses")


def service(number):
    return f"service-{number:08}.org"


def account(number):
    return f"account-{number % 100:02}"


def value(number):
    return hashlib.blake2b(str(number).encode(), digest_size=8).hexdigest()


def names(count):
    return {(service(number), account(number)) for number in range(count)}
