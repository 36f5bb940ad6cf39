"""Associated data of purposes 12 to 15: that of Format.md, section 1, with what sync adds to it."""

from vaultformat.primitives import Context


def Bound(purpose, group, id, level=0, number=0, tail=b""):
    return Context(purpose, group, id=id, item_class=level, revision=number, header_hash=tail)
