internal import SecretMemory
internal import SecureStorage

extension SecureStore {
    /// Saves an item of the class `whileUnlocked`, or replaces it with its description.
    func put(
        _ value: borrowing SecretBytes, as name: SecretName, _ extra: [ExtraAttribute]
    ) throws(SecureStoreError) {
        do throws(SecureStoreError) {
            try update(name, to: value, SecretEdit(extra: extra), expecting: nil)
        } catch .notFound {
            do throws(SecureStoreError) {
                try save(value, as: name, SecretAttributes(extra: extra))
            } catch .duplicate {
                // Somebody else saved it between the two.
                try update(name, to: value, SecretEdit(extra: extra), expecting: nil)
            }
        }
    }
}
