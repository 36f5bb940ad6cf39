/// Why guarded memory could not be had.
public enum SecretMemoryError: Error, Sendable, Hashable {
    /// The system refused the mapping: memory, or the number of mappings of the process, is used up.
    case outOfMemory
}
