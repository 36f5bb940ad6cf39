package import SecretMemory
package import SecureStorage
package import Sync
internal import SyncStorage

/// A version of a secret that another one of higher rank was written without knowledge of.
package struct ConcurrentSecret: Hashable, Sendable {
    let key: RecordKey
    /// Whether reading it needs verification.
    package let isProtected: Bool

    init(_ version: Version) {
        key = version.key
        isProtected = version.level == .afterVerification
    }

    /// The device that wrote it.
    package var device: DeviceID { key.stamp.device }
    /// When it was written by the clock of that device, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 { key.stamp.milliseconds }
}

/// Why a person should look at a secret.
package struct SecretMark: Hashable, Sendable {
    /// The earlier values that are marked *concurrent*, from the highest rank on.
    package let concurrent: [ConcurrentSecret]
    /// Whether it came back although a device had removed it.
    package let hasReturned: Bool
}

/// A content of a field other than the value that lost against a concurrent one.
package struct LostSecretField: Hashable, Sendable {
    package let name: SecretName
    /// The field, as of the records.
    package let field: RecordField
    /// The text that lost; of a name its parts, separated by ` / `; empty for an attribute that was removed.
    package let text: String
    /// The device that wrote it.
    package let device: DeviceID
    /// When it was written by the clock of that device, in milliseconds since 1970-01-01 UTC.
    package let time: Int64
}

extension SecretMirror {
    /// Whether a person should look at any secret.
    package var hasMarks: Bool {
        get throws { try store.mirrorTransaction { try !$0.marked().isEmpty } }
    }

    /// The names of the secrets that a person should look at.
    ///
    /// - Throws: The errors of the store.
    package func markedNames() throws -> Set<SecretName> {
        try store.mirrorTransaction { transaction in
            Set(
                try transaction.marked().compactMap { id in
                    try transaction.mirrorObject(id).state.flatMap { SecretImage($0).name }
                })
        }
    }

    /// Why a person should look at a secret; nil if it has no mark.
    ///
    /// - Throws: The errors of the store.
    package func mark(of name: SecretName) throws -> SecretMark? {
        try store.mirrorTransaction { transaction in
            guard let object = try transaction.mirrorObject(named: name), object.isMarked,
                let state = object.state
            else { return nil }
            return SecretMark(
                concurrent: state.concurrentValues.map { ConcurrentSecret($0) },
                hasReturned: state.hasReturned)
        }
    }

    /// Gives a copy of a concurrent value.
    ///
    /// - Throws: `SyncError.levelLocked` if it needs verification; the errors of the store.
    package func value(of secret: ConcurrentSecret) throws -> SecretBytes {
        try store.mirrorTransaction { try SecretContent($0.secret(of: secret.key)) }.bytes.copy()
    }

    /// Clears the mark of a secret on all devices: a person looked at its earlier values.
    ///
    /// - Returns: Whether there was a mark.
    /// - Throws: `SyncError`, the errors of the store.
    @discardableResult
    package func looked(at name: SecretName) throws -> Bool {
        try store.mirrorTransaction { transaction in
            guard let object = try transaction.mirrorObject(named: name), object.isMarked,
                let state = object.state
            else { return false }
            var stamps = Set(state.concurrentValues.map(\.stamp))
            if state.hasReturned {
                stamps.formUnion(object.versions.filter { $0.field == .remove }.map(\.stamp))
            }
            let draft = Draft(object.id, .looked, .whileUnlocked, RecordContent.stamps(stamps))
            try replica.change(in: transaction) { _ in [draft] }
            try transaction.mark(object, false)
            return true
        }
    }

    /// Contents of labels, names, attributes and classes that lost against concurrent ones, the newest first.
    ///
    /// - Parameter time: The time since which this device has them, in milliseconds since 1970-01-01 UTC.
    /// - Returns: The contents.
    /// - Throws: The errors of the store.
    package func lostFields(since time: Int64) throws -> [LostSecretField] {
        var found: [LostSecretField] = []
        for part in try objects() {
            try store.mirrorTransaction { transaction in
                for id in part {
                    guard let state = try transaction.mirrorObject(id).state,
                        let name = SecretImage(state).name
                    else { continue }
                    for (field, versions) in state.fields where field != .value {
                        found += versions.earlier.filter {
                            $0.isConcurrent && $0.version.applied >= time
                        }.map { LostSecretField(name, $0.version) }
                    }
                }
            }
        }
        return found.sorted { ($0.time, $0.device) > ($1.time, $1.device) }
    }

    /// The objects of all counterparts, in parts for one transaction.
    func objects() throws -> [[ObjectID]] {
        let ids = try store.mirrorTransaction { try $0.counterparts().map(\.object) }.sorted()
        return stride(from: 0, to: ids.count, by: 512).map { Array(ids[$0...].prefix(512)) }
    }
}

extension LostSecretField {
    init(_ name: SecretName, _ version: Version) {
        self.name = name
        field = version.field
        device = version.stamp.device
        time = version.stamp.milliseconds
        let content = version.content.bytes ?? []
        text =
            switch field {
            case .itemName:
                SecretName(record: content).map { "\($0.service) / \($0.account) / \($0.field)" }
                    ?? ""
            case .label: String(decoding: content, as: UTF8.self)
            case .protection: content == RecordContent.flag(true) ? "2" : "1"
            default: AttributeContent.text(content) ?? ""
            }
    }
}

extension ObjectState {
    /// The earlier values that are marked *concurrent*, from the highest rank on.
    fileprivate var concurrentValues: [Version] {
        fields[.value]?.earlier.filter(\.isConcurrent).map(\.version) ?? []
    }
}
