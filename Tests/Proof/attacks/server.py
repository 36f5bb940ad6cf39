"""E: the auth server, its clients, and the web app that is not there yet."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "E1": "guessing online",
    "E2": "limits avoided by spelling, or turned on the owner",
    "E3": "who has an account",
    "E4": "the stored hash",
    "E5": "derivations as a flood",
    "E6": "odd, deep, huge, wrong content",
    "E7": "slow clients",
    "E8": "odd framing",
    "E9": "tokens taken from the database",
    "E10": "tokens fixed, replayed, expired, outlived",
    "E11": "cookies and fields of answers",
    "E12": "requests from other sites",
    "E13": "names of other hosts for loopback",
    "E14": "a port taken before the server",
    "E15": "other users of the machine",
    "E16": "markup in stored fields",
    "E17": "paths, methods, redirects",
    "E18": "what listens",
    "E19": "TLS",
    "E20": "a server that lies to its client",
    "E21": "OPAQUE",
}

ATTACKS = []

NOT_APPLICABLE = [
    NotApplicable("E12 E13 E14 E16", "there is no web app; the auth server takes no cookie and answers in JSON only"),
    NotApplicable("E21", "passwords are checked over TLS; OPAQUE is not used"),
]
