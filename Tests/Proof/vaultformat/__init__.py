"""The vault format, a second time: written from Docs/Format.md alone, with PyNaCl, SQLite and nothing of the Swift code.

Read it in this order: encoding, primitives, padding, passphrase, recovery_code, header, keys, items, records, vault, then
file (SQLite), mark, draft (which writes a vault), words. Each module is one section of the page.
"""
