internal import SecureStorage
internal import Sync
internal import SyncStorage

extension SecretMirror {
    /// The name of the note with the contents that this device has seen in records.
    private static let note = "files"
    /// The size of a version's id, in bytes.
    private static let idSize = 16

    /// The texts of an attribute in the records of all files, also of removed files and of values that lost: as long as a record has one, a device
    /// may need its content.
    ///
    /// - Throws: The errors of the store.
    package func fileTexts(_ key: String) throws -> Set<String> {
        try store.mirrorTransaction { transaction in
            var texts: Set<String> = []
            for counterpart in try transaction.counterparts() where counterpart.isOfFile {
                let object = try transaction.mirrorObject(counterpart.object)
                texts.formUnion(transaction.texts(key, of: object.versions))
            }
            return texts
        }
    }

    /// As ``fileTexts(_:)``, and of all objects. Reads all records.
    ///
    /// - Returns: The texts; nil while changes wait for their key, which may name others.
    /// - Throws: The errors of the store.
    package func allTexts(_ key: String) throws -> Set<String>? {
        try store.mirrorTransaction { transaction in
            guard try transaction.keptParts(.whileUnlocked).isEmpty else { return nil }
            var texts: Set<String> = []
            for object in try transaction.objects() {
                texts.formUnion(transaction.texts(key, of: try transaction.versions(of: object)))
            }
            return texts
        }
    }

    /// The ids of the contents that this device has put or seen named, and that may still be at the remote.
    ///
    /// - Throws: The errors of the store.
    package func knownContents() throws -> Set<[UInt8]> {
        let bytes = try store.mirrorTransaction { try $0.note(Self.note) } ?? []
        return Set(
            stride(from: 0, to: bytes.count, by: Self.idSize).map {
                Array(bytes[$0...].prefix(Self.idSize))
            })
    }

    /// Notes them. Before the first part of a content is put.
    ///
    /// - Throws: The errors of the store.
    package func setKnownContents(_ contents: Set<[UInt8]>) throws {
        let bytes = contents.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
        try store.mirrorTransaction { try $0.setNote(Self.note, bytes) }
    }
}

extension MirrorTransaction {
    /// The texts of an attribute.
    fileprivate func texts(_ key: String, of versions: [Version]) -> Set<String> {
        Set(
            versions.compactMap { version in
                guard version.level > .list, version.field == .attribute(key) else { return nil }
                return version.content.bytes.flatMap(AttributeContent.text)
            })
    }
}

extension Counterpart {
    /// Whether its item is a file. The name of one that never was in this vault comes from the records.
    fileprivate var isOfFile: Bool { lastName?.isFile ?? false }
}
