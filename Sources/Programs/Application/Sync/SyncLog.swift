package import SecureStorage
internal import Sync
internal import SyncMirrors
internal import SyncStorage
internal import Tasks
internal import TextCoding
internal import VaultCore

/// A content of a field that another device's change replaced.
package struct SyncLogEntry: Sendable, Hashable {
    /// When it was written by the clock of its device, in milliseconds since 1970-01-01 UTC.
    package let time: Int64
    /// `secret`, `file` or `task`.
    package let kind: String
    /// Service and account of the secret, the name of the file, or the id of the task.
    package let name: String
    /// The name of the field, such as `label`.
    package let field: String
    package let value: String
    /// The name of the device that wrote it.
    package let device: String
}

extension SyncAccess {
    /// How long a content that lost is listed, in milliseconds.
    private static let period: Int64 = 90 * 86_400_000

    /// The contents that changes of other devices replaced in the last 90 days, the newest first. Without the unlocked vault, of tasks only.
    ///
    /// - Throws: A failure if the home does not take part in sync; the errors of the stores.
    package func log() throws -> [SyncLogEntry] {
        try requireEnabled()
        if !vault.usesAgent {
            return try vault.withStore(.reading, signsIn: false) { try log($0) }
        }
        return try vault.withStoreIfUnlocked { try log($0) } ?? log(nil)
    }

    private func log(_ store: OpenStore?) throws -> [SyncLogEntry] {
        let since = now().milliseconds - Self.period
        return try withSession(store) { session in
            let members = try knownMembership(session)
            let naming = naming(members, session)
            var entries: [SyncLogEntry] = []
            try withSecrets(session, members) { _, mirror in
                let lost = try mirror.lostFields(since: since)
                let files = lost.contains(where: \.name.isFile) ? try fileNames(store) : [:]
                entries += lost.filter { $0.field != .attribute(FileContent.attribute) }.map {
                    SyncLogEntry(
                        time: $0.time, kind: $0.name.isFile ? "file" : "secret",
                        name: files[$0.name] ?? $0.name.typed,
                        field: $0.name.isFile && $0.field == .label
                            ? "name" : Self.title($0.field),
                        value: $0.text, device: naming.name($0.device))
                }
            }
            try withDatabase(.list, session) { database in
                entries += try database.mirrorTransaction { transaction in
                    try transaction.counterparts().flatMap { counterpart in
                        try Self.lost(counterpart, since, transaction, naming)
                    }
                }
            }
            return entries.sorted { ($0.time, $0.name) > ($1.time, $1.name) }
        }
    }

    /// The names of the files, by those of their items.
    package func fileNames(_ store: OpenStore?) throws -> [SecretName: String] {
        let items = try store?.secrets.list().filter(\.name.isFile) ?? []
        return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.attributes.label) })
    }

    /// The contents of a task that lost against concurrent ones, also names and notes of tasks that are not protected.
    private static func lost(
        _ counterpart: Counterpart, _ since: Int64, _ transaction: any MirrorTransaction,
        _ naming: SyncNaming
    ) throws -> [SyncLogEntry] {
        guard let state = try transaction.state(of: counterpart.object) else { return [] }
        return state.fields.flatMap { field, versions in
            versions.earlier.filter {
                $0.isConcurrent && $0.version.applied >= since && $0.version.level == .list
            }.compactMap { earlier in
                guard let content = earlier.version.content.bytes,
                    let value = text(content, of: field)
                else { return nil }
                return SyncLogEntry(
                    time: earlier.version.stamp.milliseconds, kind: "task",
                    name: String(decoding: counterpart.name, as: UTF8.self), field: title(field),
                    value: value, device: naming.name(earlier.version.stamp.device))
            }
        }
    }

    /// The content of a task's field for a person; nil for a field that no person changes.
    private static func text(_ content: [UInt8], of field: RecordField) -> String? {
        switch field {
        case .taskName, .notes, .list, .repetition, .nickname:
            String(decoding: content, as: UTF8.self)
        case .done: content == RecordContent.flag(true) ? "yes" : "no"
        case .due: DueDate(content).map { time($0.date) }
        case .start, .reminder: time(content)
        case .priority: content.first.flatMap { TaskPriority(rawValue: Int64($0)) }?.name
        default: nil
        }
    }

    /// A time as text, in the zone of the owner.
    private static func time(_ content: [UInt8]) -> String {
        let number = ByteReader.reading(content) { reader -> Int64? in
            if content.count > 8, reader.integer(UInt8.self) != 1 { return nil }
            return reader.integer(Int64.self)
        }
        guard let time = number.flatMap({ TaskTime(stored: $0) }) else { return "" }
        return TimeText.withWeekday(time, in: SystemCalendar())
    }

    /// The name of a field in messages.
    private static func title(_ field: RecordField) -> String {
        switch field {
        case .itemName, .taskName: "name"
        case .label: "label"
        case .protection: "protection"
        case .notes: "notes"
        case .done: "done"
        case .list: "list"
        case .due: "due"
        case .repetition: "repeat"
        case .start: "start"
        case .reminder: "reminder"
        case .priority: "priority"
        case .nickname: "nickname"
        default:
            field.detail.isEmpty
                ? "field \(field.number)" : String(decoding: field.detail, as: UTF8.self)
        }
    }
}
