"""Sections 6 and 7: the state of an object, from the set of its records."""

from functools import cached_property

from .records import position, stamps

CREATE, REMOVE, RESTORE, ALIAS, LOOKED, PROTECTION = range(1, 7)
VALUE, ITEM_NAME, LABEL, ATTRIBUTE = range(16, 20)
NAME, NOTES, DONE, LIST, DUE, COMPLETION, TAG = range(32, 39)
COMPLETED, PRIORITY, SUBTASK_NAME, SUBTASK_POSITION, SUBTASK_DONE, SUBTASK_REMOVE, FURTHER, CHARACTERS = 43, 47, 48, 49, 50, 51, 57, 58
ITEM, TASK = 1, 2
TEXTS = {VALUE, NAME, NOTES, SUBTASK_NAME, FURTHER}
NOT_BY_A_PERSON = {2, 4, 5, 34, 37, 40, 41, 43, 44, 50, 51, 52, 53, 54, 56}


class Object:
    def __init__(self, records):
        self.records = records
        self.id = min(each.object for each in records)
        self.removes = [each for each in records if each.number == REMOVE]
        self.looked = {stamp for each in records if each.number == LOOKED for stamp in stamps(each.content) or []}
        self.changes = {}
        for each in records:
            if each.number not in (REMOVE, LOOKED, ALIAS):
                self.changes.setdefault((each.number, each.detail), []).append(each)

    @cached_property
    def kind(self):
        made = self.changes.get((CREATE, b""))
        return min(made, key=lambda each: each.stamp).content[0] if made else None

    @cached_property
    def covered(self):
        return {each.key for each in self.records if any(remove.has_seen(each) for remove in self.removes)}

    @property
    def by_person(self):
        return [each for each in self.records if each.number not in NOT_BY_A_PERSON]

    @property
    def is_removed(self):
        return all(each.key in self.covered for each in self.by_person)

    @property
    def has_returned(self):
        return not self.is_removed and any(
            remove.stamp not in self.looked
            and any(each.key not in self.covered and not each.has_seen(remove) for each in self.by_person) for remove in self.removes)

    @cached_property
    def ends_of_protection(self):
        return [each for each in self.changes.get((PROTECTION, b""), []) if each.level == 2]

    @cached_property
    def protecting(self):
        """The records that say that it is protected."""
        saying = [each for each in self.changes.get((PROTECTION, b""), []) if each.level < 2 and each.content == b"\1"]
        if self.kind == TASK:
            saying += [each for (number, _), versions in self.changes.items() if number in TEXTS for each in versions if each.written == 2]
        return saying

    @property
    def is_protected(self):
        return any(not any(end.has_seen(each) for end in self.ends_of_protection) for each in self.protecting)

    def is_in_the_open(self, record):
        """Whether it came in the open although its author had seen that the object is protected."""
        ends = [end for end in self.ends_of_protection if record.has_seen(end)]
        return record.written < 2 and any(record.has_seen(each) and not any(end.has_seen(each) for end in ends) for each in self.protecting)

    def ranked(self, number, detail=b""):
        return sorted(self.changes.get((number, detail), []), key=lambda each: (each.key not in self.covered, each.stamp, each.object), reverse=True)

    def current(self, number, detail=b""):
        """The content of the highest rank; None without a record."""
        ranked = self.ranked(number, detail)
        return ranked[0].content if ranked else None

    def details(self, number):
        return sorted(detail for found, detail in self.changes if found == number)

    @property
    def is_concurrent(self):
        """Whether an earlier version of a value or a text is marked."""
        for number, detail in self.changes:
            if number in TEXTS:
                ranked = self.ranked(number, detail)
                for place, each in enumerate(ranked):
                    if each.stamp not in self.looked and any(
                            other.content != each.content and (other.is_concurrent(each) or self.is_in_the_open(other)) for other in ranked[:place]):
                        return True
        return False

    # --- Tasks --------------------------------------------------------------------------------------------------------

    @cached_property
    def completions(self):
        """Those that count, by occurrence: (next occurrence, date, stamp)."""
        found = {}
        for (number, detail), versions in self.changes.items():
            if number != COMPLETION:
                continue
            undone = [each for each in versions if each.content == b"\0"]
            done = [each for each in versions if each.content[:1] == b"\1" and not any(other.has_seen(each) for other in undone)]
            if done:
                occurrence = int.from_bytes(detail, "little", signed=True)
                found[occurrence] = [(signed(each.content[1:9]), each.content[9:], each.stamp) for each in done]
        return found

    @property
    def due(self):
        """Occurrence, whether it was edited, and date; None without any."""
        found = [(signed(each.content[:8]), each.content[8], each.stamp, each.content[9:]) for each in self.changes.get((DUE, b""), [])]
        found += [(following, 0, stamp, date) for each in self.completions.values() for following, date, stamp in each]
        best = max(found, default=None)
        return best and (best[0], bool(best[1]), best[3])

    @property
    def tags(self):
        return sorted(detail.decode() for detail in self.details(TAG) if self.current(TAG, detail) == b"\1")

    @property
    def subtasks(self):
        """The ids of those that are there, in their order."""
        kept = []
        ids = {detail for number, detail in self.changes if SUBTASK_NAME <= number <= SUBTASK_REMOVE}
        for id in ids:
            versions = [each for (number, detail), of in self.changes.items() if detail == id and 48 <= number <= 54 for each in of]
            removes = [each for each in versions if each.number == SUBTASK_REMOVE]
            persons = [each for each in versions if each.number not in NOT_BY_A_PERSON]
            place = position(self.current(SUBTASK_POSITION, id) or b"")
            if place and not all(any(remove.has_seen(each) for remove in removes) for each in persons):
                kept.append((place, id))
        return [id for _, id in sorted(kept)]


def signed(data):
    return int.from_bytes(data, "little", signed=True)


def objects(records):
    """The objects of a set of records; items with those that aliases join to them."""
    leader = {}

    def find(id):
        while leader.get(id, id) != id:
            id = leader[id]
        return id

    for each in records:
        if each.number == ALIAS and each.level:
            one, other = sorted((find(each.object), find(each.detail)))
            leader[other] = one
    groups = {}
    for each in records:
        groups.setdefault(find(each.object), []).append(each)
    found = [Object(group) for group in groups.values()]
    return [each for each in found if each.kind is not None]
