/// What a storage may do with its file.
public enum StorageMode: Sendable {
    /// Reads and writes.
    case readWrite
    /// Reads only. Where the file may be written, a log that a writer left behind may still be moved into it.
    case readOnly
}
