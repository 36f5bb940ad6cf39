package import SecureStorage

/// The field of an object that a record changes: its number, and a detail such as a tag or the id of a subtask (`Docs/Sync.md`, section 5).
///
/// An unknown number is a plain field, so that an older program keeps it and gives it back.
package struct RecordField: Hashable, Comparable, Sendable {
    /// The maximum size of a detail, in bytes.
    package static let detailLimit = 1_024

    package let number: UInt32
    package let detail: [UInt8]

    static let aliasNumber: UInt32 = 4
    static let completionNumber: UInt32 = 37
    static let tagNumber: UInt32 = 38
    private static let subtaskNameNumber: UInt32 = 48
    private static let subtaskPositionNumber: UInt32 = 49
    private static let subtaskDoneNumber: UInt32 = 50
    private static let subtaskRemoveNumber: UInt32 = 51
    private static let subtaskDueNumber: UInt32 = 52
    private static let subtaskReminderNumber: UInt32 = 53
    private static let subtaskSnoozeNumber: UInt32 = 54
    private static let dependencyNumber: UInt32 = 56

    package init(_ number: UInt32, _ detail: [UInt8] = []) {
        self.number = number
        self.detail = detail
    }

    package static func < (left: RecordField, right: RecordField) -> Bool {
        guard left.number == right.number else { return left.number < right.number }
        return left.detail.lexicographicallyPrecedes(right.detail)
    }

    // MARK: Fields of every object

    /// The object was made; its content is the number of its kind.
    package static let create = RecordField(1)
    package static let remove = RecordField(2)
    package static let restore = RecordField(3)
    /// This object and the one in the detail are one: both have the same name.
    package static func alias(_ other: ObjectID) -> RecordField {
        RecordField(aliasNumber, other.bytes)
    }
    /// A person looked at the versions and removes whose stamps are in the content.
    package static let looked = RecordField(5)
    /// The class of an item, or the protection of a task: whether it needs verification. At the level *after verification* it says that it
    /// needs none; at others, this never ends protection.
    package static let protection = RecordField(6)

    // MARK: Items

    /// The value of a secret.
    package static let value = RecordField(16)
    /// Service, account and field of an item, in a form that is equal for equal names.
    package static let itemName = RecordField(17)
    package static let label = RecordField(18)
    package static func attribute(_ key: String) -> RecordField { RecordField(19, Array(key.utf8)) }

    // MARK: Tasks

    package static let taskName = RecordField(32)
    package static let notes = RecordField(33)
    package static let done = RecordField(34)
    package static let list = RecordField(35)
    /// The due date: occurrence, whether it was edited, and the date.
    package static let due = RecordField(36)
    /// The completion of the occurrence in the detail.
    package static func completion(_ occurrence: Int64) -> RecordField {
        var writer = ByteWriter(capacity: 8)
        writer.integer(occurrence)
        return RecordField(completionNumber, writer.bytes)
    }
    package static func tag(_ tag: String) -> RecordField {
        RecordField(tagNumber, Array(tag.utf8))
    }
    package static let repetition = RecordField(39)
    package static let snooze = RecordField(40)
    package static let reminderShown = RecordField(41)
    /// When it was made.
    package static let created = RecordField(42)
    /// When it was done, and from when on it is kept until it is cleared.
    package static let completed = RecordField(43)
    /// Whether it is hidden, because it was done some time ago.
    package static let cleared = RecordField(44)
    package static let start = RecordField(45)
    package static let reminder = RecordField(46)
    package static let priority = RecordField(47)
    /// The public name of a protected task.
    package static let nickname = RecordField(55)
    /// Whether the task in the detail comes before this one.
    package static func dependency(_ other: ObjectID) -> RecordField {
        RecordField(dependencyNumber, other.bytes)
    }
    /// Attributes of another program, which are text.
    package static let further = RecordField(57)
    /// The six characters.
    package static let characters = RecordField(58)

    // MARK: Subtasks

    package static func subtaskName(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskNameNumber, id.bytes)
    }
    package static func subtaskPosition(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskPositionNumber, id.bytes)
    }
    package static func subtaskDone(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskDoneNumber, id.bytes)
    }
    package static func subtaskRemove(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskRemoveNumber, id.bytes)
    }
    package static func subtaskDue(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskDueNumber, id.bytes)
    }
    package static func subtaskReminder(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskReminderNumber, id.bytes)
    }
    package static func subtaskSnooze(_ id: SubtaskID) -> RecordField {
        RecordField(subtaskSnoozeNumber, id.bytes)
    }
}

extension RecordField {
    /// Whether earlier versions are kept as values, and marked *concurrent* rather than logged: a value, or a text of a task.
    package var isVersioned: Bool {
        switch number {
        case Self.value.number, Self.taskName.number, Self.notes.number, Self.subtaskNameNumber,
            Self.further.number:
            true
        default: false
        }
    }

    /// Whether the content is secret at every level; at the level *after verification* every content is.
    package var isSecret: Bool { number == Self.value.number }

    /// Whether a record is a change by a person, which brings back an object that was removed without having seen it.
    package var isChangeByPerson: Bool {
        switch number {
        case Self.remove.number, Self.aliasNumber, Self.looked.number, Self.done.number,
            Self.completionNumber, Self.snooze.number, Self.reminderShown.number,
            Self.completed.number, Self.cleared.number, Self.subtaskDoneNumber,
            Self.subtaskRemoveNumber, Self.subtaskDueNumber, Self.subtaskReminderNumber,
            Self.subtaskSnoozeNumber, Self.dependencyNumber:
            false
        default: true
        }
    }

    /// The subtask of a field; nil for other fields.
    var subtask: SubtaskID? {
        (Self.subtaskNameNumber...Self.subtaskRemoveNumber).contains(number)
            ? SubtaskID(detail) : nil
    }

    /// The other object of an alias; nil for other fields.
    package var aliased: ObjectID? { number == Self.aliasNumber ? ObjectID(detail) : nil }

    /// The subtask of a field, its times included; nil for other fields.
    package var ofSubtask: SubtaskID? {
        (Self.subtaskNameNumber...Self.subtaskSnoozeNumber).contains(number)
            ? SubtaskID(detail) : nil
    }

    /// The other task of a dependency; nil for other fields.
    package var precedingTask: ObjectID? {
        number == Self.dependencyNumber ? ObjectID(detail) : nil
    }

    /// The tag of a field; nil for other fields.
    package var tag: String? {
        number == Self.tagNumber ? String(decoding: detail, as: UTF8.self) : nil
    }

    /// The occurrence of a completion; nil for other fields.
    package var occurrence: Int64? {
        guard number == Self.completionNumber else { return nil }
        return ByteReader.reading(detail) { $0.integer(Int64.self) }
    }

    /// Whether a content that is not secret has the form that merging needs.
    func accepts(_ content: [UInt8]) -> Bool {
        switch number {
        case Self.create.number: content.count == 1
        case Self.remove.number, Self.restore.number: detail.isEmpty && content.isEmpty
        case Self.aliasNumber: ObjectID(detail) != nil && content.isEmpty
        case Self.looked.number: RecordContent.stamps(content) != nil
        case Self.protection.number, Self.done.number, Self.tagNumber:
            RecordContent.flag(content) != nil
        case Self.due.number: DueDate(content) != nil
        case Self.completionNumber: detail.count == 8 && Completion(content) != nil
        case Self.subtaskNameNumber: SubtaskID(detail) != nil
        case Self.subtaskPositionNumber: SubtaskID(detail) != nil && Position(content) != nil
        case Self.subtaskDoneNumber: SubtaskID(detail) != nil && RecordContent.flag(content) != nil
        case Self.subtaskRemoveNumber: SubtaskID(detail) != nil && content.isEmpty
        default: true
        }
    }
}

extension ByteWriter {
    package mutating func field(_ field: RecordField) {
        integer(field.number)
        sized(field.detail)
    }
}

extension ByteReader {
    package mutating func field() -> RecordField? {
        guard let number = integer(UInt32.self), let detail = sized(),
            detail.count <= RecordField.detailLimit
        else { return nil }
        return RecordField(number, detail)
    }
}
