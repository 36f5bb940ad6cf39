"""Vectors of unlocking: the commitment, the pair, the proof and the box of a slot, and the wrapped keys (sections 3 and 4)."""

from collision import two_key_blob
from header_vectors import another_vault
from opening_vectors import LONGEST_KEY
from writer import (
    PASSKEY, PASSPHRASE, RECOVERY, Vault, counted, flipped, get_slot, hash_, key_record, public_key, recovery_text, seal, seal_to, set_slot, slots_of,
    sodium, u32, u8, vector, with_slots, wrapped_parts)


# === Unlocking =======================================================================================================

@vector("wrong_passphrase", "Another passphrase.")
def wrong_passphrase(v):
    v.passphrase(b"the passphrase")
    v.type(b"The passphrase")


@vector("wrong_passphrase", "Another passphrase, at the floor of Argon2id.")
def wrong_passphrase_at_floor(v):
    v.passphrase(b"the passphrase", passes=2, memory=19_456)
    v.type(b"the passphrase ")


@vector("wrong_passphrase", "A ligature, which only compatibility normalisation would take apart.")
def passphrase_compatibility_form(v):
    v.passphrase(b"fine")
    v.type("\ufb01ne".encode())


@vector("wrong_passphrase", "A passphrase for a vault that has only a recovery slot.")
def passphrase_without_passphrase_slot(v):
    v.type(b"the passphrase")


@vector("wrong_recovery_code", "The recovery code of a vault that has only a passphrase slot.")
def recovery_code_without_recovery_slot(v):
    unlock = v.unlock
    v.passphrase(b"the passphrase")
    v.unlock = unlock


@vector("wrong_passphrase", "The characters of the recovery code as a passphrase.")
def recovery_code_as_passphrase(v):
    v.vault.slots.append(v.vault.passphrase_slot(b"the passphrase"))
    v.testing = True
    v.type(recovery_text(v.code).encode())


@vector("wrong_recovery_code", "A well-formed code of no slot.")
def wrong_recovery_code(v):
    v.unlock = "recovery " + recovery_text(v.source(32))


@vector("wrong_key", "The authenticator gives another output.")
def wrong_key(v):
    input = v.source(32)
    v.vault.slots = [v.vault.key_slot(v.source(32), input)]
    v.touch(v.source(32), input)


@vector("wrong_key", "A security key for a vault that has only a recovery slot.")
def key_without_key_slot(v):
    v.touch(v.source(32), v.source(32))


@vector("wrong_key", "A security key whose output is the code of the recovery slot.")
def key_with_recovery_code(v):
    v.touch(v.code, v.source(32))


@vector("wrong_recovery_code", "A recovery code that is the output of the security key, for a vault that has only this.")
def recovery_code_with_output(v):
    v.vault.slots = [v.vault.key_slot(v.code)]


def key_record_changed(name, words, /, **changed):
    """What an attacker changes in the record of a finished slot, with the checksum made to fit."""
    @vector("wrong_key", f"The {words} in the record was changed; the checksum fits.", "key_record_" + name)
    def prepare(v):
        output, input = v.source(32), v.source(32)
        v.vault.slots = [v.vault.key_slot(output, input)]
        v.touch(output, input)
        v.build()
        v.header = set_slot(v.header, 0, "record", counted(key_record(**dict(input=input) | changed)))


key_record_changed("transport_changed", "transport", transport=PASSKEY)
key_record_changed("synchronised_changed", "flag of a synchronised credential", synchronised=1)
key_record_changed("input_changed", "input", input=bytes(32))
key_record_changed("credential_changed", "credential id", credential=b"another one")
key_record_changed("public_key_changed", "public key", key=LONGEST_KEY)
key_record_changed("name_changed", "name", name=b"Security kez")


@vector("wrong_recovery_code", "A slot of kind 3 was turned into a recovery slot without a record; the checksum fits.")
def key_slot_as_recovery_slot(v):
    v.vault.slots = [v.vault.key_slot(v.code)]
    v.build()
    v.header = set_slot(set_slot(v.header, 0, "kind", u8(RECOVERY)), 0, "record", counted(b""))


@vector("wrong_recovery_code", "The slot of another vault with its checksum made to fit: its code is bound to the vault id.")
def slot_of_another_vault_refitted(v):
    other = another_vault(lambda other: other.new_slot(v.code))
    v.build()
    v.header = set_slot(with_slots(v.header, slots_of(other.header())), 0, "kind", u8(RECOVERY))


@vector("wrong_passphrase", "The passphrase slot of another vault with its checksum made to fit: the commitment holds the vault id.")
def passphrase_slot_of_another_vault_refitted(v):
    v.passphrase(b"the passphrase")
    other = another_vault(lambda other: other.passphrase_slot(b"the passphrase"))
    v.build()
    v.header = set_slot(with_slots(v.header, slots_of(other.header())), 0, "kind", u8(PASSPHRASE))


def turned_kdf(name, comment, old, new, testing=False):
    """Parameters that an attacker changed in a finished slot, with the checksum made to fit."""
    @vector("wrong_passphrase", comment, name)
    def prepare(v):
        v.passphrase(b"the passphrase", passes=old[0], memory=old[1])
        v.build()
        v.header = set_slot(set_slot(v.header, 0, "passes", u32(new[0])), 0, "memory", u32(new[1]))
        v.testing = testing


turned_kdf("slot_argon2_passes_lowered", "3 passes were lowered to 2, which is still allowed.", (3, 19_456), (2, 19_456))
turned_kdf("slot_argon2_memory_lowered", "24 MiB were lowered to 19 MiB, which is still allowed.", (2, 24_576), (2, 19_456))
turned_kdf("slot_argon2_passes_raised", "1 pass was raised to 2.", (1, 8), (2, 8), testing=True)
turned_kdf("slot_argon2_memory_raised", "8 KiB were raised to 9 KiB, which Argon2id rounds down to 8.", (1, 8), (1, 9), testing=True)


def refitted(name, expect, comment, field, edit, passphrase=False):
    """One field of the finished slot changed, with the checksum made to fit."""
    @vector(expect, comment, name)
    def prepare(v):
        if passphrase:
            v.passphrase(b"the passphrase")
        v.build()
        v.header = set_slot(v.header, 0, field, edit(get_slot(v.header, 0, field)))


refitted("slot_commitment_changed", "wrong_recovery_code", "Another commitment; the checksum fits.",
         "commitment", lambda data: flipped(data, 31, 128))
refitted("slot_commitment_zero", "wrong_passphrase", "A commitment of zeros; the checksum fits.",
         "commitment", lambda data: bytes(32), passphrase=True)
refitted("slot_salt_changed", "wrong_passphrase", "Another salt; the checksum fits.", "salt", lambda data: flipped(data, 0),
         passphrase=True)
refitted("slot_id_changed", "wrong_recovery_code", "Another slot id; the checksum fits.", "id", lambda data: flipped(data, 0))
refitted("slot_id_changed_passphrase", "wrong_passphrase", "Another slot id in a passphrase slot; the checksum fits.",
         "id", lambda data: flipped(data, 15), passphrase=True)
refitted("slot_public_key_exchanged", "wrong_recovery_code", "The public key is one of the attacker; the checksum fits.",
         "public", lambda data: public_key(bytes(32)))
refitted("slot_public_key_exchanged_passphrase", "wrong_passphrase", "The public key is one of the attacker; the checksum fits.",
         "public", lambda data: public_key(bytes(32)), passphrase=True)
refitted("slot_public_key_zero", "wrong_recovery_code", "A public key of zeros; the checksum fits.", "public", lambda data: bytes(32))


@vector("wrong_key", "The public key of a slot of kind 3 is one of the attacker; the checksum fits.")
def slot_public_key_exchanged_key(v):
    v.key()
    v.build()
    v.header = set_slot(v.header, 0, "public", public_key(bytes(32)))


@vector("wrong_recovery_code", "The commitment is made without the public key, as in format 1.")
def slot_commitment_without_public_key(v):
    slot = v.vault.slots[0]
    slot.commitment = hash_(32, slot.key(v.vault.id)[32:], slot.prefix(v.vault.id))


# --- The pair of a slot.

refitted("slot_pair_damaged", "slot_pair", "One bit of the sealed pair is changed; the checksum fits.",
         "sealed", lambda data: flipped(data, 30))
refitted("slot_pair_key_damaged", "slot_pair", "One bit of the sealed authentication key in the pair is changed; the checksum fits.",
         "sealed", lambda data: flipped(data, 24 + 32))
refitted("slot_pair_nonce_changed", "slot_pair", "Another nonce of the sealed pair; the checksum fits.",
         "sealed", lambda data: flipped(data, 0))
refitted("slot_pair_tag_changed", "slot_pair", "Another tag of the sealed pair; the checksum fits.",
         "sealed", lambda data: flipped(data, 103, 128), passphrase=True)


@vector("slot_pair", "One bit of the sealed pair in a slot of kind 3 is changed; the checksum fits.")
def slot_pair_damaged_key(v):
    v.key()
    v.build()
    v.header = set_slot(v.header, 0, "sealed", flipped(get_slot(v.header, 0, "sealed"), 30))


@vector("slot_pair", "The sealed pairs of two slots are exchanged; the checksums fit.")
def slot_pairs_exchanged(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    first, second = (get_slot(v.header, i, "sealed") for i in range(2))
    v.header = set_slot(set_slot(v.header, 0, "sealed", second), 1, "sealed", first)


@vector("slot_pair", "Two slots have one recovery code; the pair of the first one is damaged, the second one is not tried.")
def slot_first_with_commitment_decides(v):
    v.vault.slots.append(v.vault.new_slot(v.code))
    v.build()
    v.header = set_slot(v.header, 0, "sealed", flipped(get_slot(v.header, 0, "sealed"), 30))
    v.reseal_state()


def misplaced_pair(name, comment, **wrong):
    @vector("slot_pair", comment, "slot_pair_" + name)
    def prepare(v):
        slot = v.vault.slots[0]
        slot.sealed = seal(v.source, slot.key(v.vault.id)[:32], slot.secret_key + slot.authentication_key,
                           slot.pair_context(v.vault.id, **wrong))


misplaced_pair("for_another_slot", "The pair is sealed for another slot id.", id=bytes(16))
misplaced_pair("for_another_vault", "The pair is sealed for another vault id.", vault_id=bytes(16))
misplaced_pair("for_another_purpose", "The pair is sealed for purpose 7.", purpose=7)
misplaced_pair("for_an_epoch", "The pair is sealed for key epoch 1 in the place of 0: a rekey could not keep it.", revision=1)
misplaced_pair("for_format_1", "The pair is sealed for record format 1.", format=1)


def faulty_pair(name, comment, make):
    """A pair that opens, made by a holder of the slot's secret; the commitment fits, proof and box do too where they can."""
    @vector("slot_pair", comment, "slot_pair_" + name)
    def prepare(v):
        slot = v.vault.slots[0]
        pair, slot.public, slot.box = make(v, slot)
        slot.sealed = seal(v.source, slot.key(v.vault.id)[:32], pair, slot.pair_context(v.vault.id))


def other_public_key(v, slot):
    return slot.secret_key + slot.authentication_key, public_key(v.source(32)), None


def exchanged_halves(v, slot):
    return slot.authentication_key + slot.secret_key, None, None


def high_bit(v, slot):
    public = flipped(slot.public_key(), 31, 128)
    return slot.secret_key + slot.authentication_key, public, seal_to(v.source, public, v.vault.root)


faulty_pair("of_another_public_key", "The public key is another one; the commitment fits.", other_public_key)
faulty_pair("halves_exchanged", "The authentication key stands before the secret key in the pair.", exchanged_halves)
faulty_pair("public_key_high_bit", "Bit 255 of the public key, which X25519 passes over, is 1; the commitment fits.", high_bit)

# Points of low order, with which every secret key gives zeros.
LOW_ORDER = {
    "zero": bytes(32), "one": u8(1) + bytes(31),
    "order_8": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "p": (2**255 - 19).to_bytes(32, "little")}
# HSalsa20 of zeros: the key of `crypto_box` if X25519 gives zeros.
LOW_ORDER_KEY = bytes.fromhex("351f86faa3b988468a850122b65b0acece9c4826806aeee63de9c0da2bd7f91e")


def low_order_box(once, public, plaintext):
    """A box that opens only if a reader takes a shared secret of zeros."""
    return once + sodium.crypto_box_afternm(plaintext, hash_(24, b"", once, public), LOW_ORDER_KEY)


def low_order(name, point):
    faulty_pair("public_key_low_order_" + name, "A public key of low order; the commitment fits.",
                lambda v, slot: (slot.secret_key + slot.authentication_key, point, low_order_box(public_key(v.source(32)), point, v.vault.root)))

    @vector("slot_box", "The box was made with a public key of low order; the proof fits.", "slot_box_low_order_" + name)
    def prepare(v):
        slot = v.vault.slots[0]
        slot.box = low_order_box(point, slot.public_key(), v.vault.root)

    @vector("backup_key", "The public key for backups is of low order.", "backup_public_key_low_order_" + name)
    def prepare_backup(v):
        v.build()
        start, keys = wrapped_parts(v.header)
        v.header = start + b"".join(keys[:3]) + point + keys[4]
        v.reseal_state()


for name, point in LOW_ORDER.items():
    low_order(name, point)


# --- The proof of a slot.

@vector("slot_proof", "The key epoch in the header is another one than that of the proof.")
def key_epoch_changed(v):
    v.build()
    v.header = v.header[:24] + u32(2) + v.header[28:]


refitted("slot_proof_damaged", "slot_proof", "One bit of the proof is changed; the checksum fits.", "proof", lambda data: flipped(data, 31, 128))
refitted("slot_proof_zero", "slot_proof", "A proof of zeros; the checksum fits.", "proof", lambda data: bytes(32), passphrase=True)
refitted("slot_box_damaged", "slot_proof", "One bit of the box is changed; the checksum fits.", "box", lambda data: flipped(data, 40))


def forged(name, comment, kind="recovery"):
    """A whole vault of an attacker who knows the public key of a slot and not its authentication key. It would open."""
    def register(forge):
        @vector("slot_proof", comment, "slot_box_forged_" + name)
        def prepare(v):
            v.testing = kind == "passphrase"
            if kind == "key":
                v.key()
            elif kind == "passphrase":
                v.passphrase(b"the passphrase")
            v.three_items()
            slot = v.vault.slots[0]
            old = v.vault.header()
            v.vault.root = v.source(32)
            own = v.source(32)
            slot.sealed_key = v.vault.seal_slot_key(slot, own)
            slot.box = seal_to(v.source, slot.public_key(), v.vault.root)
            slot.proof = forge(v, slot, own, old)
    return register


def own_proof(v, slot, own, old):
    return slot.make_proof(v.vault.id, v.vault.epoch, slot.box, own)


forged("with_own_key", "A root key of an attacker is in the box; the proof is made with a key of the attacker.")(own_proof)
forged("of_passphrase_slot", "A root key of an attacker is in the box of a passphrase slot; the proof is made with a key of the attacker.",
       "passphrase")(own_proof)
forged("of_security_key", "A root key of an attacker is in the box of a slot of kind 3; the proof is made with a key of the attacker.",
       "key")(own_proof)


@forged("with_old_proof", "A root key of an attacker is in the box; the proof is that of the old box.")
def old_proof(v, slot, own, old):
    return get_slot(old, 0, "proof")


@forged("without_key", "A root key of an attacker is in the box; the proof is made without a key.")
def proof_without_key(v, slot, own, old):
    return slot.make_proof(v.vault.id, v.vault.epoch, slot.box, b"")


@forged("with_root_key", "A root key of an attacker is in the box; the proof is made with this root key.")
def proof_with_root_key(v, slot, own, old):
    return slot.make_proof(v.vault.id, v.vault.epoch, slot.box, v.vault.root)


@forged("with_public_key", "A root key of an attacker is in the box; the proof is made with the public key.")
def proof_with_public_key(v, slot, own, old):
    return slot.make_proof(v.vault.id, v.vault.epoch, slot.box, slot.public_key())


@vector("slot_proof", "The box of another slot and its proof are in the place of those of the used slot; the checksum fits.")
def slot_box_of_another_slot(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    for name in ("box", "proof"):
        v.header = set_slot(v.header, 0, name, get_slot(v.header, 1, name))
    v.reseal_state()


@vector("slot_proof", "Two slots have one pair; box and proof of the second one are in the first one.")
def slot_proof_of_another_slot(v):
    first = v.vault.slots[0]
    second = v.vault.new_slot(v.source(32))
    second.secret_key, second.authentication_key = first.secret_key, first.authentication_key
    v.vault.slots.append(second)
    first.box = seal_to(v.source, first.public_key(), v.vault.root)
    first.proof = second.make_proof(v.vault.id, v.vault.epoch, first.box)


def misplaced_proof(name, comment, **wrong):
    """The box is right, and the proof is that of it elsewhere."""
    @vector("slot_proof", comment, "slot_proof_" + name)
    def prepare(v):
        v.vault.epoch = 2
        slot = v.vault.slots[0]
        slot.box = seal_to(v.source, slot.public_key(), v.vault.root)
        slot.proof = slot.make_proof(**dict(vault_id=v.vault.id, epoch=2, box=slot.box) | wrong)


misplaced_proof("of_an_older_epoch", "The proof is that of key epoch 1 in a header of epoch 2.", epoch=1)
misplaced_proof("of_the_next_epoch", "The proof is that of key epoch 3 in a header of epoch 2.", epoch=3)
misplaced_proof("of_another_vault", "The proof is that of the same slot in another vault.", vault_id=bytes(16))
misplaced_proof("without_box", "The proof does not include the box.", box=b"")


@vector("slot_proof", "A proof that does not include the public key.")
def slot_proof_without_public_key(v):
    slot = v.vault.slots[0]
    slot.box = seal_to(v.source, slot.public_key(), v.vault.root)
    slot.proof = hash_(32, slot.authentication_key, b"TVSP", u32(1), slot.prefix(v.vault.id), slot.box)


@vector("slot_proof", "A header of key epoch 2 whose slot is that of epoch 1.")
def rekeyed_slot_left_behind(v):
    old = v.vault.header()
    v.vault.rekey()
    v.build()
    v.header = with_slots(v.header, slots_of(old))
    v.reseal_state()


@vector("slot_proof", "A header of key epoch 2 whose slot has the box of epoch 1, and the proof of the new one.")
def rekeyed_box_left_behind(v):
    old = v.vault.header()
    v.vault.rekey()
    v.build()
    v.header = set_slot(v.header, 0, "box", get_slot(old, 0, "box"))
    v.reseal_state()


@vector("wrong_passphrase", "The passphrase of a slot that a rekey removed.")
def rekeyed_slot_removed(v):
    v.vault.slots.append(v.vault.passphrase_slot(b"the passphrase"))
    v.vault.header()
    v.vault.slots.pop()
    v.vault.rekey()
    v.type(b"the passphrase")


# --- The box of a slot.

def faulty_box(name, comment, make):
    """Made by a holder of the authentication key, whose proof fits."""
    @vector("slot_box", comment, "slot_box_" + name)
    def prepare(v):
        slot = v.vault.slots[0]
        slot.box = make(v, slot)


def right_box(v, slot):
    return seal_to(v.source, slot.public_key(), v.vault.root)


faulty_box("key_damaged", "One bit of the public key in the box is changed; the proof fits.", lambda v, slot: flipped(right_box(v, slot), 0))
faulty_box("tag_damaged", "One bit of the tag in the box is changed; the proof fits.", lambda v, slot: flipped(right_box(v, slot), 32))
faulty_box("text_damaged", "One bit of the text in the box is changed; the proof fits.", lambda v, slot: flipped(right_box(v, slot), 79, 128))
faulty_box("to_another_key", "The box is sealed to another public key; the proof fits.",
           lambda v, slot: seal_to(v.source, public_key(v.source(32)), v.vault.root))
faulty_box("zero", "A box of zeros; the proof fits.", lambda v, slot: bytes(80))


@vector("slot_box", "The nonce of the box is zero in the place of the hash of both public keys; the proof fits.")
def slot_box_nonce_zero(v):
    slot = v.vault.slots[0]
    secret = v.source(32)
    slot.box = public_key(secret) + sodium.crypto_box(v.vault.root, bytes(24), slot.public_key(), secret)


def collision(v, make_slots):
    """Two secrets whose keys both open the sealed pair; the commitment is that of the first."""
    first, second = make_slots
    keys = [slot.key(v.vault.id)[:32] for slot in make_slots]
    associated = first.pair_context(v.vault.id)
    blob, pair = two_key_blob(*keys, v.source(24), associated, v.source)
    first.secret_key, first.authentication_key = pair[:32], pair[32:]
    for key in keys:  # the attack works
        sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(blob[24:], associated, blob[:24], key)
    first.sealed = blob
    v.vault.slots = [first]
    v.vault.add(b"service", b"account")


def collision_passphrases(v):
    v.testing = True
    first = v.vault.passphrase_slot(b"alpha")
    second = v.vault.passphrase_slot(b"bravo")
    second.id, second.salt = first.id, first.salt
    collision(v, (first, second))


@vector("opens", "The sealed pair opens under two passphrases; the one of the commitment unlocks.")
def slot_two_key_collision_committed(v):
    collision_passphrases(v)
    v.type(b"alpha")


@vector("wrong_passphrase", "The sealed pair opens under two passphrases; the one without the commitment is refused.")
def slot_two_key_collision_not_committed(v):
    collision_passphrases(v)
    v.type(b"bravo")


@vector("wrong_recovery_code", "The sealed pair opens under two recovery codes; the one without the commitment is refused.")
def slot_two_key_collision_recovery(v):
    first = v.vault.slots[0]
    code = v.source(32)
    second = v.vault.new_slot(code)
    second.id, second.salt = first.id, first.salt
    collision(v, (first, second))
    v.unlock = "recovery " + recovery_text(code)


# --- The wrapped keys, and the public key for backups.

def wrapped(name, comment, edit, before=lambda v: None):
    @vector("wrapped_key_seal", comment, name)
    def prepare(v):
        before(v)
        v.build()
        start, keys = wrapped_parts(v.header)
        v.header = start + b"".join(edit(v, keys))
        v.reseal_state()


def put_keys(**changed):
    """Keys by place: 0 attributes, 1 and 2 values, 3 the public key for backups, 4 the secret one."""
    return lambda v, k: [changed.get(f"k{i}", lambda keys, i=i: keys[i])(k) for i in range(5)]


wrapped("attribute_key_damaged", "One bit of the sealed attribute key is changed.", put_keys(k0=lambda k: flipped(k[0], 40)))
wrapped("value_key_1_damaged", "One bit of the sealed value key of class 1 is changed.", put_keys(k1=lambda k: flipped(k[1], 0)))
wrapped("value_key_2_damaged", "One bit of the sealed value key of class 2 is changed.", put_keys(k2=lambda k: flipped(k[2], 71)))
wrapped("backup_secret_damaged", "One bit of the sealed secret key for backups is changed.", put_keys(k4=lambda k: flipped(k[4], 71)))
wrapped("value_keys_exchanged", "The value keys of the two classes are exchanged.", put_keys(k1=lambda k: k[2], k2=lambda k: k[1]))
wrapped("attribute_key_and_value_key_exchanged", "The attribute key and the value key of class 1 are exchanged.",
        put_keys(k0=lambda k: k[1], k1=lambda k: k[0]))
wrapped("attribute_key_and_backup_secret_exchanged", "The attribute key and the secret key for backups are exchanged.",
        put_keys(k0=lambda k: k[4], k4=lambda k: k[0]))
wrapped("value_key_1_twice", "The value key of class 1 is also in the place of that of class 2.", put_keys(k2=lambda k: k[1]))
wrapped("wrapped_key_before_backup_key", "The public key for backups is another one too, but the sealed keys come first.",
        put_keys(k2=lambda k: flipped(k[2], 0), k3=lambda k: bytes(32)))


def backup_key(name, comment, edit):
    @vector("backup_key", comment, "backup_" + name)
    def prepare(v):
        v.build()
        start, keys = wrapped_parts(v.header)
        v.header = start + b"".join(edit(v, keys))
        v.reseal_state()


backup_key("public_key_damaged", "One bit of the public key for backups is changed.", put_keys(k3=lambda k: flipped(k[3], 0)))
backup_key("public_key_high_bit", "Bit 255 of the public key for backups, which X25519 passes over, is 1.",
           put_keys(k3=lambda k: flipped(k[3], 31, 128)))
backup_key("public_key_exchanged", "The public key for backups is one of the attacker.", put_keys(k3=lambda k: public_key(bytes(32))))


@vector("backup_key", "The public key for backups is that of the epoch before.")
def backup_public_key_of_an_older_epoch(v):
    _, old = wrapped_parts(v.vault.header())
    v.vault.rekey()
    v.build()
    start, keys = wrapped_parts(v.header)
    v.header = start + b"".join(put_keys(k3=lambda k: old[3])(v, keys))
    v.reseal_state()


def of_another_vault(v, keys):
    other = Vault("the other vault")
    return other.wrapped_keys()


def of_an_older_epoch(v, keys):
    v.vault.epoch = 1
    return v.vault.wrapped_keys()


def epoch_2(v):
    v.vault.epoch = 2


wrapped("wrapped_keys_of_another_vault", "The wrapped keys of another vault.", of_another_vault)
wrapped("wrapped_keys_of_an_older_epoch", "The wrapped keys of key epoch 1 in a header of epoch 2.", of_an_older_epoch, epoch_2)


@vector("wrapped_key_seal", "Two vaults have one root key and exchanged wrapped keys: the vault id is bound.")
def wrapped_keys_of_a_copy(v):
    copy = Vault("the other vault")
    copy.root = v.vault.root
    v.build()
    v.header = wrapped_parts(v.header)[0] + b"".join(copy.wrapped_keys())
    v.reseal_state()
