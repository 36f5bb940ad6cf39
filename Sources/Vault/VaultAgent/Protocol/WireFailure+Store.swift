internal import SecureStorage

extension WireFailure {
    /// Encodes a store's error.
    init(_ error: SecureStoreError) {
        switch error {
        case .locked: self.init("locked")
        case .keysReplaced: self.init("keys_replaced")
        case .notVerified: self.init("not_verified")
        case .notFound: self.init("not_found")
        case .duplicate: self.init("duplicate")
        case .conflict(let found): self.init("conflict", numbers: [found])
        case .invalidName(let field, let reason):
            self.init(
                "invalid_name", numbers: [reason.maximum], texts: [field, reason.wireName])
        case .tooLarge(let maximum): self.init("too_large", numbers: [UInt64(maximum)])
        case .damaged(let failure): self.init("damaged", texts: [failure])
        case .unavailable(let reason, let detail):
            self.init("unavailable", texts: [reason.wireName, detail])
        }
    }

    /// The decoded error of a store; nil for another kind of error.
    var storeError: SecureStoreError? {
        switch code {
        case "locked" where has(numbers: 0, texts: 0): .locked
        case "keys_replaced" where has(numbers: 0, texts: 0): .keysReplaced
        case "not_verified" where has(numbers: 0, texts: 0): .notVerified
        case "not_found" where has(numbers: 0, texts: 0): .notFound
        case "duplicate" where has(numbers: 0, texts: 0): .duplicate
        case "conflict" where has(numbers: 1, texts: 0): .conflict(found: numbers[0])
        case "invalid_name" where has(numbers: 1, texts: 2):
            InvalidNameReason(wireName: texts[1], maximum: numbers[0]).map {
                .invalidName(field: texts[0], $0)
            }
        case "too_large" where has(numbers: 1, texts: 0):
            .tooLarge(maximum: Int(clamping: numbers[0]))
        case "damaged" where has(numbers: 0, texts: 1): .damaged(failure: texts[0])
        case "unavailable" where has(numbers: 0, texts: 2):
            StoreUnavailableReason(wireName: texts[0]).map { .unavailable($0, detail: texts[1]) }
        default: nil
        }
    }
}

extension InvalidNameReason {
    fileprivate var maximum: UInt64 {
        if case .tooLong(let maximum) = self { UInt64(maximum) } else { 0 }
    }

    fileprivate var wireName: String {
        switch self {
        case .empty: "empty"
        case .tooLong: "too_long"
        case .controlCharacter: "control_character"
        case .repeated: "repeated"
        case .notAFileName: "not_a_file_name"
        case .reserved: "reserved"
        }
    }

    fileprivate init?(wireName: String, maximum: UInt64) {
        switch wireName {
        case "empty": self = .empty
        case "too_long": self = .tooLong(maximum: Int(clamping: maximum))
        case "control_character": self = .controlCharacter
        case "repeated": self = .repeated
        case "not_a_file_name": self = .notAFileName
        case "reserved": self = .reserved
        default: return nil
        }
    }
}

extension StoreUnavailableReason {
    fileprivate var wireName: String {
        switch self {
        case .readOnly: "read_only"
        case .full: "full"
        case .busy: "busy"
        case .outOfMemory: "out_of_memory"
        case .unreachable: "unreachable"
        case .failed: "failed"
        }
    }

    fileprivate init?(wireName: String) {
        switch wireName {
        case "read_only": self = .readOnly
        case "full": self = .full
        case "busy": self = .busy
        case "out_of_memory": self = .outOfMemory
        case "unreachable": self = .unreachable
        case "failed": self = .failed
        default: return nil
        }
    }
}
