/// Ids of TaskVault and UUIDs of Taskwarrior.
///
/// An id becomes a UUID of version 8 (RFC 9562) that contains its 30 bits. Importing such a UUID
/// restores the id.
/// The id of any other UUID is derived from its text.
enum TaskwarriorID {
    /// `taskva`, the version, and `Vlt` in the remaining letters.
    private static let prefix = "7461736b-7661-8756-8c74-0000"

    /// The UUID of an id.
    static func uuid(of id: TaskID) -> String {
        let digits = String(id.number, radix: 16)
        return prefix + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The id in a UUID of TaskVault; nil for any other UUID.
    static func id(in uuid: String) -> TaskID? {
        guard uuid.utf8.count == 36, uuid.hasPrefix(prefix) else { return nil }
        let id = UInt32(uuid.dropFirst(prefix.utf8.count), radix: 16).flatMap(TaskID.init(number:))
        // `UInt32` would accept a sign.
        return id.flatMap { self.uuid(of: $0) == uuid ? $0 : nil }
    }

    /// Distinct ids of UUIDs or other texts, in their order.
    ///
    /// - Returns: nil in the place of a repeated text.
    static func ids(of texts: [String]) -> [TaskID?] {
        var seen: Set<String> = []
        let isNew = texts.map { seen.insert($0).inserted }
        // Ids of TaskVault take precedence over derived ids.
        var taken = Set(texts.compactMap(id))
        return zip(texts, isNew).map { text, isNew in
            guard isNew else { return nil }
            if let own = id(in: text) { return own }
            var numbers = StableNumbers(text)
            return numbers.id(&taken)
        }
    }
}

/// The UUIDs of the tasks of a file, and their ids.
struct TaskwarriorIdentities {
    private var ids: [String: TaskID] = [:]
    private var uuids: [TaskID: String] = [:]

    init() {}

    /// The UUIDs that tasks have in an export: those of an earlier import, or their own.
    init(of tasks: some Sequence<ExchangedTask>) {
        for task in tasks {
            let further = FurtherAttributes.members(of: task.text?.further)
            let kept = FurtherAttributes.members(of: further?[FurtherAttributes.taskwarrior])
            let uuid = FurtherAttributes.text(of: kept?["uuid"])?.lowercased()
            add(uuid ?? TaskwarriorID.uuid(of: task.id), task.id)
        }
    }

    /// Adds a task, unless the UUID is known.
    mutating func add(_ uuid: String, _ id: TaskID) {
        guard ids[uuid] == nil else { return }
        ids[uuid] = id
        if uuids[id] == nil { uuids[id] = uuid }
    }

    /// The id of a task, also of one of another file.
    func id(of uuid: String) -> TaskID? { ids[uuid] ?? TaskwarriorID.ids(of: [uuid])[0] }

    /// The UUID of a task, also of one that is not in the file.
    func uuid(of id: TaskID) -> String { uuids[id] ?? TaskwarriorID.uuid(of: id) }
}
