internal import SecureStorage

/// The settings of the inbox and of saved checklists.
///
/// They are in the vault. Otherwise a program that can write the user's files could make TaskVault
/// contact other servers.
package struct InboxSettings: Sendable, Hashable {
    /// Whether pictures of shown messages are loaded without a request by the user.
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

    /// The settings of a new vault: pictures are not loaded, and saving is allowed.
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

    /// Changes the settings. If saving is forbidden, saved checklists are erased in the same step.
    ///
    /// - Parameter body: Changes the stored settings; runs again after a conflict with another
    ///   process.
    /// - Throws: The error of `body`; `locked`, `unavailable`, …
    package func changeSettings(_ body: (inout InboxSettings) throws -> Void) throws {
        let name = try InboxSettings.name()
        do {
            try store.save(SecretBytes(count: 0), as: name, SecretAttributes())
        } catch let error as SecureStoreError where error == .duplicate {
            // The settings exist.
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
                try store.change([change] + (settings.allowsSaving ? [] : checklistRemovals()))
                isDone = true
            } catch SecureStoreError.conflict {
                // Another process changed the settings. Read them again.
            }
        }
        if settings.allowsSaving { return }
        // Another process may have saved a checklist before it read the new settings.
        let late = try checklistRemovals()
        if !late.isEmpty { try store.change(late) }
    }

    private func checklistRemovals() throws -> [SecretChange] {
        try store.list().map(\.name).filter(\.isChecklist).map {
            SecretChange($0, expecting: nil, .remove(permanently: true))
        }
    }
}
