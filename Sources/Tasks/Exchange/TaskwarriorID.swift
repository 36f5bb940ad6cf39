/// Our ids and Taskwarrior's.
///
/// One of ours becomes a UUID of version 8 (RFC 9562) that holds its 30 bits, and becomes itself again. One of theirs becomes the id that follows from it.
enum TaskwarriorID {
    /// `taskva`, the version, `Vlt` in the letters that are left.
    private static let prefix = "7461736b-7661-8756-8c74-0000"

    /// The UUID of an id.
    static func uuid(of id: TaskID) -> String {
        let digits = String(id.number, radix: 16)
        return prefix + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The id that is in a UUID of ours; nil for any other one.
    static func id(in uuid: String) -> TaskID? {
        guard uuid.utf8.count == 36, uuid.hasPrefix(prefix) else { return nil }
        let id = UInt32(uuid.dropFirst(prefix.utf8.count), radix: 16).flatMap(TaskID.init(number:))
        // A sign is no digit.
        return id.flatMap { self.uuid(of: $0) == uuid ? $0 : nil }
    }

    /// The ids of UUIDs or other texts, all different, in their order.
    ///
    /// - Returns: nil in the place of a text that was there before.
    static func ids(of texts: [String]) -> [TaskID?] {
        var seen: Set<String> = []
        let isNew = texts.map { seen.insert($0).inserted }
        // Ours keep theirs, whatever else follows from the others.
        var taken = Set(texts.compactMap(id))
        return zip(texts, isNew).map { text, isNew in
            guard isNew else { return nil }
            if let own = id(in: text) { return own }
            var numbers = StableNumbers(text)
            return numbers.id(&taken)
        }
    }
}
