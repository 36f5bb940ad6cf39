"""Vectors of bucket records, rows and what is in items (sections 5 and 6)."""

from opening_vectors import E_ACUTE, nfd
from writer import LOOKUP, PASSWORD, Vault, counted, flipped, hash_, i64, pad, padded_size, u32, u64, vector


# === Bucket records ==================================================================================================

def bucket_edit(name, expect, comment, edit, sealed=True):
    """Three items; `sealed`: the state is made to fit the changed bucket records, as only a holder of the keys can."""
    @vector(expect, comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        edit(v, v.buckets)
        if sealed:
            v.reseal_state()


def put(number, change):
    def edit(v, buckets):
        buckets[number] = change(buckets[number])
    return edit


def add_bucket(number):
    def edit(v, buckets):
        buckets[number] = buckets[5]
    return edit


def move(source, target):
    def edit(v, buckets):
        buckets[source], buckets[target] = buckets[target], buckets[source]
    return edit


bucket_edit("bucket_number_512", "bucket_number", "A bucket record with number 512.", add_bucket(512))
bucket_edit("bucket_number_65541", "bucket_number", "A bucket record with number 65,541, which is 5 in 16 bits.", add_bucket(65_541))
bucket_edit("bucket_number_most", "bucket_number", "A bucket record with number 2^63 - 1.", add_bucket(2**63 - 1))
bucket_edit("bucket_number_negative", "bucket_number", "A bucket record with number -1.", add_bucket(-1))
bucket_edit("bucket_empty", "bucket_length", "A bucket record of no bytes.", put(200, lambda b: b""))
bucket_edit("bucket_115_bytes", "bucket_length", "The last byte of a bucket record is missing.", put(200, lambda b: b[:-1]))
bucket_edit("bucket_117_bytes", "bucket_length", "One byte after a bucket record.", put(5, lambda b: b + b"\0"))
bucket_edit("bucket_format_0", "bucket_format", "Bucket record format 0.", put(5, lambda b: u32(0) + b[4:]))
bucket_edit("bucket_format_1", "bucket_format", "Bucket record format 1.", put(200, lambda b: u32(1) + b[4:]))
bucket_edit("bucket_format_3", "bucket_format", "Bucket record format 3.", put(200, lambda b: u32(3) + b[4:]))
bucket_edit("bucket_record_missing", "buckets_sum", "A bucket record was removed, its rows are still there.",
            lambda v, b: b.pop(5), sealed=False)
bucket_edit("bucket_records_all_missing", "buckets_sum", "All bucket records were removed.", lambda v, b: b.clear(), sealed=False)
bucket_edit("bucket_record_copied", "buckets_sum", "A bucket record is also there under a free number.", add_bucket(6), sealed=False)
bucket_edit("bucket_record_damaged", "buckets_sum", "One bit of a bucket record is changed.", put(5, lambda b: flipped(b, 50)), sealed=False)
bucket_edit("bucket_records_exchanged", "buckets_sum", "Two bucket records changed places.", move(5, 200), sealed=False)
bucket_edit("bucket_nonce_damaged", "bucket_seal", "A damaged nonce; the state knows it.", put(5, lambda b: flipped(b, 4)))
bucket_edit("bucket_tag_damaged", "bucket_seal", "A damaged tag; the state knows it.", put(200, lambda b: flipped(b, -1, 128)))
bucket_edit("bucket_records_exchanged_resealed", "bucket_seal", "Two bucket records changed places; the state knows it.", move(5, 200))


@vector("buckets_sum", "A bucket and its rows were removed together.")
def bucket_removed(v):
    v.three_items()
    v.build()
    v.buckets.pop(5)
    v.rows = [row for row in v.rows if row.tag[0] != 5]


@vector("buckets_sum", "The vault was emptied without the state.")
def everything_removed(v):
    v.three_items()
    v.build()
    v.buckets, v.rows = {}, []


@vector("buckets_sum", "A bucket record and its rows are of an older state.")
def bucket_of_older_state(v):
    item = v.three_items()[0]
    v.build()
    old = v.snapshot()
    item.value, item.revision = b"newer value", 2
    v.build()
    v.buckets[5] = old["buckets"][5]
    v.rows = [row for row in old["rows"] if row.tag[0] == 5] + [row for row in v.rows if row.tag[0] != 5]


@vector("buckets_sum", "One bucket record is of an older state, the rows are new.")
def bucket_record_of_older_state(v):
    item = v.three_items()[0]
    v.build()
    old = v.buckets[5]
    item.value, item.revision = b"newer value", 2
    v.build()
    v.buckets[5] = old


@vector("buckets_sum", "The state record is of an older state, all else is new.")
def state_of_older_state(v):
    v.build()
    header, old = v.header, v.state
    v.three_items()
    v.build()
    v.header, v.state = header, old


@vector("buckets_sum", "Rows and bucket records of another vault with the same item names.")
def bucket_of_another_vault(v):
    v.three_items()
    v.build()
    other = Vault("the other vault")
    item = other.add(b"service", b"account")
    row = other.row(item)
    v.rows.append(row)
    v.buckets |= other.bucket_records([row])


@vector("bucket_seal", "The bucket record of another vault, which the state knows.")
def bucket_record_of_another_vault_resealed(v):
    v.three_items()
    v.build()
    other = Vault("the other vault")
    v.buckets[200] = other.bucket_record(200, 1, [])
    v.reseal_state()


@vector("bucket_content", "A bucket record without rows, with count 0.")
def bucket_count_0(v):
    v.three_items()
    v.build()
    v.buckets[100] = v.vault.bucket_record(100, 0, [])
    v.reseal_state()


@vector("bucket_content", "A bucket record with count 0 and the sum of one row, which is there.")
def bucket_count_0_with_row(v):
    v.three_items()
    v.build()
    v.buckets[200] = v.vault.bucket_record(200, 0, [row for row in v.rows if row.tag[0] == 200])
    v.reseal_state()


@vector("bucket_format", "The state's sum does not fit either, but the formats of all bucket records come first.")
def bucket_formats_before_sum(v):
    v.three_items()
    v.build()
    v.buckets[5] = flipped(v.buckets[5], 50)
    v.buckets[200] = u32(3) + v.buckets[200][4:]


# === Rows ============================================================================================================

def row_edit(name, expect, comment, edit, sealed=False):
    """Three items, two of them in bucket 5, and an attacker's change; `sealed`: by a holder of the keys."""
    @vector(expect, comment, name)
    def prepare(v):
        items = v.three_items()
        v.build()
        edit(v, *(v.row_of(item) for item in items))
        if sealed:
            v.reseal()


def set_row(**values):
    def edit(v, first, second, third):
        for key, value in values.items():
            setattr(first, key, value)
    return edit


def remove(v, first, *others):
    v.rows.remove(first)


def remove_last_of_bucket(v, first, second, third):
    v.rows.remove(third)


def copy_row(tag, item_id=None):
    def edit(v, first, second, third):
        row = type(first)(tag(first), item_id or first.item_id, first.class_, first.revision, first.format,
                          first.attributes, first.value)
        v.rows.append(row)
    return edit


def exchange(*names, with_third=False):
    def edit(v, first, second, third):
        other = third if with_third else second
        for name in names:
            left, right = getattr(first, name), getattr(other, name)
            setattr(first, name, right)
            setattr(other, name, left)
    return edit


def edit_blob(name, change):
    def edit(v, first, second, third):
        setattr(first, name, change(getattr(first, name)))
    return edit


row_edit("row_removed", "bucket_rows", "A row was removed.", remove)
row_edit("row_removed_last_of_bucket", "bucket_rows", "The only row of a bucket was removed.", remove_last_of_bucket)
row_edit("row_copied_in_bucket", "bucket_rows", "A row is also there under another tag of its bucket.",
         copy_row(lambda row: row.tag[:1] + bytes(31)))
row_edit("row_copied_to_free_bucket", "bucket_rows", "A row is also there under a tag of a bucket without a record.",
         copy_row(lambda row: b"\x63" + row.tag[1:]))
row_edit("row_swapped_tags", "bucket_rows", "Two rows of one bucket exchanged their tags.", exchange("tag"))
row_edit("row_swapped_tags_of_buckets", "bucket_rows", "Two rows of different buckets exchanged their tags.",
         exchange("tag", with_third=True))
row_edit("row_swapped_values", "bucket_rows", "Two rows exchanged their values.", exchange("value"))
row_edit("row_swapped_attributes", "bucket_rows", "Two rows exchanged their attributes.", exchange("attributes"))
row_edit("row_swapped_item_ids", "bucket_rows", "Two rows exchanged their item ids.", exchange("item_id"))
row_edit("row_swapped_classes", "bucket_rows", "Two rows exchanged their classes.", exchange("class_"))
row_edit("row_class_changed", "bucket_rows", "The class of a row was changed.", set_row(class_=2))
row_edit("row_revision_raised", "bucket_rows", "The revision of a row was raised.", set_row(revision=2))
row_edit("row_tag_changed", "bucket_rows", "The tag of a row was changed within its bucket.",
         lambda v, first, *others: setattr(first, "tag", flipped(first.tag, 31)))
row_edit("row_value_damaged", "bucket_rows", "One bit of a value was changed.", edit_blob("value", lambda b: flipped(b, 30)))
row_edit("row_value_empty", "bucket_rows", "The value blob was emptied.", edit_blob("value", lambda b: b""))
row_edit("row_attributes_cut", "bucket_rows", "The last byte of the attributes was removed.", edit_blob("attributes", lambda b: b[:-1]))


def shift_blobs(v, first, *others):
    first.attributes, first.value = first.attributes + first.value[:1], first.value[1:]


row_edit("row_blob_border_moved", "bucket_rows", "One byte moved from the value to the attributes.", shift_blobs)


@vector("bucket_rows", "A row is of an older revision.")
def row_of_older_revision(v):
    item = v.three_items()[0]
    v.build()
    old = v.row_of(item)
    item.value, item.revision = b"newer value", 2
    v.build()
    v.rows = [old if row.item_id == item.id else row for row in v.rows]


@vector("bucket_rows", "A deleted row was put back.")
def row_put_back(v):
    items = v.three_items()
    v.build()
    old = v.row_of(items[1])
    v.vault.items.remove(items[1])
    v.build()
    v.rows.append(old)


@vector("bucket_rows", "A row of another vault under the tag of a row.")
def row_of_another_vault(v):
    item = v.three_items()[0]
    v.build()
    other = Vault("the other vault")
    row = other.row(other.add(item.service, item.account))
    row.tag = v.row_of(item).tag
    v.rows = [row if r.tag == row.tag else r for r in v.rows]


@vector("bucket_rows", "A row in a vault without any bucket record.")
def row_without_bucket_record(v):
    v.build()
    v.rows = [v.vault.row(v.vault.add(b"service", b"account"))]


def bucket_count(name, comment, count, items=3):
    @vector("bucket_rows", comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        v.buckets[5] = v.vault.bucket_record(5, count, [row for row in v.rows if row.tag[0] == 5])
        v.reseal_state(items)


bucket_count("bucket_count_too_low", "The count of a bucket is 1, it has two rows and their sum.", 1, 2)
bucket_count("bucket_count_too_high", "The count of a bucket is 3, it has two rows and their sum.", 3, 4)
bucket_count("bucket_count_most", "The count of a bucket is 2^64 - 1.", 2**64 - 1)


@vector("bucket_rows", "The sum of a bucket is the exclusive or of its row elements.")
def bucket_sum_by_exclusive_or(v):
    v.three_items()
    v.build()
    element = [int.from_bytes(v.vault.row_element(row), "little") for row in v.rows if row.tag[0] == 5]
    content = u64(2) + (element[0] ^ element[1]).to_bytes(64, "little")
    v.buckets[5] = v.vault.bucket_record_of(5, content)
    v.reseal_state()


@vector("bucket_rows", "The sum of a bucket is added in big-endian order.")
def bucket_sum_big_endian(v):
    v.three_items()
    v.build()
    element = [int.from_bytes(v.vault.row_element(row), "big") for row in v.rows if row.tag[0] == 5]
    content = u64(2) + (sum(element) % 2**512).to_bytes(64, "big")
    v.buckets[5] = v.vault.bucket_record_of(5, content)
    v.reseal_state()


def misshapen(name, comment, **values):
    """A row that is sealed and summed as it is: only its shape is wrong."""
    @vector("row_shape", comment + "; seals and sums fit.", "row_" + name)
    def prepare(v):
        item = v.three_items()[0]
        for key, value in values.items():
            setattr(item, key, value)


for number in (0, 3, 255):
    misshapen(f"class_{number}", f"A row with class {number}", class_=number)
misshapen("revision_0", "A row with revision 0", revision=0)
misshapen("revision_2_63", "A row with revision 2^63", revision=2**63)
misshapen("item_id_empty", "A row without item id", id=b"")
misshapen("item_id_15_bytes", "A row with an item id of 15 bytes", id=b"i" * 15)
misshapen("item_id_17_bytes", "A row with an item id of 17 bytes", id=b"i" * 17)
for name, words, change in (("tag_31_bytes", "31 bytes", lambda tag: tag[:31]), ("tag_33_bytes", "33 bytes", lambda tag: tag + b"\0"),
                            ("tag_1_byte", "one byte", lambda tag: tag[:1])):
    row_edit("row_" + name, "row_shape", f"A row with a tag of {words}; the sums fit.",
             lambda v, first, *others, change=change: setattr(first, "tag", change(first.tag)), sealed=True)


@vector("row_shape", "A row with a tag of no bytes, which belongs to no bucket, in a vault without items.")
def row_tag_empty(v):
    v.build()
    row = v.vault.row(v.vault.add(b"service", b"account"))
    row.tag = b""
    v.rows = [row]


def twice_with_other_columns(v, first, second, third):
    second.tag = first.tag


row_edit("row_twice", "row_shape", "The same row twice; the sums fit.", copy_row(lambda row: row.tag), sealed=True)
row_edit("row_twice_without_sums", "row_shape", "The same row twice: the shape of rows comes before the sum.", copy_row(lambda row: row.tag))
row_edit("row_twice_with_other_columns", "row_shape", "Two rows with one tag; the sums fit.", twice_with_other_columns, sealed=True)

for number in (0, 1, 3, 2**32 - 1):
    row_edit(f"row_format_{number}", "row_format", f"A row with record format {number}; the sums fit.",
             set_row(format=number), sealed=True)


@vector("row_format", "A row with another record format and without the sums: the shape of rows comes before the sum.")
def row_format_changed(v):
    items = v.three_items()
    v.build()
    v.row_of(items[0]).format = 1


@vector("row_shape", "The later row by tag has format 1, the earlier one class 3.")
def rows_checked_by_tag(v):
    v.three_items()
    v.build()
    first, second = [row for row in v.rows if row.tag[0] == 5]
    first.class_, second.format = 3, 1
    v.reseal()


def items_count(name, comment, items):
    @vector("items_count", comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        v.reseal_state(items)


items_count("items_count_too_low", "The state says two items, there are three.", 2)
items_count("items_count_too_high", "The state says four items, there are three.", 4)
items_count("items_count_most", "The state says 2^64 - 1 items.", 2**64 - 1)


@vector("items_count", "The state of a vault without items says one.")
def items_count_of_empty_vault(v):
    v.build()
    v.reseal_state(1)


# === Items ===========================================================================================================

A, VALUE = "attributes", "value"
for blob in (A, VALUE):
    for name, words, change in (
            ("blob_empty", "The blob of the {} has no bytes", lambda b: b""),
            ("blob_39_bytes", "The blob of the {} is shorter than nonce and tag", lambda b: b[:39]),
            ("nonce_damaged", "The nonce of the {} is damaged", lambda b: flipped(b, 0)),
            ("ciphertext_damaged", "The ciphertext of the {} is damaged", lambda b: flipped(b, 24)),
            ("tag_damaged", "The tag of the {} is damaged", lambda b: flipped(b, -1, 128)),
            ("cut", "The last byte of the {} is missing", lambda b: b[:-1]),
            ("trailing", "One byte after the {}", lambda b: b + b"\0")):
        row_edit(f"{blob}_{name}", blob + "_seal", words.format(blob) + "; the sums fit.", edit_blob(blob, change), sealed=True)


def exchange_blobs(v, first, *others):
    first.attributes, first.value = first.value, first.attributes


row_edit("attributes_and_value_exchanged", "attributes_seal", "Attributes and value of a row are exchanged; the sums fit.",
         exchange_blobs, sealed=True)
row_edit("row_swapped_attributes_resealed", "attributes_seal", "Two rows exchanged their attributes; the sums fit.", exchange("attributes"), sealed=True)
row_edit("row_swapped_item_ids_resealed", "attributes_seal", "Two rows exchanged their item ids; the sums fit.", exchange("item_id"), sealed=True)
row_edit("row_class_changed_resealed", "attributes_seal", "The class of a row was changed; the sums fit.", set_row(class_=2), sealed=True)
row_edit("row_revision_changed_resealed", "attributes_seal", "The revision of a row was changed; the sums fit.", set_row(revision=2), sealed=True)
row_edit("row_swapped_tags_resealed", "tag_names", "Two rows exchanged their tags; the sums fit.", exchange("tag"), sealed=True)
row_edit("row_tag_changed_resealed", "tag_names", "A row is under another tag; the sums fit.",
         lambda v, first, *others: setattr(first, "tag", v.source(32)), sealed=True)
row_edit("row_copied_resealed", "tag_names", "A row is also there under a second tag; the sums fit.",
         copy_row(lambda row: b"\xff" * 32), sealed=True)


@vector("value_seal", "Two items of one class exchanged their values; the sums fit.")
def row_swapped_values_resealed(v):
    items = v.three_items()
    v.build()
    first, third = v.row_of(items[0]), v.row_of(items[2])
    first.value, third.value = third.value, first.value
    v.reseal()


@vector("value_seal", "The value of an older revision under the new attributes; the sums fit.")
def value_of_older_revision_resealed(v):
    item = v.three_items()[0]
    v.build()
    old = v.row_of(item).value
    item.revision = 2
    v.build()
    v.row_of(item).value = old
    v.reseal()


@vector("value_seal", "A value of class 2 is sealed under the value key of class 1.")
def value_under_the_other_key(v):
    v.vault.value_keys, keys = {1: v.vault.value_keys[1], 2: v.vault.value_keys[1]}, v.vault.value_keys
    item = v.vault.add(b"service", b"account", class_=2)
    row = v.vault.row(item)
    v.vault.value_keys = keys
    v.build()
    v.rows = [row]
    v.reseal()


@vector("tag_names", "The tag is that of service and account exchanged.")
def tag_of_exchanged_names(v):
    item = v.vault.add(b"service", b"account")
    item.tag = v.vault.tag(b"account", b"service")


@vector("tag_names", "The tag is that of another field.")
def tag_of_another_field(v):
    item = v.vault.add(b"service", b"account")
    item.tag = v.vault.tag(b"service", b"account", b"Password")


@vector("tag_names", "The tag is that of service and account without the field, as in format 1.")
def tag_without_field(v):
    item = v.vault.add(b"service", b"account")
    item.tag = hash_(32, v.vault.subkey(LOOKUP), counted(b"service"), counted(b"account"))


@vector("tag_names", "The tag is that of the composed form of a decomposed name.")
def tag_of_normalised_name(v):
    item = v.vault.add(nfd(E_ACUTE).encode(), b"account")
    item.tag = v.vault.tag(E_ACUTE.encode(), b"account")


@vector("attributes_seal", "A value that comes earlier is damaged too, but a list needs the attributes of all items first.")
def attributes_of_all_before_values(v):
    items = v.three_items()
    v.build()
    first, last = v.rows[0], v.rows[-1]
    first.value, last.attributes = flipped(first.value, 0), flipped(last.attributes, 0)
    v.reseal()


def first_and_last(v):
    """Three items, of which the first by tag is in bucket 5 and the last in bucket 200."""
    v.three_items()
    v.build()
    return v.rows[0], v.rows[-1]


@vector("attributes_seal", "A row of a later bucket was removed too, but a list goes bucket by bucket.")
def list_bucket_by_bucket(v):
    first, last = first_and_last(v)
    first.attributes = flipped(first.attributes, 0)
    v.reseal()
    v.rows.remove(last)


@vector("bucket_rows", "The attributes of a later bucket are damaged too, but a list goes bucket by bucket.")
def list_bucket_by_bucket_rows(v):
    first, last = first_and_last(v)
    last.attributes = flipped(last.attributes, 0)
    v.reseal()
    v.rows.remove(first)


@vector("attributes_seal", "The state says nine items too, but they are counted at the end.")
def list_counts_at_the_end(v):
    first, last = first_and_last(v)
    last.attributes = flipped(last.attributes, 0)
    v.reseal()
    v.reseal_state(9)


def nonzero(position):
    return lambda room: flipped(bytes(room), position)


def padding(name, comment, make):
    """The same fault in the padding of the attributes and of the value."""
    for blob in (A, VALUE):
        @vector(blob + "_padding", comment.format(blob), f"{blob}_padding_{name}")
        def prepare(v, blob=blob):
            item = v.vault.add(b"service", b"account")
            text = item.attributes() if blob == A else item.value
            setattr(item, blob + "_padded", make(text))


padding("nonzero", "The first byte of the filler of the {} is not zero.", lambda t: pad(t, filler=nonzero(0)))
padding("nonzero_last_byte", "The last byte of the filler of the {} is not zero.", lambda t: pad(t, filler=nonzero(-1)))
padding("all_ff", "The filler of the {} is FF.", lambda t: pad(t, filler=lambda room: b"\xff" * room))
padding("nothing", "The {} are sealed without any padded text.", lambda t: b"")
padding("three_bytes", "The padded {} have three bytes.", lambda t: bytes(3))
padding("absent", "The {} have a length and no filler.", lambda t: pad(t, size=4 + len(t)))
padding("next_size", "The padded {} have twice the size that their length gives.", lambda t: pad(t, size=2 * padded_size(4 + len(t))))
padding("one_byte_more", "The padded {} have one byte more than their length gives.", lambda t: pad(t, size=padded_size(4 + len(t)) + 1))
padding("under_64_bytes", "The padded {} of no bytes have 32 bytes.", lambda t: bytes(32))
padding("length_over", "The length in the {} is one more than there is.", lambda t: pad(b"\x01" * 60, length=61))
padding("length_most", "The length in the {} is 2^32 - 1.", lambda t: pad(t, length=2**32 - 1))
padding("length_wraps", "The length in the {} is 2^32 - 4, with its own size 0 in 32 bits.", lambda t: pad(t, length=2**32 - 4))
padding("length_too_low", "The length in the {} is lower, the rest looks like filler.", lambda t: pad(b"a" * 200, length=10))
padding("length_big_endian", "The length in the {} is in the other byte order.",
        lambda t: len(t).to_bytes(4, "big") + t + bytes(padded_size(4 + len(t)) - 4 - len(t)))


@vector("value_padding", "A value of 4,093 bytes is padded to the next power of two in the place of Padme's 4,352.")
def value_padding_power_of_two_above_4096(v):
    data = v.source(4093)
    v.vault.add(b"service", b"account", data, value_padded=pad(data, size=8192))


@vector("value_padding", "A value of 2,500 bytes is padded by Padme to 2,560 in the place of 4,096.")
def value_padding_padme_below_4096(v):
    data = v.source(2500)
    v.vault.add(b"service", b"account", data, value_padded=pad(data, size=2560))


@vector("value_padding", "A value of 4,092 bytes is padded to 4,352 in the place of 4,096.")
def value_padding_4096_to_4352(v):
    data = v.source(4092)
    v.vault.add(b"service", b"account", data, value_padded=pad(data, size=4352))


# Attributes whose padding is in order and whose content is not (section 5).

def names(service=b"service", account=b"account", field=PASSWORD, label=b"", count=0, pairs=b""):
    return counted(service) + counted(account) + counted(field) + counted(label) + i64(1) + i64(1) + u32(count) + pairs


def pairs(*keys):
    return b"".join(counted(key) + counted(b"text") for key in keys)


def content(name, comment, text, service=b"service", account=b"account", field=PASSWORD):
    @vector("attributes_content", comment, "attributes_" + name)
    def prepare(v):
        v.vault.add(service, account, field_=field, attributes_text=text)


good = names()
content("empty", "Attributes of no bytes.", b"")
content("cut_short", "The attributes end within their count.", good[:-1])
content("without_count", "The attributes end before their count.", good[:-4])
content("without_times", "The attributes end after the label.", good[:-20])
content("trailing_byte", "One zero byte after the attributes, within their length.", good + b"\0")
content("trailing_pair", "An extra attribute that the count does not say.", good + pairs(b"key"))
content("count_too_high", "The count says two extra attributes, there is one.", names(count=2, pairs=pairs(b"key")))
content("count_most", "The count is 2^32 - 1.", names(count=2**32 - 1))
content("length_most", "The length of the service is 2^32 - 1.", u32(2**32 - 1) + good[4:])
content("length_of_text_over", "The length of an extra text is one more than there is.",
        names(count=1, pairs=counted(b"key") + u32(5) + b"text"))
content("service_empty", "The service is empty.", names(service=b""), service=b"")
content("account_empty", "The account is empty.", names(account=b""), account=b"")
content("field_empty", "The field is empty.", names(field=b""), field=b"")
content("without_field", "The attributes have no field, as in format 1.",
        counted(b"service") + counted(b"account") + counted(b"") + i64(1) + i64(1) + u32(0))
content("service_1025_bytes", "The service has 1,025 bytes.", names(service=b"s" * 1025), service=b"s" * 1025)
content("account_1025_bytes", "The account has 1,025 bytes.", names(account=b"a" * 1025), account=b"a" * 1025)
content("field_1025_bytes", "The field has 1,025 bytes.", names(field=b"f" * 1025), field=b"f" * 1025)
content("account_513_characters", "The account has 513 characters of two bytes each.",
        names(account=(E_ACUTE * 513).encode()), account=(E_ACUTE * 513).encode())
content("label_1025_bytes", "The label has 1,025 bytes.", names(label=b"l" * 1025))
content("key_empty", "An extra attribute with an empty key.", names(count=1, pairs=pairs(b"")))
content("key_1025_bytes", "A key has 1,025 bytes.", names(count=1, pairs=pairs(b"k" * 1025)))
content("key_twice", "The same key twice.", names(count=2, pairs=pairs(b"key", b"key")))
content("keys_descending", "The keys are in descending order.", names(count=2, pairs=pairs(b"b", b"a")))
content("keys_in_utf16_order", "The keys are in the order of UTF-16, not of their bytes.",
        names(count=2, pairs=pairs("\U00010000".encode(), "\uffee".encode())))
content("keys_ignoring_case", "The keys ascend only if case is ignored.", names(count=2, pairs=pairs(b"a", b"B")))
for name, place in (("service", "service"), ("account", "account"), ("field", "field")):
    bad = b"caf\xe9"
    content(name + "_not_utf8", f"The {place} is not UTF-8.", names(**{name: bad}), **{name: bad})
content("label_not_utf8", "The label is not UTF-8.", names(label=b"\xed\xa0\x80"))
content("key_not_utf8", "A key is not UTF-8.", names(count=1, pairs=pairs(b"\xc0\xaf")))
content("text_not_utf8", "An extra text is not UTF-8.", names(count=1, pairs=counted(b"key") + counted(b"\xff")))
content("service_nul", "The service holds a NUL.", names(service=b"ser\0vice"), service=b"ser\0vice")
content("service_escape", "The service holds an escape character.", names(service=b"\x1b[2J"), service=b"\x1b[2J")
content("account_line_end", "The account ends with a line end.", names(account=b"account\n"), account=b"account\n")
content("field_escape", "The field holds an escape character.", names(field=b"\x1b[2J"), field=b"\x1b[2J")
content("field_u009f", "The field holds U+009F.", names(field="a\u009fb".encode()), field="a\u009fb".encode())
content("label_tab", "The label holds a tab.", names(label=b"a\tb"))
content("label_del", "The label holds U+007F.", names(label=b"a\x7fb"))
content("label_u0080", "The label holds U+0080.", names(label="a\u0080b".encode()))
content("label_u009f", "The label holds U+009F.", names(label="a\u009fb".encode()))
content("key_u0085", "A key holds U+0085.", names(count=1, pairs=pairs("a\u0085".encode())))
content("65537_bytes", "Attributes of 65,537 bytes.",
        names(count=1, pairs=counted(b"key") + counted(b"t" * (65_537 - len(good) - 11))))


@vector("opens", "Characters next to the control characters, and ones that show nothing, are allowed in names.")
def names_beside_control_characters(v):
    v.vault.add("\u0020~\u00a0\u00ad".encode(), "\u200b\u202e\ufeff\uffff".encode(), label="\U0010ffff".encode())
