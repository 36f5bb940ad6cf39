internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

extension VaultSession {
    /// The lookup tag of a name.
    func tag(of name: SecretName) -> [UInt8] {
        Blake2b.hash(size: 32, key: keys.lookup) { input in
            input.feed(UInt32(name.service.utf8.count))
            input.feed(name.service)
            input.feed(UInt32(name.account.utf8.count))
            input.feed(name.account)
        }
    }

    /// The key of a class, if it is in memory.
    func valueKey(_ accessClass: AccessClass) throws(VaultError) -> VaultKeys.ValueKeyHolder {
        guard let holder = keys.values[accessClass] else { throw .store(.notVerified) }
        return holder
    }

    /// Seals an item with a checked description, as a row.
    func seal(
        _ value: RawSpan, _ description: ItemDescription, _ accessClass: AccessClass,
        itemID: [UInt8], revision: UInt64
    ) throws(VaultError) -> ItemRecord {
        let holder = try valueKey(accessClass)
        let encoded = description.bytes
        do throws(SealingError) {
            return ItemRecord(
                tag: tag(of: description.name), itemID: itemID,
                accessClass: accessClass.rawValue, revision: revision,
                format: SealContext.recordFormat,
                attributes: try Sealing.sealPadded(
                    unsafe encoded.span.bytes, under: keys.attribute,
                    context(.attributes, itemID, accessClass.rawValue, revision),
                    random: environment.random),
                value: try Sealing.sealPadded(
                    value, under: holder.key,
                    context(.value, itemID, accessClass.rawValue, revision),
                    random: environment.random))
        } catch {
            throw VaultError(error)
        }
    }

    /// Opens the description of a verified row.
    ///
    /// If the row was found by `name`, an equal name inside needs no second hash.
    func open(
        _ row: ItemRecord, expecting name: SecretName? = nil
    ) throws(VaultError) -> ItemDescription {
        let description = try Sealing.withOpenedPadded(
            row.attributes, under: keys.attribute,
            context(.attributes, row.itemID, row.accessClass, row.revision),
            mapError: { Self.failure($0, seal: .attributesSeal, padding: .attributesPadding) },
            { (plain) throws(VaultError) in
                guard let description = plain.withBytes({ ItemDescription($0) }) else {
                    throw .damaged(.attributesContent)
                }
                return description
            })
        guard description.name == name || tag(of: description.name) == row.tag else {
            throw .damaged(.tagNames)
        }
        return description
    }

    /// Opens the value of a verified row in guarded memory.
    func withValue<Result: ~Copyable>(
        of row: ItemRecord, _ body: (borrowing SecretBytes) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        let holder = try valueKey(Self.accessClass(of: row))
        return try Sealing.withOpenedPadded(
            row.value, under: holder.key,
            context(.value, row.itemID, row.accessClass, row.revision),
            mapError: { Self.failure($0, seal: .valueSeal, padding: .valuePadding) },
            { (value) throws(VaultError) in
                guard value.count <= SecretLimits.maximumValueSize else {
                    throw .damaged(.valueTooLarge)
                }
                return try body(value)
            })
    }

    /// The class of a row of valid shape.
    static func accessClass(of row: ItemRecord) throws(VaultError) -> AccessClass {
        guard let accessClass = AccessClass(rawValue: row.accessClass) else {
            throw .damaged(.rowShape)
        }
        return accessClass
    }

    /// The description of a row for a list.
    static func item(
        _ row: ItemRecord, _ description: ItemDescription
    ) throws(VaultError) -> SecretItem {
        SecretItem(
            name: description.name,
            attributes: SecretAttributes(
                label: description.label, accessClass: try accessClass(of: row),
                extra: description.extra),
            revision: row.revision, created: description.created, modified: description.modified)
    }

    private func context(
        _ purpose: SealContext.Purpose, _ itemID: [UInt8], _ accessClass: UInt8, _ revision: UInt64
    ) -> SealContext {
        SealContext(
            purpose, vaultID: header.vaultID, id: itemID, accessClass: accessClass,
            revision: revision, part: purpose == .attributes ? 1 : 2)
    }

    private static func failure(
        _ error: SealingError, seal: FormatFailure, padding: FormatFailure
    ) -> VaultError {
        switch error {
        case .padding: .damaged(padding)
        case .outOfMemory: .outOfMemory
        default: .damaged(seal)
        }
    }
}
