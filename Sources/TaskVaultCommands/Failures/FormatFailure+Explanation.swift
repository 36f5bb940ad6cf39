internal import VaultCore

extension FormatFailure {
    /// The damage, for a person: beginning in lower case, without full stop.
    var explanation: String {
        switch self {
        case .headerMissing: "there is no header"
        case .headerTruncated: "the header ends too early"
        case .headerMagic: "the header is not a vault header"
        case .headerFormat: "the header has an unknown format"
        case .keyEpochZero: "the header's key epoch is invalid"
        case .slotCount: "the header has no key slot, or too many"
        case .headerTrailingBytes: "there are bytes after the header"
        case .slotChecksum: "a key slot is damaged"
        case .slotKind: "a key slot is of an unknown kind"
        case .slotAlgorithm: "a key slot has a wrong key derivation algorithm"
        case .slotRecoveryParameters: "a recovery slot has a key derivation cost"
        case .slotCostTooLow: "the key derivation cost of a slot is too low"
        case .slotCostTooHigh:
            "the key derivation cost of a slot is too high for this machine"
        case .slotDuplicate: "two key slots have the same id"
        case .rootKeySeal: "the root key cannot be decrypted, although the passphrase is correct"
        case .wrappedKeySeal: "a key in the header cannot be decrypted"
        case .stateMissing: "the sealed state is missing"
        case .stateLength: "the sealed state has a wrong size"
        case .stateFormat: "the sealed state has an unknown format"
        case .stateSeal: "the sealed state cannot be decrypted: it or the header was changed"
        case .stateContent: "the sealed state contains invalid values"
        case .markDamaged: "this machine's rollback record is damaged"
        case .rolledBack: "the vault is older than the state last seen on this machine"
        case .bucketNumber: "a bucket has an invalid number"
        case .bucketLength: "a bucket record has a wrong size"
        case .bucketFormat: "a bucket record has an unknown format"
        case .bucketsSum: "the bucket records do not match the sealed state"
        case .bucketSeal: "a bucket record cannot be decrypted"
        case .bucketContent: "a bucket record contains invalid values"
        case .rowShape: "a row has a column of invalid size or value"
        case .rowFormat: "a row has an unknown format"
        case .bucketRows: "rows were changed, added, removed or replaced by old ones"
        case .itemsCount: "the number of items does not match the sealed state"
        case .attributesSeal: "the description of an item cannot be decrypted"
        case .attributesPadding: "the description of an item has wrong padding"
        case .attributesContent: "the description of an item is malformed"
        case .valueSeal: "the value of an item cannot be decrypted"
        case .valuePadding: "the value of an item has wrong padding"
        case .valueTooLarge: "the value of an item is too large"
        case .tagNames: "the name of an item does not match its row"
        }
    }

    /// The remedy.
    enum Remedy {
        /// The keys are lost in this file: only a copy helps.
        case restore
        /// The keys are intact, so that sound items can be kept.
        case repair
        /// The owner knows whether the older file is meant.
        case acceptOlder
    }

    /// The remedy for this damage.
    var remedy: Remedy {
        switch self {
        case .headerMissing, .headerTruncated, .headerMagic, .headerFormat, .keyEpochZero,
            .slotCount, .headerTrailingBytes, .slotChecksum, .slotKind, .slotAlgorithm,
            .slotRecoveryParameters, .slotCostTooLow, .slotCostTooHigh, .slotDuplicate,
            .rootKeySeal,
            .wrappedKeySeal:
            .restore
        case .markDamaged, .rolledBack:
            .acceptOlder
        default:
            .repair
        }
    }
}
