"""One XChaCha20-Poly1305 blob that opens under two keys (Len, Grubbs, Ristenpart 2021), for a 64-byte plaintext.

The primitives are written out because the attack needs the Poly1305 keys, which a sealed interface does not show.
"""

P1305 = 2**130 - 5
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def rounds(state):
    """The twenty rounds of ChaCha20, in place."""
    def quarter(a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) & 0xFFFFFFFF
            mixed = state[z] ^ state[x]
            state[z] = ((mixed << turn) | (mixed >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            quarter(column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            quarter(column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)


def words(data):
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def unwords(values):
    return b"".join(value.to_bytes(4, "little") for value in values)


def stream(key, nonce, count):
    """`count` key stream blocks of XChaCha20; block 0 is the Poly1305 key."""
    constants = words(b"expand 32-byte k")
    state = constants + words(key) + words(nonce[:16])
    rounds(state)
    subkey = state[:4] + state[12:]
    blocks = []
    for counter in range(count):
        start = constants + subkey + [counter, 0] + words(nonce[16:])
        state = list(start)
        rounds(state)
        blocks.append(unwords((a + b) & 0xFFFFFFFF for a, b in zip(state, start)))
    return blocks


def mac_blocks(context, ciphertext):
    """The Poly1305 blocks of the AEAD construction, as numbers with their high bit."""
    pad = lambda data: data + bytes(-len(data) % 16)
    text = pad(context) + pad(ciphertext) + len(context).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
    return [int.from_bytes(text[i:i + 16], "little") + 2**128 for i in range(0, len(text), 16)]


def evaluate(blocks, r):
    total = 0
    for block in blocks:
        total = (total + block) * r % P1305
    return total


def two_key_blob(key_a, key_b, nonce, context, draw):
    """A sealed blob (section 1) that opens under both keys. Returns it and the plaintext under key_a."""
    (block_a, pad_a), (block_b, _) = stream(key_a, nonce, 2), stream(key_b, nonce, 2)
    (r_a, s_a), (r_b, s_b) = [
        (int.from_bytes(b[:16], "little") & CLAMP, int.from_bytes(b[16:32], "little")) for b in (block_a, block_b)]
    inverse = pow(r_a * r_a - r_b * r_b, -1, P1305)
    while True:
        first = draw(48)
        blocks = mac_blocks(context, first + bytes(16))
        blocks[-2] = 0  # the unknown: the last ciphertext block, whose weight is r squared
        rest = evaluate(blocks, r_a) - evaluate(blocks, r_b)
        for carry in range(-4, 5):
            unknown = (s_b - s_a + carry * 2**128 - rest) * inverse % P1305
            if not 2**128 <= unknown < 2**129:
                continue
            ciphertext = first + (unknown - 2**128).to_bytes(16, "little")
            blocks = mac_blocks(context, ciphertext)
            tag_a, tag_b = (evaluate(blocks, r_a) + s_a) % 2**128, (evaluate(blocks, r_b) + s_b) % 2**128
            if tag_a == tag_b:
                plaintext = bytes(c ^ k for c, k in zip(ciphertext, pad_a))
                return nonce + ciphertext + tag_a.to_bytes(16, "little"), plaintext
