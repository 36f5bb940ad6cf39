/// The error names of `Docs/Sync.md`, one for each kind of invalid segment. The raw value is the name in that document and in the vectors.
package enum SegmentFailure: String, Error, Sendable, Hashable, CaseIterable {
    /// The file exceeds the limit of a segment.
    case tooLong = "segment_too_long"
    /// The file is shorter than any segment.
    case truncated = "segment_truncated"
    /// The magic bytes are wrong.
    case magic = "segment_magic"
    /// The format is 0.
    case format = "segment_format"
    /// The format is later than this program's.
    case laterFormat = "segment_later_format"
    /// The author has used a later format before.
    case earlierFormat = "segment_earlier_format"
    /// The kind is unknown.
    case kind = "segment_kind"
    /// The segment is that of another group.
    case group = "segment_group"
    /// The number is 0, or the first segment names a previous one.
    case number = "segment_number"
    /// The signature is not the author's.
    case signature = "segment_signature"
    /// The body does not open under L.
    case bodySeal = "body_seal"
    /// The padding of the body is wrong.
    case bodyPadding = "body_padding"
    /// The body is malformed.
    case bodyContent = "body_content"
    /// A removed member can open its epoch, although its author knew of the removal.
    case epochOpen = "segment_epoch_open"
    /// The heads lack a device of an earlier segment, or go back.
    case heads = "body_heads"
    /// The parts of a change do not follow each other.
    case changeParts = "body_change_parts"
    /// The author of a snapshot had not V.
    case snapshotProof = "snapshot_proof"
    /// The part for U or V does not open under its key.
    case partSeal = "part_seal"
    /// The part for U or V is malformed, or its records are not those that part U names.
    case partContent = "part_content"
}
