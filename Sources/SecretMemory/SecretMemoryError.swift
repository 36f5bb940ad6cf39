/// Why guarded memory could not be allocated.
public enum SecretMemoryError: Error, Sendable, Hashable {
    /// The system refused the mapping: memory, or the process's number of mappings, is exhausted.
    case outOfMemory
}
