/// The error names of `Docs/Format.md`, section 10, one for each kind of invalid stored data.
///
/// The raw value is the name in that document, in the test vectors and in the errors of `--json`.
public enum FormatFailure: String, Error, Sendable, Hashable, CaseIterable {
    /// The header is missing.
    case headerMissing = "header_missing"
    /// The header is too short.
    case headerTruncated = "header_truncated"
    /// The header's magic bytes are wrong.
    case headerMagic = "header_magic"
    /// The format is not 1.
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
    /// A recovery slot has a derivation cost.
    case slotRecoveryParameters = "slot_recovery_parameters"
    /// A derivation cost is below the minimum.
    case slotCostTooLow = "slot_kdf_weak"
    /// A derivation cost is above a maximum.
    case slotCostTooHigh = "slot_kdf_excessive"
    /// Two slots have the same id.
    case slotDuplicate = "slot_duplicate"
    /// The sealed root key does not open although the commitment matches.
    case rootKeySeal = "root_key_seal"
    /// The attribute key or a value key does not open.
    case wrappedKeySeal = "wrapped_key_seal"
    /// The state record is missing.
    case stateMissing = "state_missing"
    /// The state record has the wrong size.
    case stateLength = "state_length"
    /// The state record's format is not 1.
    case stateFormat = "state_format"
    /// The state record does not open under this header.
    case stateSeal = "state_seal"
    /// The state holds invalid values.
    case stateContent = "state_content"
    /// The rollback record of this machine is damaged.
    case markDamaged = "mark_damaged"
    /// The vault is older than the newest state seen by this machine.
    case rolledBack = "rolled_back"
    /// A bucket number is outside 0 to 255.
    case bucketNumber = "bucket_number"
    /// A bucket record has the wrong size.
    case bucketLength = "bucket_length"
    /// The format of a bucket record is not 1.
    case bucketFormat = "bucket_format"
    /// The sum of the bucket records does not match the state.
    case bucketsSum = "buckets_sum"
    /// A bucket record does not open.
    case bucketSeal = "bucket_seal"
    /// A bucket record holds invalid values.
    case bucketContent = "bucket_content"
    /// A row has a column of invalid size or value.
    case rowShape = "row_shape"
    /// The format of a row is not 1.
    case rowFormat = "row_format"
    /// The sum of the rows does not match their bucket record.
    case bucketRows = "bucket_rows"
    /// The bucket records do not sum to the state's number of items.
    case itemsCount = "items_count"
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
    /// The names in an item do not match its tag.
    case tagNames = "tag_names"
}
