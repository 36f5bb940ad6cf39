internal import CommandLine

/// What two settings must not say together, and what is better not said.
extension ServerConfiguration {
    /// What an operator should know, and may want.
    struct Warning: Sendable, Hashable {
        /// A stable name in snake_case.
        let code: String
        /// Beginning in lower case and without full stop.
        let message: String
    }

    /// Refuses times of which the one that belongs into another is longer.
    static func checkTimes(_ sources: SettingSources) throws {
        try check(SettingTable.firstDelay, within: SettingTable.longestDelay, sources)
        // What is forgotten earlier than it ends limits nobody.
        try check(SettingTable.longestDelay, within: SettingTable.memoryOfFailures, sources)
        try check(SettingTable.networkPeriod, within: SettingTable.memoryOfFailures, sources)
        try check(SettingTable.accessLifetime, within: SettingTable.refreshLifetime, sources)
        try check(SettingTable.refreshLifetime, within: SettingTable.sessionLifetime, sources)
    }

    /// Names the one of two settings that somebody set.
    private static func check(
        _ inner: Setting<Duration>, within outer: Setting<Duration>, _ sources: SettingSources
    ) throws {
        let limit = sources.certain(outer).orUnlimited
        guard sources.certain(inner) > limit else { return }
        let isSet = sources.given(inner.description)?.origin != .standard
        let (wrong, other) = isSet ? (inner, outer) : (outer, inner)
        throw sources.failure(
            wrong, "is \(isSet ? "longer" : "shorter") than \(other.description.name)",
            hint: sources.given(other.description).map {
                "\(other.description.name) is \($0.text)"
            })
    }

    /// Refuses a name without TLS for other machines, unless it was said twice that something else encrypts; then that is a warning.
    static func checkPlainIssuer(
        _ issuer: IssuerURL?, _ listen: ListenAddress, hasTLS: Bool, _ sources: SettingSources
    ) throws -> [Warning] {
        let isPlain = issuer.map { !$0.isEncrypted && !$0.isLoopback } ?? false
        guard isPlain || (!hasTLS && !listen.isLoopback) else { return [] }
        let isProtected =
            sources.certain(SettingTable.plainHTTP)
            && sources.certain(SettingTable.protectedElsewhere)
        guard isProtected else {
            throw sources.failure(
                SettingTable.issuer,
                "begins with http://, and clients on other machines would send passwords without TLS",
                hint: "begin it with https://, and let the server or a proxy have a certificate",
                as: .refused)
        }
        return [
            Warning(
                code: "plain_http",
                message:
                    "nothing here encrypts what clients on other machines send, as allow-plain-http and plain-http-is-protected-elsewhere allow"
            )
        ]
    }
}
