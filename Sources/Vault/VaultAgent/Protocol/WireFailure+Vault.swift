internal import Sealing
internal import VaultCore
internal import VaultStorage

extension WireFailure {
    /// Encodes a vault's error.
    init(_ error: VaultError) {
        switch error {
        case .wrongPassphrase: self.init("wrong_passphrase")
        case .wrongRecoveryCode: self.init("wrong_recovery_code")
        case .wrongKey: self.init("wrong_key")
        case .unusable(let error): self.init("unusable", texts: [error.wireName])
        case .damaged(let failure): self.init("vault_damaged", texts: [failure.rawValue])
        case .rolledBack(let found, let seen): self.init("rolled_back", numbers: [found, seen])
        case .forked(let seen, let found): self.init("forked", numbers: [seen, found])
        case .otherVault(let isDestroyed):
            self.init("other_vault", numbers: [isDestroyed ? 1 : 0])
        case .noRollbackRecord: self.init("no_rollback_record")
        case .conflict: self.init("vault_conflict")
        case .invalidSettings: self.init("invalid_settings")
        case .store(let error): self.init(error)
        case .storage(let error): self.init(error)
        case .outOfMemory: self.init("out_of_memory")
        case .lastSlot: self.init("last_slot")
        case .tooManySlots: self.init("too_many_slots")
        case .noSuchSlot: self.init("no_such_slot")
        case .duplicateKey: self.init("duplicate_key")
        case .duplicateLabel: self.init("duplicate_label")
        }
    }

    /// The decoded error of a vault; nil for another kind of error.
    var vaultError: VaultError? {
        if let error = storeError { return .store(error) }
        if let error = storageError { return .storage(error) }
        switch code {
        case "unusable" where has(numbers: 0, texts: 1):
            return SealingError(wireName: texts[0]).map { .unusable($0) }
        case "vault_damaged" where has(numbers: 0, texts: 1):
            return FormatFailure(rawValue: texts[0]).map { .damaged($0) }
        case "rolled_back" where has(numbers: 2, texts: 0):
            return .rolledBack(found: numbers[0], seen: numbers[1])
        case "forked" where has(numbers: 2, texts: 0):
            return .forked(seen: numbers[0], found: numbers[1])
        case "other_vault" where has(numbers: 1, texts: 0) && numbers[0] <= 1:
            return .otherVault(isDestroyed: numbers[0] == 1)
        default:
            guard has(numbers: 0, texts: 0) else { return nil }
            return plainVaultError
        }
    }

    private var plainVaultError: VaultError? {
        switch code {
        case "wrong_passphrase": .wrongPassphrase
        case "wrong_recovery_code": .wrongRecoveryCode
        case "no_rollback_record": .noRollbackRecord
        case "wrong_key": .wrongKey
        case "last_slot": .lastSlot
        case "too_many_slots": .tooManySlots
        case "no_such_slot": .noSuchSlot
        case "duplicate_key": .duplicateKey
        case "duplicate_label": .duplicateLabel
        case "vault_conflict": .conflict
        case "invalid_settings": .invalidSettings
        case "out_of_memory": .outOfMemory
        default: nil
        }
    }
}

extension SealingError {
    fileprivate static let wireNames: [(SealingError, String)] = [
        (.doesNotOpen, "does_not_open"), (.padding, "padding"),
        (.passphraseLength, "passphrase_length"), (.passphraseEncoding, "passphrase_encoding"),
        (.recoveryCodeMalformed, "recovery_code_malformed"),
        (.recoveryCodeCheck, "recovery_code_check"), (.costTooLow, "cost_too_low"),
        (.costTooHigh, "cost_too_high"), (.outOfMemory, "out_of_memory"),
        (.libraryFails, "library_fails"),
    ]

    fileprivate var wireName: String {
        Self.wireNames.first { $0.0 == self }?.1 ?? "does_not_open"
    }

    fileprivate init?(wireName: String) {
        guard let found = Self.wireNames.first(where: { $0.1 == wireName }) else { return nil }
        self = found.0
    }
}

extension WireFailure {
    fileprivate init(_ error: DatabaseError) {
        func storage(_ name: String, _ number: Int = 0, _ texts: String...) -> WireFailure {
            WireFailure(
                "storage", numbers: [UInt64(bitPattern: Int64(number))], texts: [name] + texts)
        }
        self =
            switch error {
            case .notFound: storage("not_found")
            case .alreadyExists: storage("already_exists")
            case .missing: storage("missing")
            case .foreign(let reason): storage("foreign", 0, reason)
            case .newerVersion(let version): storage("newer_version", version)
            case .earlierBuild(let schema): storage("earlier_build", 0, schema ?? "")
            case .tooLarge: storage("too_large")
            case .unsafeLocation(let path, let reason): storage("unsafe", 0, path, reason)
            case .damaged(let reason): storage("damaged", 0, reason)
            case .readOnly: storage("read_only")
            case .full: storage("full")
            case .busy: storage("busy")
            case .unreachable(let reason): storage("unreachable", 0, reason)
            case .outcomeUnknown: storage("outcome_unknown")
            case .closed: storage("closed")
            case .outOfMemory: storage("out_of_memory")
            case .inputOutput(let operation, let code): storage("input_output", code, operation)
            }
    }

    fileprivate var storageError: DatabaseError? {
        guard code == "storage", numbers.count == 1, let name = texts.first else { return nil }
        let number = Int(truncatingIfNeeded: Int64(bitPattern: numbers[0]))
        switch (name, texts.count) {
        case ("foreign", 2): return .foreign(reason: texts[1])
        case ("newer_version", 1): return .newerVersion(number)
        case ("earlier_build", 2): return .earlierBuild(schema: texts[1].isEmpty ? nil : texts[1])
        case ("too_large", 1): return .tooLarge
        case ("unsafe", 3): return .unsafeLocation(path: texts[1], reason: texts[2])
        case ("damaged", 2): return .damaged(reason: texts[1])
        case ("input_output", 2): return .inputOutput(operation: texts[1], code: number)
        case ("unreachable", 2): return .unreachable(reason: texts[1])
        case ("outcome_unknown", 1): return .outcomeUnknown
        case ("not_found", 1): return .notFound
        case ("already_exists", 1): return .alreadyExists
        case ("missing", 1): return .missing
        case ("read_only", 1): return .readOnly
        case ("full", 1): return .full
        case ("busy", 1): return .busy
        case ("closed", 1): return .closed
        case ("out_of_memory", 1): return .outOfMemory
        default: return nil
        }
    }
}
