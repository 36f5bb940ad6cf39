"""Vectors of the state, the rollback record, the links and the slots before a rekey (sections 4, 6 and 8)."""

from header_vectors import another_vault
from opening_vectors import entry
from unlocking_vectors import LOW_ORDER
from writer import (
    FORMAT, Vault, context, counted, flipped, get_slot, hash_, key_record, pairs, public_key, seal, seal_to, set_slot, slots_of, u32, u64, u8, vector,
    with_slots)


# === The state =======================================================================================================

@vector("state_missing", "There is no state record.")
def state_missing(v):
    v.three_items()
    v.build()
    v.state = None


def state_edit(name, expect, comment, edit):
    @vector(expect, comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        v.state = edit(v.state)


state_edit("state_empty", "state_length", "A state record of no bytes.", lambda s: b"")
state_edit("state_cut", "state_length", "The last byte of the state record is missing.", lambda s: s[:-1])
state_edit("state_trailing", "state_length", "One byte after the state record.", lambda s: s + b"\0")
state_edit("state_format_0", "state_format", "State record format 0.", lambda s: u32(0) + s[4:])
state_edit("state_format_1", "state_format", "State record format 1.", lambda s: u32(1) + s[4:])
state_edit("state_format_3", "state_format", "State record format 3.", lambda s: u32(3) + s[4:])
state_edit("state_nonce_damaged", "state_seal", "One bit of the nonce is changed.", lambda s: flipped(s, 4))
state_edit("state_sum_damaged", "state_seal", "One bit of the sealed sum is changed.", lambda s: flipped(s, 28))
state_edit("state_count_damaged", "state_seal", "A bit of the number of settings is changed in the ciphertext.", lambda s: flipped(s, -17))
state_edit("state_five_more", "state_seal", "Five bytes after the state record, where a setting could be.", lambda s: s + bytes(5))
state_edit("state_1477_bytes", "state_length", "A state record as if it had 256 settings.", lambda s: s.ljust(1477, b"\0"))
state_edit("state_tag_damaged", "state_seal", "One bit of the tag is changed.", lambda s: flipped(s, -1, 128))


@vector("state_seal", "The state of another vault.")
def state_of_another_vault(v):
    other = Vault("the other vault")
    other.slots = [other.new_slot(v.code)]
    v.build()
    v.state = other.state(other.header(), {}, 0)


@vector("state_seal", "The state is sealed without the hash of the header.")
def state_without_header_hash(v):
    v.vault.state_context = lambda header: context(6, v.vault.id)


@vector("state_seal", "The state is sealed for record format 1.")
def state_for_format_1(v):
    v.vault.state_context = lambda header: context(6, v.vault.id, format=1) + hash_(32, b"", header)


@vector("state_seal", "The state is sealed with the context of bucket 0.")
def state_sealed_as_bucket(v):
    v.vault.state_context = lambda header: context(5, v.vault.id)


@vector("state_seal", "The state is sealed under the root key in the place of the state key.")
def state_under_root_key(v):
    v.build()
    text = v.vault.state_text({}, 0)
    v.state = u32(FORMAT) + seal(v.source, v.vault.root, text, v.vault.state_context(v.header))


@vector("state_seal", "A whole header of another vault with the same recovery code.")
def header_of_another_vault(v):
    v.three_items()
    v.build()
    other = Vault("the other vault")
    other.slots = [other.new_slot(v.code)]
    v.header = other.header()


@vector("state_seal", "After a change of the passphrase the old slot was put in the place of the new one.")
def old_slot_put_back(v):
    v.passphrase(b"old passphrase")
    old = v.vault.header()
    v.vault.slots = [v.vault.passphrase_slot(b"new passphrase")]
    v.build()
    v.header = with_slots(v.header, slots_of(old))


@vector("state_seal", "A removed slot was added again beside the others.")
def old_slot_added_again(v):
    old = v.vault.header()
    v.vault.slots = [v.vault.new_slot(v.source(32))]
    v.build()
    v.header = with_slots(v.header, slots_of(v.header) + slots_of(old))


@vector("state_seal", "The whole header before a change of the passphrase.")
def old_header_put_back(v):
    v.passphrase(b"old passphrase")
    old = v.vault.header()
    v.vault.slots = [v.vault.passphrase_slot(b"new passphrase")]
    v.build()
    v.header = old


@vector("state_seal", "The whole header of an older key epoch, with its old root key.")
def old_key_epoch_put_back(v):
    old = v.vault.header()
    v.vault.rekey()
    v.build()
    v.header = old


@vector("state_seal", "The second of two slots was removed.")
def slot_removed(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    v.header = with_slots(v.header, slots_of(v.header)[:1])


@vector("state_seal", "Two slots changed places.")
def slots_exchanged(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    v.header = with_slots(v.header, slots_of(v.header)[::-1])


@vector("state_seal", "A second slot with cheaper parameters, whose secret nobody here types, was changed; the first unlocks.")
def slot_not_used_lowered(v):
    v.vault.slots.append(v.vault.passphrase_slot(None, 3, 65_536))
    v.build()
    v.header = set_slot(v.header, 1, "passes", u32(2))


@vector("state_seal", "The record of a slot of kind 3 that is not used was changed; the other slot unlocks.")
def slot_not_used_record_changed(v):
    v.vault.slots.append(v.vault.key_slot(None, bytes(32)))
    v.build()
    v.header = set_slot(v.header, 1, "record", counted(key_record(bytes(32), name=b"another name")))


@vector("state_seal", "An attacker added a slot without a root key; a rekey, which would seal the new root key to it, may not begin.")
def slot_added_before_rekey(v):
    added = another_vault(lambda other: other.new_slot(v.source(32)))
    added.id = v.vault.id
    v.build()
    v.header = with_slots(v.header, slots_of(v.header) + slots_of(added.header()))
    v.do = "rekey"


def state_content(name, comment, **values):
    @vector("state_content", comment, "state_" + name)
    def prepare(v):
        for key, value in values.items():
            setattr(v.vault.settings, key, value)


def encoded_settings(name, comment, *bytes_):
    state_content("settings_" + name, comment, encoded=lambda: b"".join(bytes_))


encoded_settings("unknown", "A setting with the number 12.", pairs([(12, 1)]))
encoded_settings("number_0", "A setting with the number 0.", pairs([(0, 1)]))
encoded_settings("number_most", "A setting with the number 255.", pairs([(255, 1)]))
encoded_settings("twice", "A setting twice.", pairs([(2, 60), (2, 60)]))
encoded_settings("descending", "Settings in descending order.", pairs([(3, 60), (2, 60)]))
encoded_settings("as_created", "A setting with the value that it has at creation.", pairs([(2, 900)]))
encoded_settings("flag_as_created", "A switch with the value that it has at creation.", pairs([(4, 0)]))
encoded_settings("count_too_low", "A setting more than their number says.", u8(1), pairs([(1, 60), (2, 60)])[1:])
encoded_settings("count_too_high", "A setting less than their number says.", u8(2), pairs([(1, 60)])[1:])
encoded_settings("count_most", "255 settings are announced, and one is there.", u8(255), pairs([(1, 60)])[1:])


for key, words in (("window", "verification window"), ("idle", "idle limit"), ("absolute", "absolute limit")):
    state_content(key + "_0", f"The {words} is 0.", **{key: 0})
    state_content(key + "_86401", f"The {words} is 86,401 seconds.", **{key: 86_401})
state_content("absolute_most", "The absolute limit is 2^32 - 1 seconds.", absolute=2**32 - 1)
for key, words in (("locked", "Locked memory"), ("record", "A rollback record"), ("finger", "A finger")):
    state_content(key + "_2", f"{words} is 2.", **{key: 2})
for key, words in (("theme", "The theme"), ("language", "The language")):
    state_content(key + "_3", f"{words} is 3.", **{key: 3})
state_content("locked_most", "Locked memory is 2^32 - 1.", locked=2**32 - 1)
state_content("counter_0", "The counter is 0.", counter=0)
state_content("counter_2_63", "The counter is 2^63.", counter=2**63)
state_content("counter_most", "The counter is 2^64 - 1.", counter=2**64 - 1)
state_content("earlier_values_101", "101 earlier values.", earlier_values=101)
state_content("earlier_values_most", "2^32 - 1 earlier values.", earlier_values=2**32 - 1)
state_content("earlier_days_0", "Earlier values stay 0 days.", earlier_days=0)
state_content("earlier_days_3651", "Earlier values stay 3,651 days.", earlier_days=3651)
state_content("removed_days_3651", "Removed items stay 3,651 days.", removed_days=3651)
state_content("removed_days_most", "Removed items stay 2^32 - 1 days.", removed_days=2**32 - 1)
state_content("restored_from_alone", "The state has the time of a restored backup and no commit that restored it.", restored_from=1)
state_content("restored_at_alone", "The state has a commit that restored a backup and no time of it.", restored_at=1)
state_content("restored_at_over_counter", "The backup was restored in the commit after this one.", counter=5, restored_from=1, restored_at=6)


# === The rollback record =============================================================================================

def rollback_record(name, expect, comment, make, counter=5):
    @vector(expect, comment, "rollback_record_" + name)
    def prepare(v):
        v.vault.settings.counter = counter
        v.vault.add(b"service", b"account")
        v.build()
        v.rollback_record = make(v)


def slots(*makers):
    """Makes a record of these slots, `None` stands for one that was never written."""
    return lambda v: b"".join(bytes(512) if make is None else make(v) for make in makers)


def slot(state=None, **fields):
    """One slot; without a state it is that of the vector."""
    return lambda v: v.vault.rollback_slot(v.state if state is None else state, **fields)


def edited(make, edit):
    return lambda v: edit(make(v))


rollback_record("of_this_state", "opens", "The record is of this very state.", slots(slot(), None))
rollback_record("of_an_older_state", "opens", "The record has a lower counter, and the link leads from it.", slots(slot(b"older", counter=4), None))
rollback_record("counter_high_byte", "opens", "The counters differ in bytes that a comparison from the wrong end would mistake.",
     slots(slot(b"older", counter=255), None), counter=256)
rollback_record("empty", "opens", "A record of no bytes is none.", lambda v: b"")
rollback_record("one_slot", "opens", "A record with one slot and without a second one.", slots(slot()))
rollback_record("second_slot", "opens", "Only the second slot was written.", slots(None, slot()))
rollback_record("second_slot_newer", "opens", "The second slot has the higher sequence; the first one is of a newer state.",
     slots(slot(b"newer", counter=6, sequence=1), slot(sequence=2)))
rollback_record("first_slot_newer", "opens", "The first slot has the higher sequence; the second one is of a newer state.",
     slots(slot(sequence=2), slot(b"newer", counter=6, sequence=1)))
rollback_record("sequence_high_byte", "opens", "The sequences differ in bytes that a comparison from the wrong end would mistake.",
     slots(slot(b"newer", counter=6, sequence=255), slot(sequence=256)))
rollback_record("sequence_most", "opens", "The sequence of the second slot is 2^64 - 1.",
     slots(slot(b"newer", counter=6, sequence=2**63), slot(sequence=2**64 - 1)))
rollback_record("slots_of_one_sequence", "opens", "Two valid slots with one sequence: the first one counts.",
     slots(slot(), slot(b"newer", counter=6)))
rollback_record("slots_of_one_sequence_newer", "rolled_back", "Two valid slots with one sequence, the first one of a newer state.",
     slots(slot(b"newer", counter=6), slot()))
rollback_record("newer_slot_torn", "opens", "The slot with the higher sequence was written in part, so the other one counts.",
     slots(slot(), edited(slot(b"newer", counter=6, sequence=2), lambda s: s[:100] + bytes(412))))
rollback_record("newer_slot_incomplete", "opens", "The slot with the higher sequence has 511 bytes, so the other one counts.",
     edited(slots(slot(), slot(b"newer", counter=6, sequence=2)), lambda m: m[:-1]))
rollback_record("newer_slot_with_filler", "opens", "The slot with the higher sequence has a byte after its checksum, so the other one counts.",
     slots(slot(), edited(slot(b"newer", counter=6, sequence=2), lambda s: flipped(s, 173))))
rollback_record("newer_slot_of_format_1", "opens", "The slot with the higher sequence has format 1, so the other one counts.",
     slots(slot(), slot(b"newer", counter=6, sequence=2, format=1)))
rollback_record("newer_slot_of_status_3", "opens", "The slot with the higher sequence has status 3, so the other one counts.",
     slots(slot(), slot(b"newer", counter=6, sequence=2, status=3)))
rollback_record("older_slot_of_another_vault", "opens", "The slot with the lower sequence is of another vault.",
     slots(slot(b"other", vault_id=bytes(16)), slot(sequence=2)))
rollback_record("older_slot_retired", "opens", "The slot with the lower sequence is retired.", slots(slot(status=2), slot(sequence=2)))
rollback_record("of_another_backup_key", "opens", "The record has another public key for backups, which only a backup compares.",
     slots(slot(backup=public_key(bytes(32))), None))

rollback_record("of_another_vault", "other_vault", "The record of another vault.", slots(slot(vault_id=bytes(16)), None))
rollback_record("of_another_vault_newer", "other_vault", "The record of another vault with a higher counter.",
     slots(slot(b"newer", vault_id=bytes(16), counter=6), None))
rollback_record("retired", "other_vault", "The record of this very state is retired.", slots(slot(status=2), None))
rollback_record("retired_newer", "other_vault", "The slot with the higher sequence is retired.", slots(slot(), slot(status=2, sequence=2)))

rollback_record("of_a_newer_state", "rolled_back", "The record has a counter that is one higher.", slots(slot(b"newer", counter=6), None))
rollback_record("counter_most", "rolled_back", "The record has the highest counter.", slots(slot(b"newer", counter=2**63 - 1), None))
rollback_record("of_another_lineage_after", "rolled_back", "The record has another lineage and a higher counter.",
     slots(slot(b"newer", counter=6, lineage=bytes(16)), None))
rollback_record("of_a_higher_key_epoch", "rolled_back", "The record has a higher key epoch and a lower counter.",
     slots(slot(b"older", counter=4, epoch=2), None))
rollback_record("of_a_higher_key_epoch_and_this_state", "rolled_back", "The record has a higher key epoch, all else is that of this state.",
     slots(slot(epoch=2), None))

rollback_record("of_a_sibling_state", "forked", "The record has the same counter and another digest.", slots(slot(b"sibling"), None))
rollback_record("of_another_lineage", "forked", "The record has another lineage, all else is that of this state.",
     slots(slot(lineage=bytes(16)), None))
rollback_record("of_another_lineage_before", "forked", "The record has another lineage and a lower counter.",
     slots(slot(b"older", counter=4, lineage=bytes(16)), None))
rollback_record("of_another_history", "forked", "The record has another history, all else is that of this state.",
     slots(slot(history=b"h" * 32), None))
rollback_record("of_another_history_before", "forked", "The record has a lower counter, and the link does not lead from its history.",
     slots(slot(b"older", counter=4, history=b"h" * 32), None))

rollback_record("of_zeros", "rollback_record_damaged", "A record of 1,024 zeros.", slots(None, None))
rollback_record("100_bytes", "rollback_record_damaged", "A record of 100 bytes.", edited(slot(), lambda s: s[:100]))
rollback_record("511_bytes", "rollback_record_damaged", "The last byte of the only slot is missing, which is filler.", edited(slot(), lambda s: s[:-1]))
rollback_record("1025_bytes", "rollback_record_damaged", "One byte after the second slot.", edited(slots(slot(), None), lambda m: m + b"\0"))
rollback_record("third_slot", "rollback_record_damaged", "A record of three slots.", slots(slot(), slot(sequence=2), slot(sequence=3)))
rollback_record("of_format_1", "rollback_record_damaged", "The record of a build before the release, 96 bytes.", lambda v: record_of_format_1(v))
rollback_record("shifted", "rollback_record_damaged", "A slot that starts one byte late.", edited(slot(), lambda s: b"\0" + s + bytes(511)))
for name, words, make in (
        ("magic", "Another magic", slot(magic=b"TVHD")), ("format_0", "Format 0", slot(format=0)),
        ("format_1", "Format 1", slot(format=1)), ("format_3", "Format 3", slot(format=3)),
        ("status_0", "Status 0", slot(status=0)), ("status_3", "Status 3", slot(status=3)),
        ("status_255", "Status 255", slot(status=255))):
    rollback_record(name, "rollback_record_damaged", words + " in the only slot; the checksum fits.", slots(make, None))
for name, words, place in (("checksum", "checksum", 172), ("filler", "filler", 173), ("filler_last_byte", "last byte of the filler", 511)):
    rollback_record(name, "rollback_record_damaged", f"One bit of the {words} of the only slot is changed.",
         slots(edited(slot(), lambda s, place=place: flipped(s, place)), None))
rollback_record("counter_lowered", "rollback_record_damaged", "The counter was lowered without its checksum.",
     slots(edited(slot(), lambda s: flipped(s, 53, 4)), None))
rollback_record("both_slots", "rollback_record_damaged", "The checksums of both slots are damaged.",
     slots(edited(slot(), lambda s: flipped(s, 172)), edited(slot(sequence=2), lambda s: flipped(s, 157))))


def record_of_format_1(v):
    body = (b"TVMK" + u32(1) + v.vault.id + v.vault.lineage + u64(v.vault.settings.counter) + hash_(32, b"", v.state))
    return body + hash_(16, b"", body)


@vector("rolled_back", "All records were put back to an older state that the record knows.")
def old_vault_put_back(v):
    v.three_items()
    v.build()
    old = v.snapshot()
    v.vault.add(b"service", b"new")
    v.commit()
    v.rollback_record = v.vault.rollback_record(v.state)
    v.put_back(old)


@vector("rolled_back", "All records were put back to those before a rekey that the record knows.")
def old_vault_before_rekey(v):
    v.three_items()
    v.build()
    old = v.snapshot()
    v.vault.rekey()
    v.commit()
    v.rollback_record = v.vault.rollback_record(v.state)
    v.put_back(old)


def elsewhere(name, expect, comment, *makers, here=None):
    """Records of other places, as `rollback_record`, and that of this place, if there is one."""
    @vector(expect, comment, "elsewhere_" + name)
    def prepare(v):
        v.vault.settings.counter = 5
        v.vault.add(b"service", b"account")
        v.build()
        v.elsewhere = [make(v) for make in makers]
        if here:
            v.rollback_record = here(v)


elsewhere("this_state", "opens", "A place without a record; the record of another place is of this very state.", slots(slot(), None))
elsewhere("older_state", "opens", "The record of another place has a lower counter, and the link leads from it.",
          slots(slot(b"older", counter=4), None))
elsewhere("newer_state", "rolled_back", "The record of another place has a higher counter.", slots(slot(b"newer", counter=6), None))
elsewhere("higher_key_epoch", "rolled_back", "The record of another place has a higher key epoch.",
          slots(slot(b"older", counter=4, epoch=2), None))
elsewhere("sibling_state", "forked", "The record of another place has the same counter and another digest.", slots(slot(b"sibling"), None))
elsewhere("another_history", "forked", "The link does not lead from the history of the record of another place.",
          slots(slot(b"older", counter=4, history=b"h" * 32), None))
elsewhere("link_missing", "link_missing", "The record of another place is two commits older, and one link is there.",
          slots(slot(b"older", counter=3), None))
elsewhere("one_of_three", "rolled_back", "Of the records of three places, the one of this vault has a higher counter.",
          slots(slot(b"other", vault_id=bytes(16)), None), slots(slot(b"newer", counter=6), None), slots(slot(b"older", counter=4), None))
elsewhere("forked_before_newer", "forked", "The first of two records of other places has another history, the second one a higher counter.",
          slots(slot(b"older", counter=4, history=b"h" * 32), None), slots(slot(b"newer", counter=6), None))
elsewhere("newer_before_forked", "rolled_back", "The first of two records of other places has a higher counter, the second one another history.",
          slots(slot(b"newer", counter=6), None), slots(slot(b"older", counter=4, history=b"h" * 32), None))
elsewhere("empty", "opens", "The record of another place has no bytes.", lambda v: b"")
elsewhere("damaged", "opens", "The record of another place is damaged: it says nothing about this vault.",
          slots(edited(slot(b"newer", counter=6), lambda s: flipped(s, 172)), None))
elsewhere("1025_bytes", "opens", "The record of another place has a higher counter and one byte too many, so it is damaged.",
          edited(slots(slot(b"newer", counter=6), None), lambda m: m + b"\0"))
elsewhere("damaged_before_newer", "rolled_back", "The first of two records of other places is damaged, the second one has a higher counter.",
          lambda v: b"damaged", slots(slot(b"newer", counter=6), None))
elsewhere("another_vault", "opens", "The record of another place is of another vault, with a higher counter.",
          slots(slot(b"newer", counter=6, vault_id=bytes(16)), None))
elsewhere("another_lineage", "opens", "The record of another place has another lineage and a higher counter.",
          slots(slot(b"newer", counter=6, lineage=bytes(16)), None))
elsewhere("retired", "other_vault", "The vault was destroyed at another place.", slots(slot(status=2), None))
elsewhere("retired_lineage", "opens", "The record of another place has another lineage and is retired.",
          slots(slot(lineage=bytes(16), status=2), None))
elsewhere("newer_before_retired", "rolled_back", "The first of two records of other places has a higher counter, the second one is retired.",
          slots(slot(b"newer", counter=6), None), slots(slot(status=2), None))
elsewhere("retired_with_record_here", "opens", "The record of another place is retired, and this place has one of its own.",
          slots(slot(status=2), None), here=slots(slot(), None))
elsewhere("with_record_here", "opens", "The record of another place has a higher counter, and this place has one of its own.",
          slots(slot(b"newer", counter=6), None), here=slots(slot(), None))
elsewhere("with_empty_record_here", "rolled_back", "The record of another place has a higher counter, and that of this place has no bytes.",
          slots(slot(b"newer", counter=6), None), here=lambda v: b"")


# === Links ===========================================================================================================

def five_commits(name, expect, comment, seen=1, rekeys=False, read=False):
    """A vault after five commits, a machine that saw commit `seen`, and a change of the links."""
    def register(damage):
        @vector(expect, comment, name)
        def prepare(v):
            for number in range(1, 6):
                v.vault.add(b"service", b"account %d" % number)
                v.build() if number == 1 else v.commit()
                if number == seen:
                    v.rollback_record = v.vault.rollback_record(v.state)
            if read:
                v.read = entry(b"service", b"account 1")
            v.do = "rekey" if rekeys else None
            damage(v)
    return register


def link_edit(name, expect, comment, counter, change, **fields):
    @five_commits("link_" + name, expect, comment, **fields)
    def damage(v):
        v.link(counter, change(v, dict(v.links)))


five_commits("links_from_the_first", "opens", "Five commits, of which the record has the first.")(lambda v: None)
five_commits("links_from_the_fourth", "opens", "Five commits, of which the record has the fourth.", seen=4)(lambda v: None)


@five_commits("links_from_nothing", "opens", "Five commits and a record with counter 0 and history zero: the chain from its start.")
def from_nothing(v):
    v.rollback_record = v.vault.rollback_record(b"no state", counter=0)


@five_commits("links_absent", "opens", "Five commits, no links and no record: links are for the record.")
def without_record(v):
    v.rollback_record, v.links = None, []


@five_commits("links_absent_of_this_state", "opens", "Five commits and no links; the record is of this state.", seen=5)
def without_links(v):
    v.links = []


@five_commits("links_before_the_record", "opens", "The links up to the one of the record are missing or damaged.", seen=3)
def old_links(v):
    v.link(1, None)
    v.link(2, b"damaged")
    v.link(3, b"")


@five_commits("links_after_the_state", "opens", "Links of counters -1 and 6, which nothing reads.")
def other_links(v):
    v.links += [(-1, b"damaged"), (6, b"damaged")]


link_edit("missing_first", "link_missing", "The first link after the record is missing.", 2, lambda v, links: None)
link_edit("missing_middle", "link_missing", "A link is missing.", 3, lambda v, links: None)
link_edit("missing_last", "link_missing", "The link of this commit is missing.", 5, lambda v, links: None)
link_edit("missing_last_of_one", "link_missing", "The only link after the record is missing.", 5, lambda v, links: None, seen=4)
link_edit("missing_read", "link_missing", "A link is missing, and one name is read.", 3, lambda v, links: None, read=True)
link_edit("empty", "link_damaged", "A link record of no bytes.", 3, lambda v, links: b"")
link_edit("59_bytes", "link_damaged", "The last byte of a link record is missing.", 3, lambda v, links: links[3][:-1])
link_edit("61_bytes", "link_damaged", "One byte after a link record.", 3, lambda v, links: links[3] + b"\0")
link_edit("format_1", "link_damaged", "Link record format 1.", 2, lambda v, links: u32(1) + links[2][4:])
link_edit("format_3", "link_damaged", "Link record format 3.", 5, lambda v, links: u32(3) + links[5][4:])
link_edit("nonce_damaged", "link_damaged", "One bit of the nonce of a link is changed.", 3, lambda v, links: flipped(links[3], 4))
link_edit("ciphertext_damaged", "link_damaged", "One bit of a sealed link is changed.", 3, lambda v, links: flipped(links[3], 28))
link_edit("tag_damaged", "link_damaged", "One bit of the tag of a link is changed.", 3, lambda v, links: flipped(links[3], -1, 128))
link_edit("of_another_counter", "link_damaged", "The link of commit 4 is also in the place of that of commit 3.", 3, lambda v, links: links[4])
link_edit("for_another_vault", "link_damaged", "A link is sealed for another vault id.", 3,
          lambda v, links: v.vault.link_record(3, vault_id=bytes(16)))
link_edit("for_another_purpose", "link_damaged", "A link is sealed for purpose 6.", 3, lambda v, links: v.vault.link_record(3, purpose=6))
link_edit("for_format_1", "link_damaged", "A link is sealed for record format 1.", 3, lambda v, links: v.vault.link_record(3, format=1))
link_edit("as_part", "link_damaged", "A link is sealed with its counter as part, as a bucket record.", 3,
          lambda v, links: v.vault.link_record(3, revision=0, part=3))
link_edit("changed", "forked", "A link is another one, sealed by a holder of the keys.", 3, lambda v, links: v.vault.link_record(3, bytes(16)))
link_edit("changed_last", "forked", "The link of this commit is another one, sealed by a holder of the keys.", 5,
          lambda v, links: v.vault.link_record(5, bytes(16)))
link_edit("before_rekey", "link_missing", "A link is missing and a rekey shall begin: the links are checked before the slots.", 3,
          lambda v, links: None, rekeys=True)


@five_commits("link_twice", "link_damaged", "Two link records of one counter, of which each opens.")
def twice(v):
    v.links.append((3, v.vault.link_record(3)))


@five_commits("links_exchanged", "link_damaged", "Two links changed places.")
def exchanged_links(v):
    links = dict(v.links)
    v.link(3, links[4])
    v.link(4, links[3])


@five_commits("links_exchanged_resealed", "forked", "Two links changed places, sealed by a holder of the keys.")
def exchanged_links_resealed(v):
    v.vault.links[3], v.vault.links[4] = v.vault.links[4], v.vault.links[3]
    for counter in (3, 4):
        v.link(counter, v.vault.link_record(counter))


@five_commits("links_in_order", "link_missing", "Link 3 is missing and link 4 is damaged.")
def missing_before_damaged(v):
    v.link(3, None)
    v.link(4, b"")


@five_commits("links_in_order_too", "link_damaged", "Link 3 is damaged and link 4 is missing.")
def damaged_before_missing(v):
    v.link(3, b"")
    v.link(4, None)


@five_commits("links_before_forked", "link_damaged", "The record has another history and a link is damaged: the links come first.")
def damaged_before_forked(v):
    v.rollback_record = v.vault.rollback_record(b"older", counter=1, history=b"h" * 32)
    v.link(5, b"")


@five_commits("links_before_buckets", "link_missing", "A bucket record is damaged too, but the links come first.")
def links_before_buckets(v):
    v.link(3, None)
    number = min(v.buckets)
    v.buckets[number] = b""


def branch(name, expect, comment, seen, read=False):
    """Another machine went on from commit 2, and this one saw a commit of its own branch."""
    def register(change):
        @vector(expect, comment, name)
        def prepare(v):
            v.vault.add(b"service", b"account")
            v.build()
            v.commit()
            start = dict(v.vault.histories), dict(v.vault.links)
            for _ in range(2, seen):
                v.commit()
            v.rollback_record = v.vault.rollback_record(v.state)
            own = dict(v.vault.links)
            v.vault.histories, v.vault.links = start
            v.vault.settings.counter = 2
            for number in range(3):
                v.vault.add(b"service", b"of the other machine %d" % number)
                v.commit()
            if read:
                v.read = entry(b"service", b"account")
            change(v, own)
    return register


branch("fork_of_two_commits", "forked", "The record has commit 4 of another branch than this commit 5.", 4)(lambda v, own: None)
branch("fork_of_one_commit", "forked", "The record has commit 3 of another branch than this commit 5.", 3)(lambda v, own: None)
branch("fork_of_equal_length", "forked", "The record has commit 5 of another branch than this commit 5.", 5)(lambda v, own: None)
branch("fork_of_shorter_branch", "rolled_back", "The record has commit 6 of another branch than this commit 5.", 6)(lambda v, own: None)
branch("fork_after_the_record", "opens", "The record has commit 2, from which the branch begins.", 2)(lambda v, own: None)
branch("read_forked", "forked", "A name is read, and the record has commit 3 of another branch.", 3, read=True)(lambda v, own: None)


@branch("fork_with_own_link", "forked", "The record has commit 3 of another branch, whose link is among those of this one.", 3)
def own_link(v, own):
    v.vault.links[3] = own[3]
    v.link(3, v.vault.link_record(3))


@vector("opens", "The record is of key epoch 1; a rekey followed, which sealed the links again, and one more commit.")
def rekeyed_links(v):
    v.three_items()
    v.build()
    v.rollback_record = v.vault.rollback_record(v.state)
    v.commit()
    v.vault.rekey()
    v.commit()
    v.commit()


@vector("link_damaged", "A rekey left a link under the old state key.")
def rekeyed_link_left_behind(v):
    v.build()
    v.rollback_record = v.vault.rollback_record(v.state)
    v.commit()
    old = dict(v.links)
    v.vault.rekey()
    v.commit()
    v.link(2, old[2])


@vector("opens", "A backup was restored in commit 3, on the history of the vault; the record is of commit 2.")
def restored_on_its_history(v):
    v.build()
    v.commit()
    v.rollback_record = v.vault.rollback_record(v.state)
    v.vault.settings.restored_from, v.vault.settings.restored_at = 1_700_000_000_000, 3
    v.vault.add(b"service", b"restored")
    v.commit()


@vector("forked", "A backup was restored with a new lineage and a counter above that of the record.")
def restored_with_a_new_lineage(v):
    v.build()
    v.rollback_record = v.vault.rollback_record(v.state)
    v.vault.lineage = v.source(16)
    v.vault.settings.restored_from, v.vault.settings.restored_at = 1_700_000_000_000, 2
    v.commit()


# === All links, as `doctor` checks them ===============================================================================

def all_links(name, expect, comment, do="links"):
    """Of a vault with five commits."""
    def register(change):
        @vector(expect, comment, name)
        def prepare(v):
            v.vault.add(b"service", b"account")
            v.build()
            for _ in range(4):
                v.commit()
            change(v)
            v.do = do
        return change
    return register


def damaged_link(v, counter):
    v.link(counter, flipped(dict(v.links)[counter], 40))


all_links("all_links", "opens", "All links are there.")(lambda v: None)
all_links("all_links_first_missing", "link_missing", "The link of commit 1 is missing.")(lambda v: v.link(1, None))
all_links("all_links_one_missing", "link_missing", "The link of commit 3 is missing.")(lambda v: v.link(3, None))
all_links("all_links_last_missing", "link_missing", "The link of the newest commit is missing.")(lambda v: v.link(5, None))
all_links("all_links_none", "link_missing", "There are no links.")(lambda v: v.links.clear())
all_links("all_links_not_checked", "opens", "There are no links, and nothing needs them.", do=None)(lambda v: v.links.clear())
all_links("all_links_one_damaged", "link_damaged", "The link of commit 2 is damaged.")(lambda v: damaged_link(v, 2))
all_links("all_links_one_twice", "link_damaged", "The link of commit 3 is there twice.")(lambda v: v.links.append((3, dict(v.links)[3])))
all_links("all_links_of_later_commit", "link_damaged", "There is a link of a commit after the newest one.")(
    lambda v: v.link(6, v.vault.link_record(6, bytes(16))))
all_links("all_links_of_later_commit_and_last_missing", "link_damaged", "The link of the newest commit is under the next counter.")(
    lambda v: (v.link(5, None), v.link(6, v.vault.link_record(6, bytes(16)))))
all_links("all_links_under_1", "opens", "Links under the counters 0 and -1, which are not read.")(
    lambda v: (v.link(0, b"damaged"), v.link(-1, b"damaged")))
all_links("all_links_ascending", "link_missing", "The link of commit 2 is missing, that of commit 3 is damaged.")(
    lambda v: (v.link(2, None), damaged_link(v, 3)))
all_links("all_links_before_buckets", "link_damaged", "The link of commit 4 is damaged, and a row too.")(
    lambda v: (damaged_link(v, 4), setattr(v.rows[0], "revision", 2)))


@all_links("all_links_repaired", "opens", "After a repair: the link of commit 3 is a random one, and leads nowhere.")
def repaired(v):
    v.link(3, v.vault.link_record(3, v.source(16)))


@all_links("all_links_repaired_and_needed", "forked", "After a repair: the link of commit 3 is a random one, and the rollback record is of commit 2.",
           do=None)
def repaired_and_needed(v):
    v.rollback_record = v.vault.rollback_record(b"older", counter=2)
    repaired(v)


# === Before a rekey ==================================================================================================

def before_rekey(name, expect, comment, slots=2, rekeys=True, also=lambda v: None):
    """A recovery slot that is used, and a fault in the slots after it; the state fits."""
    def register(damage):
        @vector(expect, comment, name)
        def prepare(v):
            v.vault.slots += [v.vault.new_slot(v.source(32)) for _ in range(slots - 1)]
            v.three_items()
            v.build()
            damage(v)
            v.reseal_state()
            also(v)
            v.do = "rekey" if rekeys else None
    return register


def damaged_key(index):
    def damage(v):
        v.header = set_slot(v.header, index, "sealed_key", flipped(get_slot(v.header, index, "sealed_key"), 40))
    return damage


def damaged_proof(index):
    def damage(v):
        v.header = set_slot(v.header, index, "proof", flipped(get_slot(v.header, index, "proof"), 0))
    return damage


def both(*damages):
    def damage(v):
        for each in damages:
            each(v)
    return damage


before_rekey("rekey_of_slots", "opens", "Slots that a rekey may keep.", slots=8)(lambda v: None)
before_rekey("slot_key_damaged", "slot_key", "The sealed authentication key of the second slot is damaged, before a rekey.")(damaged_key(1))
before_rekey("slot_key_damaged_used", "slot_key", "The sealed authentication key of the used slot is damaged, before a rekey.")(damaged_key(0))
before_rekey("slot_key_not_used", "opens", "The sealed authentication keys are damaged: only a rekey opens them.",
             rekeys=False)(both(damaged_key(0), damaged_key(1)))
before_rekey("slot_proof_not_used", "opens", "The proof of the second slot is damaged: only that slot and a rekey compare it.",
             rekeys=False)(damaged_proof(1))
before_rekey("rekey_proof_damaged", "slot_proof", "The proof of the second slot is damaged, before a rekey.")(damaged_proof(1))
before_rekey("rekey_slots_in_order", "slot_proof", "The proof of the second slot and the sealed key of the third are damaged.",
             slots=3)(both(damaged_proof(1), damaged_key(2)))
before_rekey("rekey_slots_in_order_too", "slot_key", "The sealed key of the second slot and the proof of the third are damaged.",
             slots=3)(both(damaged_key(1), damaged_proof(2)))
before_rekey("rekey_key_before_proof", "slot_key", "Sealed key and proof of one slot are damaged.")(both(damaged_key(1), damaged_proof(1)))
before_rekey("rekey_before_buckets", "slot_key", "A bucket record is missing too, but the slots come first.",
             also=lambda v: v.buckets.pop(5))(damaged_key(1))


def older_than_record(v):
    v.rollback_record = v.vault.rollback_record(b"newer", counter=2)


before_rekey("rekey_after_rollback_record", "rolled_back", "The rollback record has a higher counter too, and comes before the slots.",
             also=older_than_record)(damaged_key(1))


def low_order_slot(name, expect, comment, point=bytes(32), rekeys=True, damage=lambda v: None):
    """Made by a holder of the root key: the second of three slots has a public key to which no box can be sealed."""
    @vector(expect, comment, "rekey_public_key_low_order_" + name)
    def prepare(v):
        v.vault.slots += [v.vault.new_slot(v.source(32), public=point, box=bytes(80)), v.vault.new_slot(v.source(32))]
        v.build()
        damage(v)
        v.reseal_state()
        v.do = "rekey" if rekeys else None


for name, point in [*LOW_ORDER.items(), ("zero_high_bit", bytes(31) + b"\x80")]:
    low_order_slot(name, "slot_box", "The public key of the second slot is of low order, before a rekey; its proof fits.", point)
low_order_slot("not_used", "opens", "The public key of a slot that is not used is of low order: only a rekey seals to it.", rekeys=False)
low_order_slot("in_order", "slot_box", "The public key of the second slot is of low order, and the sealed key of the third one is damaged.",
               damage=damaged_key(2))
low_order_slot("after_proof", "slot_proof", "The public key of the second slot is of low order, and its proof is damaged.", damage=damaged_proof(1))
low_order_slot("after_first", "slot_key", "The public key of the second slot is of low order, and the sealed key of the first one is damaged.",
               damage=damaged_key(0))


def box_to_attacker(v):
    v.header = set_slot(v.header, 1, "box", seal_to(v.source, public_key(bytes(32)), v.vault.root))


def public_key_of_attacker(v):
    v.header = set_slot(v.header, 1, "public", public_key(bytes(32)))


def exchanged_keys(v):
    first, second = (get_slot(v.header, i, "sealed_key") for i in range(2))
    v.header = set_slot(set_slot(v.header, 0, "sealed_key", second), 1, "sealed_key", first)


before_rekey("rekey_public_key_exchanged", "slot_proof", "The public key of the second slot is one of the attacker, before a rekey.")(
    public_key_of_attacker)
before_rekey("rekey_box_exchanged", "slot_proof", "The box of the second slot is another one, before a rekey.")(box_to_attacker)
before_rekey("slot_keys_exchanged", "slot_key", "The sealed authentication keys of two slots are exchanged, before a rekey.")(exchanged_keys)


def misplaced_slot_key(name, comment, expect="slot_key", key=None, **wrong):
    @vector(expect, comment, "slot_key_" + name)
    def prepare(v):
        v.vault.epoch = 2
        slot = v.vault.new_slot(v.source(32))
        v.vault.slots.append(slot)
        slot.sealed_key = v.vault.seal_slot_key(slot, key, **wrong)
        v.do = "rekey"


misplaced_slot_key("of_an_older_epoch", "An authentication key is sealed for key epoch 1 in a header of epoch 2, before a rekey.", revision=1)
misplaced_slot_key("for_another_slot", "An authentication key is sealed for another slot id, before a rekey.", id=bytes(16))
misplaced_slot_key("for_another_vault", "An authentication key is sealed for another vault id, before a rekey.", vault_id=bytes(16))
misplaced_slot_key("for_another_purpose", "An authentication key is sealed for purpose 2, before a rekey.", purpose=2)
misplaced_slot_key("of_another_slot", "The sealed authentication key opens and is another one, before a rekey.", "slot_proof", key=bytes(32))


@vector("slot_key", "A header of key epoch 2 in which an authentication key is sealed under the root key of epoch 1, before the next rekey.")
def slot_key_under_the_old_root_key(v):
    slot = v.vault.new_slot(v.source(32))
    v.vault.slots.append(slot)
    slot.sealed_key = v.vault.seal_slot_key(slot, revision=2)
    v.vault.rekey()
    v.do = "rekey"


@vector("slot_proof", "The used slot's sealed authentication key is another one than in its pair: it opens, and a rekey may not begin.")
def slot_key_of_the_used_slot(v):
    slot = v.vault.slots[0]
    slot.sealed_key = v.vault.seal_slot_key(slot, bytes(32))
    v.do = "rekey"
