internal import SecretMemory
internal import SecureStorage
internal import VaultStorage

// The owner's settings for lists.
extension VaultFiles {
    private static func settingsName() throws -> SecretName {
        try SecretName(service: ReservedService.settings, account: "files")
    }

    /// Reads the settings, which are stored in the vault.
    public func settings() throws(VaultError) -> FileSettings {
        try VaultError.translating {
            do {
                return FileSettings(try vault.describe(Self.settingsName()).attributes.extra)
            } catch SecureStoreError.notFound {
                return FileSettings()
            }
        }
    }

    /// Changes the settings.
    ///
    /// - Parameter body: Gets the stored settings and changes them, inside the transaction. It must not call the vault.
    /// - Returns: The new settings.
    /// - Throws: `store(.locked)`, `damaged`, `storage`.
    @discardableResult
    public func changeSettings(
        _ body: (inout FileSettings) -> Void
    ) throws(VaultError) -> FileSettings {
        try vault.use { session in
            let name = try Self.settingsName()
            return try session.change { changes in
                let row = try changes.item(tag: session.tag(of: name))
                let old = try row.map { FileSettings(try session.openAttributes(of: $0).extra) }
                var settings = old ?? FileSettings()
                body(&settings)
                guard row == nil else {
                    if settings != old {
                        let edit = SecretEdit(extra: settings.extra)
                        _ = try changes.edit(name, edit, expecting: nil)
                    }
                    return settings
                }
                let nothing = try SecretBytes(count: 0)
                let new = try nothing.withBytes {
                    try session.newItem(
                        $0, name, SecretAttributes(extra: settings.extra),
                        random: session.environment.random)
                }
                try changes.insert(new.row)
                return settings
            }
        }
    }
}

extension FileSettings {
    private static let orderKey = "file-sort"
    private static let sizesKey = "file-sizes"

    fileprivate init(_ extra: [ExtraAttribute]) {
        self.init(
            order: extra.text(Self.orderKey).flatMap(FileOrder.init) ?? .name,
            showsSizes: extra.text(Self.sizesKey) != "no")
    }

    fileprivate var extra: [ExtraAttribute] {
        [
            ExtraAttribute(key: Self.orderKey, text: order.rawValue),
            ExtraAttribute(key: Self.sizesKey, text: showsSizes ? "yes" : "no"),
        ]
    }
}
