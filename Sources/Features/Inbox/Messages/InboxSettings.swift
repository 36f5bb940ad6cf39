internal import SecureStorage

/// The settings of the inbox and of saved checklists, in the vault: who can write a file of this machine must not make it ask other servers.
package struct InboxSettings: Sendable, Hashable {
    /// Whether the pictures of shown messages are loaded without being asked for.
    package var loadsPictures = false
    /// Whether checklists may be saved.
    package var allowsSaving = true

    private static let picturesKey = "inbox-pictures"
    private static let savingKey = "allow-saving"

    static func name() throws -> SecretName {
        try SecretName(service: SecretName.reservedPrefix + "settings", account: "inbox")
    }

    init(_ attributes: SecretAttributes) {
        loadsPictures = attributes[Self.picturesKey] == "always"
        allowsSaving = attributes[Self.savingKey] != "no"
    }

    /// The settings of a new vault: pictures are asked for, and saving is allowed.
    package init() {}

    var extra: [ExtraAttribute] {
        var attributes = SecretAttributes()
        attributes[Self.picturesKey] = loadsPictures ? "always" : nil
        attributes[Self.savingKey] = allowsSaving ? nil : "no"
        return attributes.extra
    }
}

extension InboxStore {
    /// The settings.
    package func settings() throws -> InboxSettings {
        do {
            return InboxSettings(try store.describe(InboxSettings.name()).attributes)
        } catch SecureStoreError.notFound {
            return InboxSettings()
        }
    }

    /// Changes the settings. If checklists may not be saved any more, the saved ones are erased in the same step.
    ///
    /// - Parameter body: Gets the stored settings and changes them; runs again if another process changed them meanwhile.
    /// - Throws: The error of `body`; `locked`, `unavailable`, …
    package func changeSettings(_ body: (inout InboxSettings) throws -> Void) throws {
        let name = try InboxSettings.name()
        do {
            try store.save(SecretBytes(count: 0), as: name, SecretAttributes())
        } catch let error as SecureStoreError where error == .duplicate {
            // It exists.
        }
        var isDone = false
        var settings = InboxSettings()
        while !isDone {
            let item = try store.describe(name)
            settings = InboxSettings(item.attributes)
            try body(&settings)
            let edit = SecretEdit(extra: settings.extra)
            let change = SecretChange(name, expecting: item.revision, .edit(edit))
            do {
                try store.change([change] + (settings.allowsSaving ? [] : erasingChecklists()))
                isDone = true
            } catch SecureStoreError.conflict {
                // Another process changed them in this moment.
            }
        }
        if settings.allowsSaving { return }
        // Another process may have saved one meanwhile, before it could know.
        let late = try erasingChecklists()
        if !late.isEmpty { try store.change(late) }
    }

    private func erasingChecklists() throws -> [SecretChange] {
        try store.list().map(\.name).filter(\.isChecklist).map {
            SecretChange($0, expecting: nil, .remove(permanently: true))
        }
    }
}
