package import SecureStorage

/// The field of an object that a record changes: its number, and a detail such as a tag or the id of a subtask (`Docs/Sync.md`, section 5).
///
/// An unknown number is a plain field, so that an older program keeps it and gives it back.
package struct RecordField: Hashable, Comparable, Sendable {
    /// The maximum size of a detail, in bytes.
    package static let detailLimit = 1_024

    package let number: UInt32
    package let detail: [UInt8]

    /// The fields of subtasks, their times included.
    private static let subtaskNumbers: ClosedRange<UInt32> = 48...54
    /// The fields whose records bring back no object that was removed without having seen them.
    private static let numbersOfNoChange: Set<UInt32> = [
        2, 4, 5, 34, 37, 40, 41, 43, 44, 50, 51, 52, 53, 54, 56,
    ]

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
    package static func alias(_ other: ObjectID) -> RecordField { RecordField(4, other.bytes) }
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
        return RecordField(37, writer.bytes)
    }
    package static func tag(_ tag: String) -> RecordField { RecordField(38, Array(tag.utf8)) }
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
    package static func dependency(_ id: ObjectID) -> RecordField { RecordField(56, id.bytes) }
    /// Attributes of another program, which are text.
    package static let further = RecordField(57)
    /// The six characters.
    package static let characters = RecordField(58)

    // MARK: Subtasks

    package static func subtaskName(_ id: SubtaskID) -> RecordField { RecordField(48, id.bytes) }
    package static func subtaskPosition(_ id: SubtaskID) -> RecordField {
        RecordField(49, id.bytes)
    }
    package static func subtaskDone(_ id: SubtaskID) -> RecordField { RecordField(50, id.bytes) }
    package static func subtaskRemove(_ id: SubtaskID) -> RecordField { RecordField(51, id.bytes) }
    package static func subtaskDue(_ id: SubtaskID) -> RecordField { RecordField(52, id.bytes) }
    package static func subtaskReminder(_ id: SubtaskID) -> RecordField {
        RecordField(53, id.bytes)
    }
    package static func subtaskSnooze(_ id: SubtaskID) -> RecordField { RecordField(54, id.bytes) }
}

extension RecordField {
    /// Whether earlier versions are kept as values, and marked *concurrent* rather than logged: a value, or a text of a task.
    package var isVersioned: Bool { [16, 32, 33, 48, 57].contains(number) }

    /// Whether the content is secret at every level; at the level *after verification* every content is.
    package var isSecret: Bool { self == .value }

    /// Whether a record is a change by a person, which brings back an object that was removed without having seen it.
    package var isChangeByPerson: Bool { !Self.numbersOfNoChange.contains(number) }

    /// The other object of an alias; nil for other fields.
    package var aliased: ObjectID? { number == 4 ? ObjectID(detail) : nil }

    /// The subtask of a field, its times included; nil for other fields.
    package var ofSubtask: SubtaskID? {
        Self.subtaskNumbers.contains(number) ? SubtaskID(detail) : nil
    }

    /// The other task of a dependency; nil for other fields.
    package var precedingTask: ObjectID? { number == 56 ? ObjectID(detail) : nil }

    /// The tag of a field; nil for other fields.
    package var tag: String? { number == 38 ? String(decoding: detail, as: UTF8.self) : nil }

    /// The occurrence of a completion; nil for other fields.
    package var occurrence: Int64? {
        number == 37 ? ByteReader.reading(detail) { $0.integer(Int64.self) } : nil
    }

    /// Whether a content that is not secret has the form that merging needs.
    func accepts(_ content: [UInt8]) -> Bool {
        switch number {
        case 1: content.count == 1
        case 2, 3: detail.isEmpty && content.isEmpty
        case 4, 51: detail.count == ObjectID.size && content.isEmpty
        case 5: RecordContent.stamps(content) != nil
        case 6, 34, 38: RecordContent.flag(content) != nil
        case 36: DueDate(content) != nil
        case 37: detail.count == 8 && Completion(content) != nil
        case 48: detail.count == SubtaskID.size
        case 49: detail.count == SubtaskID.size && Position(content) != nil
        case 50: detail.count == SubtaskID.size && RecordContent.flag(content) != nil
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
