internal import VaultCore

extension FormatFailure {
    /// What is wrong, for a person: beginning in lower case, without full stop.
    var explanation: String {
        switch self {
        case .headerMissing: "there is no header"
        case .headerTruncated: "the header ends too early"
        case .headerMagic: "the header is not that of a vault"
        case .headerFormat: "the header has a format that this program does not know"
        case .keyEpochZero: "the header's count of keys is impossible"
        case .slotCount: "the header has no key slot, or too many"
        case .headerTrailingBytes: "something follows the header"
        case .slotChecksum: "a key slot is damaged"
        case .slotKind: "a key slot is of an unknown kind"
        case .slotAlgorithm: "a key slot names another derivation than its kind has"
        case .slotRecoveryParameters: "a recovery slot has a derivation cost"
        case .slotCostTooLow: "a key slot asks for a weaker derivation than is acceptable"
        case .slotCostTooHigh:
            "a key slot asks for more than this machine may spend on a derivation"
        case .slotDuplicate: "two key slots have one id"
        case .rootKeySeal: "the root key does not open, although the passphrase fits"
        case .wrappedKeySeal: "a key in the header does not open"
        case .stateMissing: "the seal over the whole is missing"
        case .stateLength: "the seal over the whole has a wrong size"
        case .stateFormat: "the seal over the whole has a format that this program does not know"
        case .stateSeal: "the seal over the whole does not open: it or the header was changed"
        case .stateContent: "the seal over the whole holds impossible values"
        case .markDamaged: "this machine's mark of the newest vault is damaged"
        case .rolledBack: "the vault is older than the one last seen on this machine"
        case .bucketNumber: "a bucket has an impossible number"
        case .bucketLength: "a bucket record has a wrong size"
        case .bucketFormat: "a bucket record has a format that this program does not know"
        case .bucketsSum: "the bucket records are not those that were sealed"
        case .bucketSeal: "a bucket record does not open"
        case .bucketContent: "a bucket record holds impossible values"
        case .rowShape: "a row has a column of impossible size or value"
        case .rowFormat: "a row has a format that this program does not know"
        case .bucketRows: "rows were changed, added, removed or put back"
        case .itemsCount: "the number of items is not the one that was sealed"
        case .attributesSeal: "the description of an item does not open"
        case .attributesPadding: "the description of an item is padded wrongly"
        case .attributesContent: "the description of an item is not encoded as it must be"
        case .valueSeal: "the value of an item does not open"
        case .valuePadding: "the value of an item is padded wrongly"
        case .valueTooLarge: "the value of an item is too large"
        case .tagNames: "the name of an item is not that of its row"
        }
    }

    /// What helps against it.
    enum Remedy {
        /// The keys are lost in this file: only a copy helps.
        case restore
        /// The keys open, so that what is sound can be kept.
        case repair
        /// The owner knows whether the older file is meant.
        case acceptOlder
    }

    /// What helps against this.
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
