"""Sections 9 and 10: which statements are valid, which count, who is a member, and which epochs are usable."""

from functools import cached_property

from .keys import LIST, signing_key, VERIFIED, is_signed, secrets_chain
from .statements import ADD, CREATE, DELIVER, DEVICE, DEVICES, EPOCH, RECOVERY, REMOVE, RENAME, Statement, consent_text
from .values import Refused


class Group:
    def __init__(self, group, blobs):
        self.group, self.failures, self.past = group, {}, {}
        self.valid = {}
        waiting = []
        for data in blobs:
            try:
                waiting.append(Statement.decode(data))
            except Refused as failure:
                self.failures[data] = failure.name
        while True:
            rest = [statement for statement in waiting if not self.place(statement)]
            if len(rest) == len(waiting):
                break
            waiting = rest
        for statement in waiting:
            self.failures[statement.id] = "statement_seen"

    def place(self, statement):
        """Whether it is decided if the statement is valid."""
        if statement.group != self.group:
            self.failures[statement.id] = "statement_group"
            return True
        if any(id in self.failures for id in statement.seen) or not all(id in self.valid for id in statement.seen):
            return False
        past = set(statement.seen).union(*(self.past[id] for id in statement.seen))
        failure = self.failure(statement, past)
        if failure:
            self.failures[statement.id] = failure
        else:
            self.valid[statement.id], self.past[statement.id] = statement, past
        return True

    def failure(self, statement, past):
        seen = [self.valid[id] for id in past]
        if statement.kind == CREATE:
            return None if statement.signed_by(statement.keys) else "statement_signature"
        introduction = self.valid.get(statement.introduction)
        if statement.introduction not in past or introduction.introduced != statement.author:
            return "statement_author"
        if not statement.signed_by(introduction.keys):
            return "statement_signature"
        added = {each.introduced for each in seen if each.introduced}
        if statement.kind == ADD:
            text = consent_text(self.group, statement.role, statement.keys)
            if not is_signed(text, statement.consent, signing_key(statement.keys, VERIFIED)):
                return "statement_consent"
            devices = {each.introduced for each in seen if each.kind == CREATE or each.kind == ADD and each.role == DEVICE}
            if statement.role == DEVICE and len(devices - {each.member for each in seen if each.kind == REMOVE}) >= DEVICES:
                return "statement_full"
        named = set(statement.epoch.boxes) if statement.kind == EPOCH else {statement.member} if statement.member else set()
        return None if named <= added else "statement_member"

    # --- Section 10 ---------------------------------------------------------------------------------------------------

    def rests_on(self, statement):
        """The statement, its introduction, the introduction of that one, and so on."""
        while True:
            yield statement
            if statement.kind == CREATE:
                return
            statement = self.valid[statement.introduction]

    def strikes(self, remove, statement):
        if statement is remove:
            return False
        return any(each.author == remove.member and each.id not in self.past[remove.id] and each is not remove for each in self.rests_on(statement))

    def role(self, statement):
        introduction = self.valid.get(statement.introduction)
        return RECOVERY if introduction and introduction.role == RECOVERY else DEVICE

    def threatens(self, remove, other):
        if not self.strikes(remove, other):
            return False
        outranks = self.role(remove) == RECOVERY and self.role(other) == DEVICE and other.member == remove.author
        return outranks or not self.strikes(other, remove)

    @cached_property
    def counting(self):
        """The statements that count, by clock and id."""
        removes = [each for each in self.valid.values() if each.kind == REMOVE]
        threats = {each.id: [other.id for other in removes if self.threatens(other, each)] for each in removes}
        sure, void = set(), set()
        changes = True
        while changes:
            changes = False
            for id, own in threats.items():
                if id in sure or id in void:
                    continue
                if void.issuperset(own):
                    sure.add(id)
                elif sure.intersection(own):
                    void.add(id)
                else:
                    continue
                changes = True
        count = [each for each in removes if each.id not in void]
        others = [each for each in self.valid.values() if each.kind != REMOVE and not any(self.strikes(remove, each) for remove in count)]
        return sorted(count + others, key=lambda each: each.order)

    def kind(self, *kinds):
        return [each for each in self.counting if each.kind in kinds]

    @cached_property
    def introductions(self):
        """The first statement that counts and introduced each member, by id of the member."""
        found = {}
        for each in self.kind(CREATE, ADD):
            found.setdefault(each.introduced, each)
        return found

    @cached_property
    def removes(self):
        found = {}
        for each in self.kind(REMOVE):
            found.setdefault(each.member, []).append(each)
        return found

    @cached_property
    def members(self):
        """The devices: of more than sixteen those that joined first."""
        devices = [id for id, each in self.introductions.items() if id not in self.removes and each.role != RECOVERY]
        return devices[:DEVICES]

    @cached_property
    def recovery_members(self):
        return [id for id, each in self.introductions.items() if id not in self.removes and each.role == RECOVERY]

    @cached_property
    def former(self):
        """Last heads by chain of each device that was removed."""
        return {id: self.last_heads(id) for id, each in self.introductions.items() if id in self.removes and each.role != RECOVERY}

    def last_heads(self, device):
        return {chain: max((remove.heads.get(chain, (0, b""))[0] for remove in self.removes[device])) for chain in (device, secrets_chain(device))}

    def keys(self, device):
        return self.introductions[device].keys

    def name(self, device, list_keys):
        renames = [each for each in self.kind(RENAME) if each.member == device]
        return (renames[-1] if renames else self.introductions[device]).name.text(self.group, device, list_keys)

    # --- Epochs -------------------------------------------------------------------------------------------------------

    @cached_property
    def epochs(self):
        """All epochs of valid statements, by id."""
        return {each.epoch.id: each.epoch for each in self.valid.values() if each.kind == EPOCH}

    def openers(self, statement):
        found = {*statement.epoch.boxes, statement.author}
        for each in self.kind(DELIVER):
            if statement.epoch.id in each.boxes:
                found |= {each.member, each.author}
        return found

    @cached_property
    def admitted(self):
        """The removed devices that can open each epoch, by its id."""
        found = {id: set(epoch.boxes) for id, epoch in self.epochs.items()}
        for each in self.kind(EPOCH):
            found[each.epoch.id] |= self.openers(each)
        return {id: openers & self.former.keys() for id, openers in found.items()}

    @cached_property
    def excluded(self):
        """The removed devices whose removal everyone knows who has an epoch, by its id: each of its statements has it in its past."""
        counting = {each.id for each in self.kind(REMOVE)}
        found = {}
        for each in self.valid.values():
            if each.kind == EPOCH:
                known = {self.valid[id].member for id in self.past[each.id] & counting}
                found[each.epoch.id] = found.get(each.epoch.id, known) & known
        return {id: known & self.former.keys() for id, known in found.items()}

    @cached_property
    def usable(self):
        """The ids of the usable epochs, the newest first."""
        present = {*self.members, *self.recovery_members}
        found = [each.epoch.id for each in self.kind(EPOCH) if self.openers(each) <= present]
        return list(dict.fromkeys(reversed(found)))

    def open_epochs(self, secrets):
        """The keys of all epochs by id and level, with the secrets of one device by level."""
        opened = {}
        for id, epoch in self.epochs.items():
            delivered = [each.boxes[id] for each in self.valid.values() if each.kind == DELIVER and id in each.boxes]
            for level, own in secrets.items():
                for boxes in [None, *delivered]:
                    try:
                        opened.setdefault(id, {})[level] = epoch.key(own, boxes)
                        break
                    except Refused:
                        continue
        return opened

    def sealing(self, opened):
        """The epoch for new segments."""
        return next((id for id in self.usable if LIST in opened.get(id, {})), None)
