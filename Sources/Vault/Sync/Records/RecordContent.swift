internal import SecureStorage

/// The content of a record, as merging sees it.
package enum RecordContent: Hashable, Sendable {
    /// Bytes that are not secret.
    case open([UInt8])
    /// A secret, which only the store has. Its fingerprint is a hash under a key of the store, equal for equal secrets.
    case secret(fingerprint: [UInt8], size: Int)

    /// The bytes, if they are not secret.
    package var bytes: [UInt8]? {
        if case .open(let bytes) = self { bytes } else { nil }
    }

    /// The size in bytes.
    var size: Int {
        switch self {
        case .open(let bytes): bytes.count
        case .secret(_, let size): size
        }
    }

    /// The content of a flag.
    package static func flag(_ isSet: Bool) -> [UInt8] { [isSet ? 1 : 0] }

    package static func flag(_ content: [UInt8]) -> Bool? {
        content.count == 1 && content[0] <= 1 ? content[0] == 1 : nil
    }

    /// The content of ``RecordField/looked``: the stamps of versions and removes that a person looked at.
    package static func stamps(_ stamps: Set<Stamp>) -> [UInt8] {
        var writer = ByteWriter()
        for stamp in stamps.sorted() { writer.stamp(stamp) }
        return writer.bytes
    }

    static func stamps(_ content: [UInt8]) -> Set<Stamp>? {
        ByteReader.reading(content) { reader in
            var stamps: Set<Stamp> = []
            var last: Stamp?
            while !reader.isAtEnd {
                guard let stamp = reader.stamp(), last.map({ $0 < stamp }) ?? true else {
                    return nil
                }
                stamps.insert(stamp)
                last = stamp
            }
            return stamps
        }
    }
}

/// The content of ``RecordField/due``.
package struct DueDate: Hashable, Sendable {
    /// The date for which the rule first scheduled this occurrence; the id of the occurrence.
    package let occurrence: Int64
    /// Whether a person moved this occurrence.
    package let isEdited: Bool
    /// The due date itself, in a form of the list. Merging does not read it.
    package let date: [UInt8]

    package init(occurrence: Int64, isEdited: Bool, date: [UInt8]) {
        self.occurrence = occurrence
        self.isEdited = isEdited
        self.date = date
    }

    package init?(_ content: [UInt8]) {
        guard content.count >= 9, let flag = RecordContent.flag([content[8]]),
            let occurrence = ByteReader.reading(content, { $0.integer(Int64.self) })
        else { return nil }
        self.init(occurrence: occurrence, isEdited: flag, date: Array(content[9...]))
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(occurrence)
        writer.integer(UInt8(isEdited ? 1 : 0))
        writer.raw(date)
        return writer.bytes
    }
}

/// The content of ``RecordField/completion(_:)``.
package enum Completion: Hashable, Sendable {
    /// The completion was undone.
    case undone
    /// The occurrence was done. The next one has no date after the last.
    case done(next: Int64, date: [UInt8])

    package init?(_ content: [UInt8]) {
        if content == RecordContent.flag(false) {
            self = .undone
            return
        }
        guard content.count >= 9, content[0] == 1,
            let next = ByteReader.reading(Array(content[1...]), { $0.integer(Int64.self) })
        else { return nil }
        self = .done(next: next, date: Array(content[9...]))
    }

    package var bytes: [UInt8] {
        guard case .done(let next, let date) = self else { return RecordContent.flag(false) }
        var writer = ByteWriter()
        writer.raw(RecordContent.flag(true))
        writer.integer(next)
        writer.raw(date)
        return writer.bytes
    }
}
