"""The vault format, a second time: written from Docs/Format.md alone, with PyNaCl, SQLite and nothing of the Swift code.

Read it in this order: encoding, primitives, padding, passphrase, recovery_code, hmac_secret, header, keys, items, history,
records, rollback_record, vault, then file (SQLite), draft (which writes a vault), task_text, files, read_log, backup. Each module is one section of the page.
"""
