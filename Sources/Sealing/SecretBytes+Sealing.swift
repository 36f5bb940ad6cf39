internal import SecretMemory

extension SecretBytes {
    /// Zeroed guarded memory, with this module's error.
    static func guarded(_ count: Int) throws(SealingError) -> SecretBytes {
        do {
            return try SecretBytes(count: count)
        } catch {
            throw .outOfMemory
        }
    }
}
