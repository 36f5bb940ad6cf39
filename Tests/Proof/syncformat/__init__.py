"""A second reader of sync, written from Docs/Sync.md alone: each module names its sections.

It shares the primitives of `vaultformat`, as the page does those of Format.md. Nothing here is from the product.
"""
