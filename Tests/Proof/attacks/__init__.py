"""The checklist: each row, what it is about, and the attacks that try it."""

from attacks import agent, cryptography, durability, neighbours, program, promises, server, terminal

SECTIONS = {
    "P": "Promises",
    "A": "Cryptography and file format",
    "B": "Durability and faults",
    "C": "Agent and memory",
    "D": "Command line, terminal, files",
    "E": "Auth server and client",
    "F": "The program as a whole",
    "G": "Neighbours",
}

ROWS = {}
ATTACKS = []
NOT_APPLICABLE = []
for section in (promises, cryptography, durability, agent, terminal, server, program, neighbours):
    ROWS |= section.ROWS
    ATTACKS += section.ATTACKS
    NOT_APPLICABLE += section.NOT_APPLICABLE
