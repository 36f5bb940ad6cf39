internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

extension VaultSession {
    /// The lookup tag of a name.
    func tag(of name: SecretName) -> [UInt8] {
        Blake2b.hash(size: 32, key: keys.lookup) { input in
            for part in [name.service, name.account, name.field] {
                input.feed(UInt32(part.utf8.count))
                input.feed(part)
            }
        }
    }

    /// The value key of a class.
    func valueKey(_ accessClass: AccessClass) throws -> VaultKeys.ValueKeyHolder {
        guard let holder = keys.values[accessClass] else { throw SecureStoreError.notVerified }
        return holder
    }

    /// Seals an item with a checked description into a row.
    func seal(
        _ value: RawSpan, _ description: ItemDescription, _ accessClass: AccessClass,
        itemID: [UInt8], revision: UInt64, random: RandomSource? = nil
    ) throws -> ItemRecord {
        let random = random ?? environment.random
        let holder = try valueKey(accessClass)
        let encoded = description.bytes
        return ItemRecord(
            tag: tag(of: description.name), itemID: itemID, accessClass: accessClass.rawValue,
            revision: revision, format: SealContext.recordFormat,
            attributes: try Sealing.sealPadded(
                unsafe encoded.span.bytes, under: keys.attribute,
                context(.attributes, itemID, accessClass.rawValue, revision),
                random: random),
            value: try Sealing.sealPadded(
                value, under: holder.key, context(.value, itemID, accessClass.rawValue, revision),
                random: random))
    }

    /// Opens the description of a verified row.
    ///
    /// If the row was found by `name`, and the description has the same name, no second hash is needed.
    func open(
        _ row: ItemRecord, expecting name: SecretName? = nil
    ) throws -> ItemDescription {
        let description = try openAttributes(of: row)
        guard description.name == name || tag(of: description.name) == row.tag else {
            throw VaultError.damaged(.tagNames)
        }
        return description
    }

    /// Opens the description of a verified row of either table.
    func openAttributes(of row: some SealedRow) throws -> ItemDescription {
        try withAttributeErrors {
            try Sealing.withOpenedPadded(
                row.attributes, under: keys.attribute,
                context(.attributes, row.itemID, row.accessClass, row.revision)
            ) { plain in
                guard let description = plain.withBytes({ ItemDescription($0) }) else {
                    throw VaultError.damaged(.attributesContent)
                }
                return description
            }
        }
    }

    /// Opens and describes verified rows of one bucket, in the order of their keys: as ``open(_:expecting:)``, but without making texts,
    /// and in one buffer.
    func describe(_ rows: [ItemRecord]) throws -> BucketDescriptions {
        var rows = rows
        // The order of the storage is not trusted.
        let isOrdered = zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key }
        if !isOrdered { rows.sort { $0.key < $1.key } }
        var descriptions = BucketDescriptions(capacity: rows.count)
        try SecretBufferPool.shared.withBuffer(count: Sealing.attributesBufferSize) { buffer in
            try withAttributeErrors {
                for row in rows { try describe(row, in: &buffer, adding: &descriptions) }
            }
        }
        descriptions.shrink()
        return descriptions
    }

    private func describe(
        _ row: ItemRecord, in buffer: inout SecretBytes,
        adding descriptions: inout BucketDescriptions
    ) throws {
        try Sealing.openPaddedAttributes(
            row.attributes, under: keys.attribute,
            context(.attributes, row.itemID, row.accessClass, row.revision), in: &buffer
        ) { bytes in
            guard let layout = DescriptionLayout(bytes) else {
                throw VaultError.damaged(.attributesContent)
            }
            guard Blake2b.matches(row.tag, bytes.extracting(layout.name), key: keys.lookup) else {
                throw VaultError.damaged(.tagNames)
            }
            descriptions.append(bytes, layout, of: row)
        }
    }

    private func withAttributeErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(.attributesSeal)
        } catch SealingError.padding {
            throw VaultError.damaged(.attributesPadding)
        }
    }

    /// Opens the value of a verified row in guarded memory.
    func withValue<Result: ~Copyable>(
        of row: some SealedRow, _ body: (borrowing SecretBytes) throws -> Result
    ) throws -> Result {
        let holder = try valueKey(Self.accessClass(of: row))
        do {
            return try Sealing.withOpenedPadded(
                row.value, under: holder.key,
                context(.value, row.itemID, row.accessClass, row.revision)
            ) { value in
                guard value.count <= SecretLimits.maximumValueSize else {
                    throw VaultError.damaged(.valueTooLarge)
                }
                return try body(value)
            }
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(.valueSeal)
        } catch SealingError.padding {
            throw VaultError.damaged(.valuePadding)
        }
    }

    /// The access class of a row of valid shape.
    static func accessClass(of row: some SealedRow) throws -> AccessClass {
        guard let accessClass = AccessClass(rawValue: row.accessClass) else {
            throw VaultError.damaged(.rowShape)
        }
        return accessClass
    }

    /// The item of a row, for a list.
    static func item(
        _ row: some SealedRow, _ description: ItemDescription
    ) throws -> SecretItem {
        SecretItem(
            name: description.name,
            attributes: SecretAttributes(
                label: description.label, accessClass: try accessClass(of: row),
                extra: description.extra),
            revision: row.revision, created: description.created, modified: description.modified)
    }

    func context(
        _ purpose: SealContext.Purpose, _ itemID: [UInt8], _ accessClass: UInt8, _ revision: UInt64
    ) -> SealContext {
        SealContext(
            purpose, vaultID: header.vaultID, id: itemID, accessClass: accessClass,
            revision: revision,
            part: purpose == .attributes ? 1 : purpose == .value ? 2 : 0)
    }
}
