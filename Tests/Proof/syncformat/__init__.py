"""A second reader of sync, written from Docs/Sync.md: each module names its sections. What that page did not say is on it now.

It shares the primitives of `vaultformat`, as the page does those of Format.md.
"""
