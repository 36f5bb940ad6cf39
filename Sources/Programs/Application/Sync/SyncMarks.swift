internal import Platform
package import SecureStorage
internal import Sync
internal import SyncMirrors
internal import SyncStorage
package import Tasks
internal import TextCoding

/// The marks of secrets and tasks that a person should look at: a file that lists can read without any key.
struct SyncMarks: Hashable {
    private static let largest = 1_048_576
    private static let secretsLine = "secrets"
    private static let arriving = "arriving "

    /// The tasks that are marked.
    var tasks: Set<TaskID> = []
    /// The protected tasks whose text has not come.
    var arriving: Set<TaskID> = []
    /// Whether any secret is marked. Its name is not in the file.
    var hasSecrets = false

    init() {}

    /// Reads the file; nothing is marked without one.
    init(at place: SyncPlace) {
        guard let bytes = FileSystem.content(place.marks, limit: Self.largest) else { return }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line == Self.secretsLine {
                hasSecrets = true
            } else if line.hasPrefix(Self.arriving) {
                if let id = TaskID(String(line.dropFirst(Self.arriving.count))) {
                    arriving.insert(id)
                }
            } else if let id = TaskID(String(line)) {
                tasks.insert(id)
            }
        }
    }

    /// Reads the marks of tasks.
    ///
    /// - Throws: The errors of the store.
    mutating func read(_ mirror: TaskMirror) throws {
        tasks = try mirror.markedIDs()
        arriving = try mirror.arrivingIDs()
    }

    /// Reads whether any secret is marked.
    ///
    /// - Throws: The errors of the store.
    mutating func read(_ mirror: SecretMirror) throws { hasSecrets = try mirror.hasMarks }

    /// Writes the file. It is never removed: an open page watches its content.
    ///
    /// - Throws: `SystemFailure`.
    func write(at place: SyncPlace) throws {
        if self == SyncMarks(at: place) { return }
        let lines =
            tasks.map(\.text).sorted() + arriving.map { Self.arriving + $0.text }.sorted()
            + (hasSecrets ? [Self.secretsLine] : [])
        try FileSystem.replace(place.marks, with: lines.map { $0 + "\n" }.joined())
    }
}

/// The marked secrets and tasks.
package struct MarkedThings: Sendable {
    package var secrets: [SecretName] = []
    package var tasks: [TaskID] = []

    package var count: Int { secrets.count + tasks.count }
    package var isEmpty: Bool { count == 0 }
}

// Marks in lists, and looking at what is marked.
extension SyncAccess {
    /// The tasks that are marked *concurrent*. Reads one small file.
    package func markedTasks() -> Set<TaskID> {
        (try? place).map { SyncMarks(at: $0).tasks } ?? []
    }

    /// The protected tasks whose text has not come to this machine. Reads one small file.
    package func arrivingTasks() -> Set<TaskID> {
        (try? place).map { SyncMarks(at: $0).arriving } ?? []
    }

    /// The secrets that are marked *concurrent*. Without marks, reads one small file.
    package func markedSecrets(_ store: OpenStore) -> Set<SecretName> {
        guard let place = try? place, SyncMarks(at: place).hasSecrets else { return [] }
        // A mark is a convenience: `sync seen` tells what is wrong.
        return (try? Set(marked(store).secrets)) ?? []
    }

    /// Everything that is marked.
    ///
    /// - Throws: A failure if the home does not take part in sync; the errors of the stores.
    package func marked(_ store: OpenStore) throws -> MarkedThings {
        try withSession(store) { session in
            let members = try knownMembership(session)
            let secrets = try withSecrets(session, members) { try $1.markedNames().sorted() }
            let tasks = try withList(session, members) { try $1.markedIDs() }
            return MarkedThings(
                secrets: secrets ?? [], tasks: tasks.sorted { $0.text < $1.text })
        }
    }

    /// Notes for all devices that a person looked at a secret. A failure is only a warning.
    package func looked(at name: SecretName, _ store: OpenStore) {
        guard let place = try? place, SyncMarks(at: place).hasSecrets else { return }
        note {
            try withSession(store) { session in
                var marks = SyncMarks(at: session.place)
                try withSecrets(session, knownMembership(session)) { _, mirror in
                    _ = try mirror.looked(at: name)
                    try marks.read(mirror)
                }
                try marks.write(at: session.place)
            }
        }
    }

    /// Notes for all devices that a person looked at a task. A failure is only a warning.
    package func looked(at id: TaskID, _ store: OpenStore) {
        guard let place = try? place, SyncMarks(at: place).tasks.contains(id) else { return }
        note {
            try withSession(store) { session in
                var marks = SyncMarks(at: session.place)
                try withList(session, knownMembership(session)) { _, mirror in
                    _ = try mirror.looked(at: id)
                    try marks.read(mirror)
                }
                try marks.write(at: session.place)
            }
        }
    }

    /// Notes that a person looked at everything that is marked.
    ///
    /// - Throws: A failure if the home does not take part in sync; the errors of the stores.
    package func clearMarks(_ store: OpenStore) throws {
        try withSession(store) { session in
            let members = try knownMembership(session)
            var marks = SyncMarks(at: session.place)
            try withSecrets(session, members) { _, mirror in
                for name in try mirror.markedNames() { _ = try mirror.looked(at: name) }
                try marks.read(mirror)
            }
            try withList(session, members) { _, mirror in
                for id in try mirror.markedIDs() { _ = try mirror.looked(at: id) }
                try marks.read(mirror)
            }
            try marks.write(at: session.place)
        }
        vault.changes.isSet = true
    }

    private func note(_ body: () throws -> Void) {
        do {
            try body()
            vault.changes.isSet = true
        } catch {
            owner.warn("mark_not_cleared", "the mark stays: \(errors.failure(error).message)")
        }
    }
}
