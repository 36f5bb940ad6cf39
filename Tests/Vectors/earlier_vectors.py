"""Vectors of earlier rows, and of reading one name (sections 5, 6 and 10)."""

import copy

from opening_vectors import E_ACUTE, entry, nfd
from row_vectors import A, VALUE, edit_blob, exchange, move, remove, remove_last_of_bucket
from writer import MAXIMUM_VALUE, ROW_HASH, flipped, hash_, total, u32, u64, u8, vector


# === Earlier rows ====================================================================================================

def history(v):
    """Five earlier rows of three items; two of one item, one of an item that was removed, and two of class 2."""
    first, second, third = v.three_items()
    v.vault.replace(first, b"second value of the first")
    v.vault.replace(first, b"third value of the first", time=1_700_000_100_500)
    v.vault.replace(second, b"another value", label=b"a label")
    v.vault.replace(third, b"the last value")
    v.vault.remove(third)


def listing(name, expect, comment, do="earlier", sealed=False):
    """The earlier rows of `history` are listed, after a change of the finished records; `sealed`: by a holder of the keys."""
    def register(damage):
        @vector(expect, comment, "earlier_" + name)
        def prepare(v):
            history(v)
            v.build()
            damage(v)
            if sealed:
                v.reseal()
            v.do = do
        return damage
    return register


def nothing(v):
    pass


listing("values", "opens", "Earlier values of three items, one of which was removed.")(nothing)
listing("values_items_listed", "opens", "The same records, of which the items are listed.", do=None)(nothing)


@vector("opens", "A vault without earlier rows, which are listed.")
def earlier_none(v):
    v.three_items()
    v.do = "earlier"


@vector("opens", "Earlier rows in buckets 256 and 511, and three in one bucket.")
def earlier_in_buckets(v):
    for number, start in enumerate((0, 255, 7, 7, 7)):
        item = v.vault.add(b"service", b"account %d" % number)
        item.id = u8(start) + item.id[1:]
        v.vault.replace(item, b"new value")
    v.do = "earlier"


@vector("opens", "An item was renamed between two values; the earlier row has the old names, and no tag is compared.")
def earlier_renamed(v):
    item = v.vault.add(b"service", b"old name", b"old value", label=b"Old", extra=[(b"key", b"text")])
    v.vault.replace(item, b"new value", account=b"new name")
    v.do = "earlier"


@vector("opens", "The removed item's names are used again by another one.")
def earlier_name_used_again(v):
    v.vault.remove(v.vault.add(b"service", b"account", b"old value"))
    v.vault.add(b"service", b"account", b"new value")
    v.do = "earlier"


@vector("opens", "Times of a move before 1970 and at the ends of their range.")
def earlier_times_extreme(v):
    for time in (-2**63, -1, 0, 2**63 - 1):
        v.vault.replace(v.vault.items[0] if v.vault.items else v.vault.add(b"service", b"account"), b"value", time=time)
    v.do = "earlier"


@vector("opens", "The class was raised between two values, and the earlier row with it.")
def earlier_of_raised_class(v):
    item = v.vault.add(b"service", b"account", class_=2)
    v.vault.replace(item, b"new value")
    v.do = "earlier"


@vector("opens", "Earlier rows after a rekey.")
def earlier_after_rekey(v):
    history(v)
    v.build()
    v.vault.rekey()
    v.commit()
    v.do = "earlier"


# Each list looks at its own table.

def remove_an_item(v):
    v.rows.pop(0)


def remove_an_earlier_row(v):
    v.earlier.pop(0)


def damage_earlier_blobs(v):
    for row in v.earlier:
        row.attributes, row.value, row.moved = flipped(row.attributes, 0), flipped(row.value, 0), flipped(row.moved, 0)


def damage_items_blobs(v):
    for row in v.rows:
        row.attributes, row.value = flipped(row.attributes, 0), flipped(row.value, 0)


listing("row_removed_items_listed", "opens", "An earlier row was removed, and the items are listed.", do=None)(remove_an_earlier_row)
listing("blobs_damaged_items_listed", "opens", "All earlier rows are damaged, and the items are listed; the sums fit.", do=None,
        sealed=True)(damage_earlier_blobs)
listing("item_removed", "opens", "An item was removed, and the earlier rows are listed.")(remove_an_item)
listing("items_damaged", "opens", "All items are damaged, and the earlier rows are listed; the sums fit.", sealed=True)(damage_items_blobs)
listing("items_count_wrong", "opens", "The state says 9 items, and the earlier rows are listed.")(lambda v: v.reseal_state(items=9))
listing("count_wrong_items_listed", "opens", "The state says 9 earlier rows, and the items are listed.", do=None)(
    lambda v: v.reseal_state(earlier=9))
for name, words, count in (("too_low", "four earlier rows, there are five", 4), ("too_high", "six earlier rows, there are five", 6),
                           ("of_items", "as many earlier rows as items", 2), ("most", "2^64 - 1 earlier rows", 2**64 - 1)):
    listing("count_" + name, "earlier_count", f"The state says {words}.")(lambda v, count=count: v.reseal_state(earlier=count))


# Bucket records.

def earlier_bucket(v):
    return v.earlier[0].bucket()


def exchange_with_item_bucket(v):
    """Bucket 5 of items, and its record in the place of that of the bucket 256 higher, and the other way."""
    for item in v.vault.earlier:
        item.item.id = b"\5" + item.item.id[1:]
    v.build()
    v.buckets[5], v.buckets[261] = v.buckets[261], v.buckets[5]


@listing("bucket_records_exchanged_with_items", "buckets_sum", "The records of buckets 5 and 261 changed places.")
def exchange_buckets(v):
    exchange_with_item_bucket(v)


@listing("bucket_records_exchanged_with_items_resealed", "bucket_seal", "The records of buckets 5 and 261 changed places; the state knows it.")
def exchange_buckets_resealed(v):
    exchange_with_item_bucket(v)
    v.reseal_state()


@listing("bucket_without_rows", "bucket_seal", "The record of an item bucket is also there as that of bucket 256; the state knows it.")
def bucket_256(v):
    v.buckets[256] = v.buckets[min(v.buckets)]
    v.reseal_state()


@listing("bucket_removed", "buckets_sum", "A bucket of earlier rows was removed with its rows.")
def remove_earlier_bucket(v):
    number = earlier_bucket(v)
    v.buckets.pop(number)
    v.earlier = [row for row in v.earlier if row.bucket() != number]


@listing("bucket_removed_items_listed", "buckets_sum", "A bucket of earlier rows was removed with its rows, and the items are listed.", do=None)
def remove_earlier_bucket_too(v):
    remove_earlier_bucket(v)


@listing("all_removed", "buckets_sum", "All earlier rows were removed with their buckets.")
def remove_all(v):
    v.earlier, v.buckets = [], {number: record for number, record in v.buckets.items() if number < 256}


@listing("bucket_count_0", "bucket_content", "A bucket of earlier rows has count 0.")
def bucket_without_count(v):
    number = earlier_bucket(v)
    v.buckets[number] = v.vault.bucket_record(number, 0, [row for row in v.earlier if row.bucket() == number])
    v.reseal_state()


@listing("bucket_format_1", "bucket_format", "The record of a bucket of earlier rows has format 1, and the items are listed.", do=None)
def bucket_format(v):
    number = earlier_bucket(v)
    v.buckets[number] = u32(1) + v.buckets[number][4:]
    v.reseal_state()


@listing("element_as_item", "bucket_rows", "The element of an earlier row is made like that of an item with its item id as tag.")
def element_as_item(v):
    row = v.earlier[0]
    number = row.bucket()
    rows = [each for each in v.earlier if each.bucket() == number and each is not row]
    elements = [v.vault.row_element(each) for each in rows] + [hash_(
        64, v.vault.subkey(ROW_HASH), b"TVRW", *row.element()[1:])]
    v.buckets[number] = v.vault.bucket_record_of(number, u64(len(elements)) + total(elements))
    v.reseal_state()


# Rows.

def change(**fields):
    """Of the first earlier row; a function takes the old value."""
    def damage(v):
        for name, value in fields.items():
            setattr(v.earlier[0], name, value(getattr(v.earlier[0], name)) if callable(value) else value)
    return damage


def exchange_of_one_item(*names):
    """Between the two earlier rows of one item."""
    def damage(v):
        item = v.vault.items[0].id
        first, second = (row for row in v.earlier if row.item_id == item)
        for name in names:
            left, right = getattr(first, name), getattr(second, name)
            setattr(first, name, right)
            setattr(second, name, left)
    return damage


listing("row_removed", "bucket_rows", "An earlier row was removed.")(remove_an_earlier_row)
listing("row_class_changed", "bucket_rows", "The class of an earlier row was changed.")(change(class_=lambda class_: 3 - class_))
listing("row_revision_changed", "bucket_rows", "The revision of an earlier row was changed.")(change(revision=9))
listing("row_value_damaged", "bucket_rows", "One bit of the value of an earlier row was changed.")(change(value=lambda b: flipped(b, 30)))
listing("row_moved_damaged", "bucket_rows", "One bit of the time of an earlier row's move was changed.")(change(moved=lambda b: flipped(b, 30)))
listing("rows_exchanged_moved", "bucket_rows", "Two earlier rows of one item exchanged the times of their moves.")(exchange_of_one_item("moved"))
listing("rows_exchanged_revisions", "bucket_rows", "Two earlier rows of one item exchanged their revisions.")(exchange_of_one_item("revision"))


@listing("row_added", "bucket_rows", "An item is also there as an earlier row, in a bucket without a record.")
def row_added(v):
    item = v.vault.add(b"service", b"added")
    item.id = bytes(16)
    v.vault.replace(item, b"new value")
    v.earlier.append(v.vault.earlier_row(v.vault.earlier[-1]))
    v.vault.earlier.pop()


@vector("bucket_rows", "An earlier row that was erased is there again.")
def earlier_row_put_back(v):
    history(v)
    v.build()
    old = v.earlier[0]
    v.vault.earlier = [row for row in v.vault.earlier if (row.item.id, row.item.revision) != (old.item_id, old.revision)]
    v.commit()
    v.earlier.append(old)
    v.do = "earlier"


for name, words, fields in (
        ("class_0", "class 0", dict(class_=0)), ("class_3", "class 3", dict(class_=3)),
        ("revision_0", "revision 0", dict(revision=0)), ("revision_2_63", "revision 2^63", dict(revision=2**63)),
        ("item_id_empty", "an item id of no bytes", dict(item_id=b"")),
        ("item_id_15_bytes", "an item id of 15 bytes", dict(item_id=lambda b: b[:15])),
        ("item_id_17_bytes", "an item id of 17 bytes", dict(item_id=lambda b: b + b"\0")),
        ("moved_empty", "a move of no bytes", dict(moved=b"")),
        ("moved_48_bytes", "a move of 48 bytes", dict(moved=lambda b: b[:-1])),
        ("moved_50_bytes", "a move of 50 bytes", dict(moved=lambda b: b + b"\0"))):
    listing(name, "row_shape", f"An earlier row with {words}; the sums fit.", sealed=True)(change(**fields))


@listing("row_twice", "row_shape", "The same earlier row twice; the sums fit.", sealed=True)
def row_twice(v):
    v.earlier.append(copy.copy(v.earlier[0]))


@listing("row_twice_with_other_columns", "row_shape", "Two earlier rows with one item id and one revision; the sums fit.", sealed=True)
def row_twice_with_other_columns(v):
    item = v.vault.items[0].id
    first, second = (row for row in v.earlier if row.item_id == item)
    second.revision = first.revision


for number in (0, 1, 3):
    listing(f"row_format_{number}", "row_format", f"An earlier row with record format {number}; the sums fit.", sealed=True)(
        change(format=number))


# The move.

for name, words, place in (("nonce", "nonce", 0), ("ciphertext", "ciphertext", 30), ("tag", "tag", -1)):
    listing(f"moved_{name}_damaged", "moved_seal", f"The {words} of an earlier row's move is damaged; the sums fit.", sealed=True)(
        change(moved=lambda b, place=place: flipped(b, place)))
listing("moved_exchanged_resealed", "moved_seal", "Two earlier rows of one item exchanged the times of their moves; the sums fit.",
        sealed=True)(exchange_of_one_item("moved"))
listing("moved_before_attributes", "moved_seal", "The move and the attributes of an earlier row are damaged; the sums fit.", sealed=True)(
    change(moved=lambda b: flipped(b, 0), attributes=lambda b: flipped(b, 0)))


def misplaced_move(name, comment, **wrong):
    @vector("moved_seal", comment, "earlier_moved_" + name)
    def prepare(v):
        v.vault.replace(v.vault.add(b"service", b"account"), b"new value")
        v.build()
        v.earlier[0].moved = v.vault.seal_moved(v.vault.earlier[0], **wrong)
        v.reseal()
        v.do = "earlier"


misplaced_move("for_another_item", "A move is sealed for another item id; the sums fit.", id=bytes(16))
misplaced_move("for_another_revision", "A move is sealed for the next revision; the sums fit.", revision=2)
misplaced_move("for_another_class", "A move is sealed for class 2; the sums fit.", class_=2)
misplaced_move("for_another_purpose", "A move is sealed for purpose 3; the sums fit.", purpose=3)
misplaced_move("for_another_vault", "A move is sealed for another vault id; the sums fit.", vault_id=bytes(16))
misplaced_move("for_another_part", "A move is sealed for part 1; the sums fit.", part=1)
misplaced_move("for_format_1", "A move is sealed for record format 1; the sums fit.", format=1)

for number in (2, 255):
    @vector("moved_content", f"The second part of a move is {number}.", f"earlier_moved_content_{number}")
    def prepare(v, number=number):
        v.vault.replace(v.vault.add(b"service", b"account"), b"new value")
        v.vault.earlier[0].removed = number
        v.do = "earlier"


# The blobs of an earlier row.

listing("attributes_damaged", "attributes_seal", "The attributes of an earlier row are damaged; the sums fit.", sealed=True)(
    change(attributes=lambda b: flipped(b, 30)))
listing("attributes_39_bytes", "attributes_seal", "The attributes of an earlier row are shorter than nonce and tag; the sums fit.",
        sealed=True)(change(attributes=lambda b: b[:39]))
listing("value_damaged", "value_seal", "The value of an earlier row is damaged; the sums fit.", sealed=True)(
    change(value=lambda b: flipped(b, 30)))
listing("attributes_exchanged", "attributes_seal", "Two earlier rows of one item exchanged their attributes; the sums fit.",
        sealed=True)(exchange_of_one_item("attributes"))
listing("values_exchanged", "value_seal", "Two earlier rows of one item exchanged their values; the sums fit.",
        sealed=True)(exchange_of_one_item("value"))
listing("class_changed_resealed", "moved_seal", "The class of an earlier row was changed; the sums fit.", sealed=True)(
    change(class_=lambda class_: 3 - class_))


def earlier_item(name, expect, comment, **fields):
    """An earlier row that a holder of the keys made."""
    @vector(expect, comment, "earlier_" + name)
    def prepare(v):
        item = v.vault.add(b"service", b"account")
        v.vault.replace(item, b"new value")
        for key, value in fields.items():
            setattr(v.vault.earlier[0].item, key, value)
        v.do = "earlier"


earlier_item("attributes_padding", "attributes_padding", "The padded attributes of an earlier row have three bytes.", attributes_padded=bytes(3))
earlier_item("attributes_content", "attributes_content", "The attributes of an earlier row have no bytes.", attributes_text=b"")
earlier_item("value_padding", "value_padding", "The padded value of an earlier row has three bytes.", value_padded=bytes(3))
earlier_item("value_one_mebibyte_and_one", "value_too_large", "An earlier value of 1,048,577 bytes.", value=bytes(MAXIMUM_VALUE + 1))


# === Reading one name ================================================================================================

def reading(name, expect, comment, damage=lambda v, first, second, third: None, which=0, names=None):
    """Three items as in `row_edit`; one name is read."""
    @vector(expect, comment, "read_" + name)
    def prepare(v):
        items = v.three_items()
        v.read = names or entry(items[which].service, items[which].account)
        v.build()
        damage(v, *(v.row_of(item) for item in items))


def resealed(edit):
    def damage(v, *rows):
        edit(v, *rows)
        v.reseal()
    return damage


reading("found", "opens", "A name that is there.")
reading("found_second_class", "opens", "A name that is there, of class 2, second in its bucket.", which=1)
reading("absent_name", "not_found", "A name that is not there.", names=entry(b"service", b"absent"))
reading("other_case", "not_found", "The service in another case.", names=entry(b"Service", b"account"))
reading("other_field", "not_found", "Another field of an entry that is there.", names=entry(b"service", b"account", b"one-time"))
reading("row_hidden", "bucket_rows", "The row of the name was removed: this is not the answer not found.", remove)
reading("last_row_of_bucket_hidden", "bucket_rows", "The only row of its bucket was removed.", remove_last_of_bucket, which=2)


def hide_bucket(v, first, second, third):
    v.rows.remove(third)
    v.buckets.pop(200)


reading("bucket_hidden", "buckets_sum", "The row of the name was removed with its bucket record.", hide_bucket, which=2)
reading("other_bucket_record_hidden", "buckets_sum", "The record of another bucket was removed.",
        lambda v, *rows: v.buckets.pop(200))
reading("other_bucket_row_hidden", "opens", "A row of another bucket was removed: a read does not look there.",
        remove_last_of_bucket)
reading("neighbour_removed", "bucket_rows", "Another row of the bucket was removed.", lambda v, f, second, t: v.rows.remove(second))
reading("neighbour_format", "row_format", "Another row of the bucket has record format 1; the sums fit.",
        resealed(lambda v, f, second, t: setattr(second, "format", 1)))
reading("neighbour_twice", "row_shape", "Another row of the bucket is there twice; the sums fit.",
        resealed(lambda v, f, second, t: v.rows.append(copy.copy(second))))
reading("neighbour_attributes_damaged", "opens", "The attributes of another item of the bucket are damaged; the sums fit.",
        resealed(lambda v, f, second, t: setattr(second, "attributes", flipped(second.attributes, 30))))
reading("items_count_wrong", "opens", "The state says 9 items: a read does not count the other buckets.",
        lambda v, *rows: v.reseal_state(9))
reading("attributes_before_value", "attributes_seal", "Attributes and value are damaged; the sums fit.",
        resealed(lambda v, f, s, t: (edit_blob(A, lambda b: flipped(b, 0))(v, f, s, t),
                                     edit_blob(VALUE, lambda b: flipped(b, 0))(v, f, s, t))))
reading("value_damaged", "value_seal", "The value is damaged; the sums fit.",
        resealed(edit_blob(VALUE, lambda b: flipped(b, 30))))
reading("item_of_other_name", "tag_names", "The row of another name is under the tag; the sums fit.", resealed(exchange("tag")))
reading("bucket_seal", "bucket_seal", "The bucket record is sealed for another bucket; the state knows it.",
        lambda v, *rows: (move(5, 200)(v, v.buckets), v.reseal_state()))


@vector("not_found", "A name in a vault without items.")
def read_in_empty_vault(v):
    v.read = entry(b"service", b"account")


@vector("not_found", "The decomposed form of a name that is there composed.")
def read_name_in_nfd(v):
    v.vault.add(E_ACUTE.encode(), b"account")
    v.read = entry(nfd(E_ACUTE).encode(), b"account")


@vector("not_found", "A name that is not there, in a bucket that is used.")
def read_absent_name_of_used_bucket(v):
    v.three_items()
    v.read = entry(b"service", v.name_in_bucket(5, 2))


@vector("bucket_rows", "A name that is not there, in a bucket whose row was removed.")
def read_absent_name_of_damaged_bucket(v):
    items = v.three_items()
    v.read = entry(b"service", v.name_in_bucket(5, 2))
    v.build()
    v.rows.remove(v.row_of(items[0]))


@vector("bucket_rows", "A row for the name was added to a bucket without a record.")
def read_row_added(v):
    v.read = entry(b"service", b"account")
    v.build()
    v.rows = [v.vault.row(v.vault.add(b"service", b"account"))]


@vector("rolled_back", "A name that is there, in a vault that is older than the rollback record.")
def read_rolled_back(v):
    item = v.three_items()[0]
    v.read = entry(item.service, item.account)
    v.build()
    v.rollback_record = v.vault.rollback_record(b"newer", counter=2)
