internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// An item of the vault with a copy of its value.
struct StoredItem: ~Copyable {
    let attributes: SecretAttributes
    let revision: UInt64
    /// The time of the last change, in milliseconds.
    let modified: Int64
    var value: SecretBytes
}

extension SecureStore {
    /// Reads an item; nil if it does not exist.
    func item(_ name: SecretName) throws -> StoredItem? {
        do {
            return try read(name) { (item, value) throws(SecureStoreError) -> StoredItem? in
                let copy: SecretBytes
                do {
                    copy = try value.copy()
                } catch {
                    throw SecureStoreError(translating: error)
                }
                return StoredItem(
                    attributes: item.attributes, revision: item.revision, modified: item.modified,
                    value: copy)
            }
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Saves an item of the class `whileUnlocked`, or replaces its value and attributes.
    func put(
        _ value: borrowing SecretBytes, as name: SecretName, _ extra: [ExtraAttribute]
    ) throws {
        do {
            try update(name, to: value, SecretEdit(extra: extra), expecting: nil)
        } catch SecureStoreError.notFound {
            do {
                try save(value, as: name, SecretAttributes(extra: extra))
            } catch SecureStoreError.duplicate {
                // Another process saved the item between the two calls.
                try update(name, to: value, SecretEdit(extra: extra), expecting: nil)
            }
        }
    }

    /// Removes an item if it exists.
    func removeIfPresent(_ name: SecretName, expecting revision: UInt64? = nil) throws {
        do {
            try remove(name, expecting: revision)
        } catch SecureStoreError.notFound {
            return
        }
    }

    /// Runs `body`, which reads and changes an item. Repeats it after each conflict with another
    /// process.
    func retryingConflicts<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            do {
                return try body()
            } catch SecureStoreError.conflict {
            } catch SecureStoreError.duplicate {
            } catch SecureStoreError.notFound {
            }
        }
    }
}

extension SecretAttributes {
    /// The value of an additional attribute.
    subscript(key: String) -> String? {
        extra.first { $0.key.utf8.elementsEqual(key.utf8) }?.text
    }

    /// The time in an additional attribute.
    func time(_ key: String) -> PointInTime? {
        self[key].flatMap { Timestamp.milliseconds($0) }.map { PointInTime(milliseconds: $0) }
    }
}

extension ExtraAttribute {
    static func time(_ key: String, _ time: PointInTime) -> ExtraAttribute {
        ExtraAttribute(key: key, text: Timestamp.text(time.milliseconds))
    }
}
