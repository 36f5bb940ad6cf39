internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding

/// Git's credentials in a store.
///
/// The service of an entry is `git:PROTOCOL://HOST[:PORT][/PATH]`; the account is the user name. The fields are `password`, or `credential`
/// with the attribute `authtype`, and `oauth_refresh_token`.
struct GitCredentials {
    private static let credential = "credential"
    private static let refreshToken = "oauth_refresh_token"
    private static let authenticationType = "authtype"
    private static let expiry = "password_expiry_utc"
    /// The maximum number of fields to read for a host.
    private static let most = 1_000

    let store: any SecureStore

    /// The entries for a request. A missing user or path matches any value.
    private func entries(for request: GitMessage, _ search: SecretSearch) throws -> [SecretEntry] {
        guard let service = request.service, let withPath = request.serviceWithPath else {
            return []
        }
        let found = SecretEntry.entries(of: try store.find(search, limit: Self.most))
        return found.filter { entry in
            let name = entry.name
            let isOfPlace =
                name.service.hasSameBytes(as: withPath)
                || (request.path == nil && name.service.utf8.starts(with: (service + "/").utf8))
            return isOfPlace
                && (request.user.map {
                    name.account.hasSameBytes(as: CredentialName.account($0))
                } ?? true)
        }
    }

    /// The secret for a request, and whether it has a refresh token; of several, the last saved one.
    func answer(to request: GitMessage) throws -> (item: SecretItem, hasToken: Bool)? {
        guard let service = request.serviceWithPath else { return nil }
        var candidates = try entries(for: request, .exact(service))
        if candidates.isEmpty, request.path == nil {
            candidates = try entries(for: request, .part(service + "/"))
        }
        let items = candidates.flatMap(\.fields)
        let found = items.filter { item in
            if item.name.isStandardField { return true }
            guard item.name.field.hasSameBytes(as: Self.credential) else { return false }
            return item.attributes[Self.authenticationType].map(request.accepts) ?? false
        }.max { $0.modified < $1.modified }
        guard let found else { return nil }
        let tokenName = try found.name.with(field: Self.refreshToken)
        return (found, items.contains { $0.name == tokenName })
    }

    /// Prints a secret in git's format, with the related values in the store.
    ///
    /// - Parameters:
    ///   - item: The secret.
    ///   - hasToken: Whether it has a refresh token.
    ///   - request: The request of git.
    ///   - output: The output.
    /// - Throws: A failure for a value that git would read as several lines.
    func print(
        _ item: SecretItem, withToken hasToken: Bool, for request: GitMessage,
        to output: inout Output
    ) throws {
        let isCredential = !item.name.isStandardField
        if isCredential { try output.writeLine("capability[]=authtype") }
        let tellsState = request.capabilities.contains("state")
        if tellsState { try output.writeLine("capability[]=state") }
        if isCredential {
            try write(
                Self.authenticationType, item.attributes[Self.authenticationType], to: &output)
        }
        try write("username", CredentialName.user(item.name.account), to: &output)
        try write(isCredential ? Self.credential : "password", item.name, to: &output)
        try write(Self.expiry, item.attributes[Self.expiry], to: &output)
        if hasToken {
            try write(
                Self.refreshToken, try item.name.with(field: Self.refreshToken), to: &output)
        }
        if tellsState {
            try output.writeLine("state[]=\(GitMessage.statePrefix)\(item.revision)")
        }
    }

    private func write(_ key: String, _ text: String?, to output: inout Output) throws {
        guard let text else { return }
        guard text.utf8.allSatisfy({ ![0, Byte.lineFeed, Byte.carriageReturn].contains($0) })
        else { throw Failure.brokenLine }
        try output.writeLine("\(key)=\(text)")
    }

    private func write(_ key: String, _ name: SecretName, to output: inout Output) throws {
        let value = try store.value(of: name)
        let isOneLine = value.withBytes { bytes in
            ![0, Byte.lineFeed, Byte.carriageReturn].contains { bytes.contains($0) }
        }
        guard isOneLine else { throw Failure.brokenLine }
        try output.write("\(key)=")
        try output.write(secret: value)
        try output.writeLine()
    }

    /// Saves a credential that git confirms. An unchanged credential is not written again.
    func keep(_ request: GitMessage) throws {
        guard !request.isEphemeral, let service = request.serviceWithPath else { return }
        var attributes = SecretAttributes(label: String(service.dropFirst("git:".count)))
        attributes[Self.expiry] = request.expiry
        let account = CredentialName.account(request.user)
        let field: String
        let value: HeldSecret
        if let type = request.authenticationType, let credential = request.credential {
            (field, value) = (Self.credential, credential)
            attributes[Self.authenticationType] = type
        } else if let password = request.password, request.user != nil {
            (field, value) = (SecretName.standardField, password)
        } else {
            return
        }
        let name = try SecretName(service: service, account: account, field: field)
        let tokenName = try name.with(field: Self.refreshToken)
        if let token = request.refreshToken {
            try store.put(
                token.value, as: tokenName, SecretAttributes(label: attributes.label))
        }
        let isNew = try store.put(
            value.value, as: name, attributes, owning: [Self.expiry, Self.authenticationType])
        // The stored token belongs to the old password. An older git does not send tokens again.
        if isNew, request.refreshToken == nil { try? store.remove(tokenName) }
    }

    /// Removes credentials that git rejects, unless the store has another value by now.
    func erase(_ request: GitMessage) throws {
        guard let service = request.serviceWithPath else { return }
        var changes: [SecretChange] = []
        for entry in try entries(for: request, .part(service)) {
            guard try entry.fields.allSatisfy({ try isMeant($0, by: request) }) else { continue }
            changes += entry.fields.map {
                SecretChange($0.name, expecting: $0.revision, .remove(permanently: false))
            }
        }
        if !changes.isEmpty { try store.change(changes) }
    }

    /// Whether a field has the value in the request, or the request has no value for it.
    private func isMeant(_ item: SecretItem, by request: GitMessage) throws -> Bool {
        let named: HeldSecret?
        if item.name.isStandardField {
            named = request.password
        } else if item.name.field.hasSameBytes(as: Self.credential) {
            named = request.credential
        } else {
            return true
        }
        if let revision = request.revision, revision != item.revision { return false }
        guard let named else { return true }
        return try store.read(item.name) { (_, value) throws(SecureStoreError) in
            value.isEqual(to: named.value)
        }
    }
}
