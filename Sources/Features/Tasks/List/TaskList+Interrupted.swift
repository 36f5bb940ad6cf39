public import SecureStorage

/// A record in the database of a planned change of database and vault, so that a later program can finish it after a crash.
///
/// The intent is written before the first step and removed with the last one. A text has at most one intent.
public struct VaultIntent: Sendable, Hashable {
    /// The planned change.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The text is saved in the vault, and then the row of the task in the database.
        case saving = 1
        /// No row needs the text. It is removed from the vault.
        case discarding = 2
        /// The vault has the text. The old bytes of the row are erased. The id of the intent is that of no text.
        case erasing = 3
    }

    /// The id of the text.
    public let textID: ProtectedTextID
    /// The planned change.
    public let kind: Kind
    /// The time of the first step, by the clock of its program.
    public let time: PointInTime

    /// Makes an intent.
    public init(
        _ kind: Kind, _ textID: ProtectedTextID, at time: PointInTime = PointInTime(milliseconds: 0)
    ) {
        self.kind = kind
        self.textID = textID
        self.time = time
    }

    /// Whether its program had more than a minute to finish. Clocks may differ.
    public func isOld(at now: PointInTime) -> Bool {
        abs(now.milliseconds - time.milliseconds) > 60_000
    }
}

extension TaskList {
    /// The unfinished changes of protected text.
    public func interrupted() throws -> [VaultIntent] {
        try repository.intents()
    }

    /// Erases the old bytes of text that is in the vault now. Needs no vault.
    ///
    /// - Returns: Whether no old bytes are left; `false` if other connections prevented it, so that the caller tries again; nil if that is
    ///   unknown.
    @discardableResult
    public func finishErasing() throws -> Bool? {
        let waiting = try interrupted().filter { $0.kind == .erasing }
        if waiting.isEmpty { return true }
        let isErased = try repository.eraseOldBytes()
        if isErased == false { return false }
        try repository.change { writer in
            for intent in waiting { _ = try writer.take(intent) }
        }
        return isErased
    }

    /// Finishes changes of database and vault that a crash interrupted.
    ///
    /// Text in the vault without a row gets one, so that no text is lost. Text that is also in its row, and text that no row needs, is removed
    /// from the vault. A slow program then finds its intent gone and gets ``TaskListError/interrupted(_:)``.
    ///
    /// - Parameter vault: Unlocked; no verification is needed.
    /// - Returns: The recovered tasks.
    /// - Throws: `SecureStoreError`, `DatabaseError`; the next call finishes the rest.
    @discardableResult
    public func finishInterrupted(in vault: any SecureStore) throws -> [TaskID] {
        var recovered: [TaskID] = []
        try finishErasing()
        // The program of a new intent may still be running.
        let now = now()
        let intents = try interrupted().filter { $0.kind != .erasing && $0.isOld(at: now) }
        if intents.isEmpty { return [] }
        let kept = Set(try vault.list().map(\.name))
        for intent in intents {
            let isKept = kept.contains(ProtectedText.name(of: intent.textID))
            let decision =
                intent.kind == .discarding
                ? try confirm(intent.textID) : try decide(intent.textID, isKept: isKept)
            switch decision {
            case .discard: try discard(intent.textID, in: vault)
            case .recovered: recovered.append(intent.textID.task)
            case .nothing: break
            }
        }
        return recovered
    }

    private enum Decision {
        case discard, recovered, nothing
    }

    /// Makes sure that no row needs the text, so that a wrong intent does not lose it.
    private func confirm(_ textID: ProtectedTextID) throws -> Decision {
        try repository.change { writer in
            guard try writer.task(textID.task)?.textID == textID else { return .discard }
            _ = try writer.take(VaultIntent(.discarding, textID))
            return .nothing
        }
    }

    /// Makes the missing row of a saved text, or records that the text is discarded.
    private func decide(_ textID: ProtectedTextID, isKept: Bool) throws -> Decision {
        return try repository.change { writer in
            // The note that a program was about to save this text is gone: that program has finished, or another one already cleans up after it.
            guard try writer.take(VaultIntent(.saving, textID)) else { return .nothing }
            guard isKept, try writer.task(textID.task) == nil else {
                try writer.put(VaultIntent(.discarding, textID, at: now()))
                return .discard
            }
            // An undone removal restores the whole task, not only its text.
            if let removed = try writer.transaction.removedTask(with: textID) {
                try writer.insert(removed, revision: removed.revision + 1)
            } else {
                try writer.insert(
                    TodoTask(id: textID.task, content: .protected(textID), created: now()))
            }
            return .recovered
        }
    }
}
