/// The error names of `Docs/Format.md`, section 10, one for each kind of invalid stored data.
///
/// The raw value is the name in that document, in the test vectors and in the errors of `--json`.
public enum FormatFailure: String, Error, Sendable, Hashable, CaseIterable {
    /// SQLite finds the file damaged.
    case fileDamaged = "file_damaged"
    /// The header is missing.
    case headerMissing = "header_missing"
    /// The header is too short.
    case headerTruncated = "header_truncated"
    /// The header's magic bytes are wrong.
    case headerMagic = "header_magic"
    /// The format is not 2.
    case headerFormat = "header_format"
    /// The key epoch is 0.
    case keyEpochZero = "key_epoch_zero"
    /// The header has no slot, or more than eight.
    case slotCount = "slot_count"
    /// The header is followed by extra bytes.
    case headerTrailingBytes = "header_trailing_bytes"
    /// The checksum of a slot does not match.
    case slotChecksum = "slot_checksum"
    /// A slot has an unknown kind.
    case slotKind = "slot_kind"
    /// A slot has an unknown algorithm, or an algorithm that does not belong to its kind.
    case slotAlgorithm = "slot_algorithm"
    /// A slot of another kind than passphrase has a derivation cost.
    case slotParameters = "slot_parameters"
    /// A derivation cost is below the minimum.
    case slotCostTooLow = "slot_kdf_weak"
    /// A derivation cost is above a maximum.
    case slotCostTooHigh = "slot_kdf_excessive"
    /// The record of a slot is invalid for its kind.
    case slotRecord = "slot_record"
    /// Two slots have the same id.
    case slotDuplicate = "slot_duplicate"
    /// The commitment of a slot matches, but its key pair does not open or does not match its public key.
    case slotPair = "slot_pair"
    /// The proof of a slot does not match its box: the box was not sealed by a holder of the keys.
    case slotProof = "slot_proof"
    /// The box of a slot, which contains the root key, does not open or cannot be sealed.
    case slotBox = "slot_box"
    /// The attribute key, a value key or the secret key for backups does not open.
    case wrappedKeySeal = "wrapped_key_seal"
    /// The public key for backups does not match its secret key.
    case backupKey = "backup_key"
    /// The state record is missing.
    case stateMissing = "state_missing"
    /// The state record has the wrong size.
    case stateLength = "state_length"
    /// The state record's format is not 2.
    case stateFormat = "state_format"
    /// The state record does not open under this header.
    case stateSeal = "state_seal"
    /// The state holds invalid values.
    case stateContent = "state_content"
    /// The rollback record of this machine is damaged.
    case rollbackRecordDamaged = "rollback_record_damaged"
    /// The vault is older than the newest state seen by this machine.
    case rolledBack = "rolled_back"
    /// This machine saw another vault at this place, or destroyed one here.
    case otherVault = "other_vault"
    /// The vault lacks a commit that this machine saw: another state replaced it.
    case forked = "forked"
    /// The link of a commit is missing.
    case linkMissing = "link_missing"
    /// The link of a commit does not open, or is stored twice.
    case linkDamaged = "link_damaged"
    /// The authentication key of a slot does not open under the root key, before a rekey.
    case slotKey = "slot_key"
    /// A bucket number is outside 0 to 511.
    case bucketNumber = "bucket_number"
    /// A bucket record has the wrong size.
    case bucketLength = "bucket_length"
    /// The format of a bucket record is not 2.
    case bucketFormat = "bucket_format"
    /// The sum of the bucket records does not match the state.
    case bucketsSum = "buckets_sum"
    /// A bucket record does not open.
    case bucketSeal = "bucket_seal"
    /// A bucket record holds invalid values.
    case bucketContent = "bucket_content"
    /// A row has a column of invalid size or value.
    case rowShape = "row_shape"
    /// The format of a row is not 2.
    case rowFormat = "row_format"
    /// The sum of the rows does not match their bucket record.
    case bucketRows = "bucket_rows"
    /// The bucket records do not sum to the state's number of items.
    case itemsCount = "items_count"
    /// The bucket records do not sum to the state's number of earlier rows.
    case earlierCount = "earlier_count"
    /// The time of an earlier row does not open.
    case movedSeal = "moved_seal"
    /// The reason for which a row became an earlier one is unknown.
    case movedContent = "moved_content"
    /// The attributes of an item do not open.
    case attributesSeal = "attributes_seal"
    /// The padding of an item's attributes is wrong.
    case attributesPadding = "attributes_padding"
    /// The encoding of an item's attributes is wrong.
    case attributesContent = "attributes_content"
    /// The value of an item does not open.
    case valueSeal = "value_seal"
    /// The padding of an item's value is wrong.
    case valuePadding = "value_padding"
    /// The value of an item exceeds the maximum size.
    case valueTooLarge = "value_too_large"
    /// The value of a file is malformed.
    case fileContent = "file_content"
    /// A chunk of a file is missing.
    case chunkMissing = "chunk_missing"
    /// A chunk of a file has another size, does not open, or belongs to another place.
    case chunkSeal = "chunk_seal"
    /// The names in an item do not match its tag.
    case tagNames = "tag_names"
    /// The vault's public key for backups is not the one that this machine saw last.
    case backupKeyChanged = "backup_key_changed"
    /// A backup is too short, or has bytes after its last chunk.
    case backupTruncated = "backup_truncated"
    /// The key of a backup does not open.
    case backupBox = "backup_box"
    /// A chunk of a backup does not open.
    case backupChunk = "backup_chunk"
    /// A backup has invalid parts, or its vault does not match its header.
    case backupContent = "backup_content"
}
