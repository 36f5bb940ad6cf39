internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncStorage
internal import Tasks
internal import TextCoding

// The text of tasks, open in records of the level *list*, or secret in those of the level *after verification*.
extension TaskMirror {
    /// The text of a protected task in the vault, with the revision of its item.
    enum VaultText {
        case found(TaskText, revision: UInt64)
        /// Bytes of a newer program.
        case unreadable
    }

    /// Reads the texts of protected tasks.
    ///
    /// - Returns: The texts, but for those that the vault lacks; nil if it cannot be read now.
    /// - Throws: `SecureStoreError`, except `locked`, `keysReplaced` and `notVerified`.
    func vaultTexts(of rows: [TodoTask]) throws -> [TaskID: VaultText]? {
        let rows = rows.filter(\.isProtected)
        if rows.isEmpty { return [:] }
        guard hasTextKey, let vault else { return nil }
        var texts: [TaskID: VaultText] = [:]
        let names = rows.compactMap { $0.textID.map { ProtectedText.name(of: $0) } }
        do {
            try vault.readEach(names) { place, item, value in
                let text = value.withBytes { ProtectedText.decode($0) }
                texts[rows[place].id] =
                    text.map { .found($0, revision: item.revision) } ?? .unreadable
            }
        } catch {
            guard error.needsOwner else { throw error }
            return nil
        }
        return texts
    }

    /// The texts of tasks that others removed, as far as the vault or its trash has them, with their earlier texts.
    func textsOfRemoved(
        _ plans: [Plan], in vault: any SecureStore
    ) throws -> [ObjectID: ProtectedTextID] {
        // A counterpart whose characters are still its own: those of no later task.
        let gone = plans.filter {
            $0.counterpart?.isGone == true && $0.counterpart?.task == $0.image.task.id
        }
        if gone.isEmpty { return [:] }
        // The last removed first.
        let names =
            try vault.list().map(\.name) + vault.removed().map(\.item.name)
        let known = names.filter { $0.service == ProtectedText.service }
            .compactMap { ProtectedTextID($0.account) }
        let texts = Dictionary(known.map { ($0.task, $0) }) { first, _ in first }
        return Dictionary(
            uniqueKeysWithValues: gone.compactMap { plan in
                texts[plan.image.task.id].map { (plan.object, $0) }
            })
    }

    /// Takes a text out of the trash of the vault, and makes another one of it. The earlier ones stay.
    func bringBack(
        _ text: TaskText, _ textID: ProtectedTextID, in vault: any SecureStore
    ) throws {
        try TaskList(repository, now: now).bringBack([textID], in: vault)
        let name = ProtectedText.name(of: textID)
        var revision: UInt64?
        var isSame = false
        try vault.readEach([name]) { _, item, value in
            revision = item.revision
            isSame = value.withBytes { ProtectedText.decode($0) }?.isSame(as: text) ?? false
        }
        if isSame { return }
        try vault.update(name, to: ProtectedText.encode(text), expecting: revision)
    }

    /// As ``vaultTexts(of:)``, without texts that cannot be decoded.
    func readTexts(of rows: [TodoTask]) throws -> [TaskID: TaskText]? {
        try vaultTexts(of: rows)?.compactMapValues { found in
            if case .found(let text, _) = found { text } else { nil }
        }
    }

    /// Whether a record has a text.
    func has(
        _ text: String, _ version: Version?, _ isSecret: Bool, _ transaction: any MirrorTransaction
    ) throws -> Bool {
        switch version?.content {
        case nil: return text.isEmpty
        case .open(let bytes): return text.utf8.elementsEqual(bytes)
        case .secret(let fingerprint, let size):
            guard isSecret, text.utf8.count == size else { return false }
            let bytes = Array(text.utf8)
            let secret = try SecretBytes(copying: unsafe bytes.span.bytes)
            return try secret.withBytes {
                try transaction.fingerprint(of: $0, .afterVerification)
            } == fingerprint
        }
    }

    /// The text of a task that records describe.
    ///
    /// - Returns: The text, with the rows of the subtasks; nil if there is no name, or if a part is secret and V is missing.
    /// - Throws: The errors of the store.
    func text(
        of state: ObjectState, _ image: TaskImage, _ transaction: any MirrorTransaction
    ) throws -> TaskText? {
        var isLocked = false
        func text(_ field: RecordField) throws -> String? {
            guard let version = state.fields[field]?.current else { return nil }
            if let bytes = version.content.bytes { return String(decoding: bytes, as: UTF8.self) }
            guard hasTextKey else {
                isLocked = true
                return nil
            }
            var text: String?
            try transaction.withSecret(of: version.key) { text = $0.text() }
            return text
        }
        guard let name = try text(.taskName) else { return nil }
        var found = TaskText(name: name, notes: try text(.notes) ?? "")
        found.further = try text(.further) ?? ""
        found.subtasks = try image.subtasks.map { id, row in
            TodoSubtask(row, name: try text(.subtaskName(id)) ?? row.id.text)
        }
        return isLocked ? nil : found
    }

    /// Whether a text in the vault is that of records.
    func has(
        _ text: TaskText, _ state: ObjectState, _ transaction: any MirrorTransaction
    ) throws -> Bool {
        let names = state.subtaskNames()
        guard state.subtasks.compactMap({ names[$0.id] }) == text.subtasks.map(\.id) else {
            return false
        }
        var texts: [(RecordField, String)] = [
            (.taskName, text.name), (.notes, text.notes), (.further, text.further),
        ]
        texts += zip(state.subtasks, text.subtasks).map { (.subtaskName($0.id), $1.name) }
        return try texts.allSatisfy { field, text in
            try has(text, state.fields[field]?.current, true, transaction)
        }
    }
}

extension SecureStoreError {
    /// Whether the owner must unlock or verify first.
    var needsOwner: Bool {
        switch self {
        case .locked, .keysReplaced, .notVerified: true
        default: false
        }
    }
}
