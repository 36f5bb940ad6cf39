package import SecretMemory
internal import SecureStorage
internal import TextCoding

/// A checklist in the vault.
package struct SavedChecklist: Sendable, Hashable {
    /// The checklist.
    package let checklist: Checklist
    /// The server that published it.
    package let server: String?
    /// The server's entity tag (RFC 9110, section 8.8.3).
    package let etag: String?

    fileprivate static let service = SecretName.reservedPrefix + "checklist"
    fileprivate static let serverKey = "server"
    fileprivate static let etagKey = "etag"

    fileprivate static func name(_ id: String) throws -> SecretName {
        try SecretName(service: service, account: id)
    }
}

extension SecretName {
    /// Whether the item is a saved checklist.
    var isChecklist: Bool { service.hasSameBytes(as: SavedChecklist.service) }
}

// Saved checklists.
extension InboxStore {
    /// Saves a checklist, or replaces the saved one. Its picture is not saved.
    ///
    /// - Returns: false if another process has forbidden saving in the meantime.
    package func save(
        _ content: borrowing SecretBytes, _ checklist: Checklist, server: String, etag: String?
    ) throws -> Bool {
        var attributes = SecretAttributes(label: checklist.title)
        attributes[SavedChecklist.serverKey] = server
        attributes[SavedChecklist.etagKey] = etag
        try put(content, as: SavedChecklist.name(checklist.id), attributes)
        // A process that forbids saving erases saved checklists afterwards. So one of both
        // processes sees the other's change.
        if try settings().allowsSaving { return true }
        do {
            try removeChecklist(checklist.id)
        } catch SecureStoreError.notFound {
            // Another process erased it together with the others.
        }
        return false
    }

    /// The saved checklists, sorted by title.
    package func savedChecklists() throws -> [ChecklistEntry] {
        let names = try store.list().map(\.name).filter(\.isChecklist)
        var entries: [ChecklistEntry] = []
        try store.readEach(names) { _, _, value in
            if let checklist = value.withBytes({ Checklist($0) }) {
                entries.append(ChecklistEntry(checklist))
            }
        }
        return entries.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    }

    /// A saved checklist; nil if there is none with this id.
    package func savedChecklist(_ id: String) throws -> SavedChecklist? {
        do {
            return try store.read(SavedChecklist.name(id)) {
                (item, value) throws(SecureStoreError) -> SavedChecklist? in
                value.withBytes { Checklist($0) }.map {
                    SavedChecklist(
                        checklist: $0, server: item.attributes[SavedChecklist.serverKey],
                        etag: item.attributes[SavedChecklist.etagKey])
                }
            }
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Removes a saved checklist.
    ///
    /// - Throws: `notFound`.
    package func removeChecklist(_ id: String) throws {
        try store.remove(SavedChecklist.name(id), expecting: nil, permanently: true)
    }
}
