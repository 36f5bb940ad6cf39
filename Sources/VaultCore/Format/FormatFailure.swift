/// The names of `Docs/Format.md`, section 10: each way in which stored bytes can be wrong.
///
/// The raw value is the name in the document, in the vectors and in the errors of `--json`.
public enum FormatFailure: String, Error, Sendable, Hashable, CaseIterable {
    /// There is no header.
    case headerMissing = "header_missing"
    /// The header ends too early.
    case headerTruncated = "header_truncated"
    /// The header does not start as one.
    case headerMagic = "header_magic"
    /// The format is not 1.
    case headerFormat = "header_format"
    /// The key epoch is 0.
    case keyEpochZero = "key_epoch_zero"
    /// No slot, or more than eight.
    case slotCount = "slot_count"
    /// Bytes after the header.
    case headerTrailingBytes = "header_trailing_bytes"
    /// The bytes of a slot were damaged.
    case slotChecksum = "slot_checksum"
    /// A slot of unknown kind.
    case slotKind = "slot_kind"
    /// A slot of unknown algorithm, or not the one of its kind.
    case slotAlgorithm = "slot_algorithm"
    /// A recovery slot with a derivation cost.
    case slotRecoveryParameters = "slot_recovery_parameters"
    /// A derivation cost under the floor.
    case slotCostTooLow = "slot_kdf_weak"
    /// A derivation cost over a ceiling.
    case slotCostTooHigh = "slot_kdf_excessive"
    /// Two slots of one id.
    case slotDuplicate = "slot_duplicate"
    /// The sealed root key does not open although the commitment fits.
    case rootKeySeal = "root_key_seal"
    /// The attribute key or a value key does not open.
    case wrappedKeySeal = "wrapped_key_seal"
    /// There is no state record.
    case stateMissing = "state_missing"
    /// The state record has a wrong size.
    case stateLength = "state_length"
    /// The state record's format is not 1.
    case stateFormat = "state_format"
    /// The state record does not open under this header.
    case stateSeal = "state_seal"
    /// The state holds impossible values.
    case stateContent = "state_content"
    /// The rollback mark of this machine is damaged.
    case markDamaged = "mark_damaged"
    /// The vault is older than what this machine has seen.
    case rolledBack = "rolled_back"
    /// A bucket number outside 0 to 255.
    case bucketNumber = "bucket_number"
    /// A bucket record of wrong size.
    case bucketLength = "bucket_length"
    /// A bucket record whose format is not 1.
    case bucketFormat = "bucket_format"
    /// The bucket records are not those of the state.
    case bucketsSum = "buckets_sum"
    /// A bucket record does not open.
    case bucketSeal = "bucket_seal"
    /// A bucket record holds impossible values.
    case bucketContent = "bucket_content"
    /// A row with a column of impossible size or value.
    case rowShape = "row_shape"
    /// A row whose format is not 1.
    case rowFormat = "row_format"
    /// The rows are not those of their bucket record.
    case bucketRows = "bucket_rows"
    /// The bucket records do not add up to the state's number of items.
    case itemsCount = "items_count"
    /// The attributes of an item do not open.
    case attributesSeal = "attributes_seal"
    /// The attributes of an item are padded wrongly.
    case attributesPadding = "attributes_padding"
    /// The attributes of an item are not encoded as they must be.
    case attributesContent = "attributes_content"
    /// The value of an item does not open.
    case valueSeal = "value_seal"
    /// The value of an item is padded wrongly.
    case valuePadding = "value_padding"
    /// The value of an item is too large.
    case valueTooLarge = "value_too_large"
    /// The names in an item are not those of its tag.
    case tagNames = "tag_names"
}
