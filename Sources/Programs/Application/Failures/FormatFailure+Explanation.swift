package import VaultCore

extension FormatFailure {
    /// The damage as the end of a message, in lower case and without a full stop.
    package var explanation: String {
        switch self {
        case .fileDamaged: "SQLite finds the file damaged: it may be read, but not backed up"
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
        case .slotParameters: "a slot without a passphrase has a key derivation cost"
        case .slotCostTooLow: "the key derivation cost of a slot is too low"
        case .slotCostTooHigh:
            "the key derivation cost of a slot is too high for this machine"
        case .slotRecord: "the record of a key slot is malformed"
        case .slotDuplicate: "two key slots have the same id"
        case .slotPair: "the key pair of a slot is wrong, although the passphrase is correct"
        case .slotProof: "the root key in a slot was not put there by a holder of the vault's keys"
        case .slotBox: "the root key in a slot cannot be decrypted or replaced"
        case .wrappedKeySeal: "a key in the header cannot be decrypted"
        case .backupKey: "the public key for backups does not belong to its secret key"
        case .stateMissing: "the sealed state is missing"
        case .stateLength: "the sealed state has a wrong size"
        case .stateFormat: "the sealed state has an unknown format"
        case .stateSeal: "the sealed state cannot be decrypted: it or the header was changed"
        case .stateContent: "the sealed state contains invalid values"
        case .rollbackRecordDamaged: "this machine's rollback record is damaged"
        case .rolledBack: "the vault is older than the state last seen on this machine"
        case .otherVault: "this is another vault than the one last seen at this place"
        case .forked: "the vault was forked: a commit that this machine saw is not in it"
        case .linkMissing:
            "the link of a commit is missing: the vault cannot be compared with the state last seen"
        case .linkDamaged: "the link of a commit is damaged"
        case .slotKey: "a key slot was not made with the vault's root key"
        case .bucketNumber: "a bucket has an invalid number"
        case .bucketLength: "a bucket record has a wrong size"
        case .bucketFormat: "a bucket record has an unknown format"
        case .bucketsSum: "the bucket records do not match the sealed state"
        case .bucketSeal: "a bucket record cannot be decrypted"
        case .bucketContent: "a bucket record contains invalid values"
        case .rowShape: "a row has a column of invalid size or value, or is there twice"
        case .rowFormat: "a row has an unknown format"
        case .bucketRows: "rows were changed, added, removed or replaced by old ones"
        case .itemsCount: "the number of items does not match the sealed state"
        case .earlierCount: "the number of earlier values does not match the sealed state"
        case .movedSeal: "the time of an earlier value cannot be decrypted"
        case .movedContent: "the time of an earlier value is malformed"
        case .attributesSeal: "the description of an item cannot be decrypted"
        case .attributesPadding: "the description of an item has wrong padding"
        case .attributesContent: "the description of an item is malformed"
        case .valueSeal: "the value of an item cannot be decrypted"
        case .valuePadding: "the value of an item has wrong padding"
        case .valueTooLarge: "the value of an item is too large"
        case .backupKeyChanged:
            "the vault's public key for backups is not the one last seen on this machine"
        case .backupTruncated: "it is incomplete"
        case .backupBox: "its key cannot be decrypted"
        case .backupChunk: "a part of it cannot be decrypted"
        case .backupContent: "its parts are not those of a backup"
        case .fileContent: "the description of a file's content is malformed"
        case .chunkMissing: "a part of a file is missing"
        case .chunkSeal: "a part of a file cannot be decrypted"
        case .tagNames: "the name of an item does not match its row"
        }
    }

    /// The remedy for damage.
    package enum Remedy {
        /// Keys or the content of a file are lost in this vault; the owner needs a backup.
        case restore
        /// The keys are intact, so a repair keeps the sound items.
        case repair
        /// Only the owner can confirm an older file.
        case acceptOlder
        /// Only the owner can confirm another vault.
        case acceptOther
    }

    /// Whether a repair replaces links for this damage.
    package var isOfLinks: Bool { self == .linkMissing || self == .linkDamaged }

    /// Whether the damage affects only the content of a file; a repair remains possible.
    var isOfFiles: Bool { self == .fileContent || self == .chunkMissing || self == .chunkSeal }

    /// Whether the vault's own data is sound, but differs from this machine's rollback record.
    var isFreshnessFailure: Bool { remedy == .acceptOlder || remedy == .acceptOther }

    /// The remedy for this damage.
    package var remedy: Remedy {
        switch self {
        case .fileDamaged, .headerMissing, .headerTruncated, .headerMagic, .headerFormat,
            .keyEpochZero, .slotCount, .headerTrailingBytes, .slotChecksum, .slotKind,
            .slotAlgorithm, .slotParameters, .slotCostTooLow, .slotCostTooHigh, .slotRecord,
            .slotDuplicate, .slotPair, .slotProof, .slotBox, .wrappedKeySeal, .backupKey, .slotKey,
            .fileContent, .chunkMissing, .chunkSeal:
            .restore
        case .rollbackRecordDamaged, .rolledBack, .forked, .linkMissing, .linkDamaged:
            .acceptOlder
        case .otherVault:
            .acceptOther
        default:
            .repair
        }
    }
}
