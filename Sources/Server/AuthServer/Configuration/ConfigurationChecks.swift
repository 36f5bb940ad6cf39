internal import HTTPServer
internal import Sealing
internal import TextCoding

// Checks of the configuration: each refuses settings that contradict each other, are unsafe, or exceed the machine.
extension ServerConfiguration {
    /// Refuses plain HTTP on an address other than loopback, unless two settings allow it.
    func checkEncryption(_ sources: SettingSources) throws {
        if tls != nil || listen.isLoopback { return }
        let isAllowed = (
            sources.certain(ServerSettings.plainHTTP),
            sources.certain(ServerSettings.protectedElsewhere)
        )
        if isAllowed == (true, true) { return }
        let missing = isAllowed.0 ? ServerSettings.protectedElsewhere : ServerSettings.plainHTTP
        throw sources.failure(
            ServerSettings.listen, "is not loopback: passwords would be sent without TLS",
            hint: isAllowed.0 || isAllowed.1
                ? "--\(missing.name) is required too"
                : "give --tls-certificate and --tls-key, or use a proxy on this machine",
            as: .refused)
    }

    /// Requires an issuer that fits the certificate and the listen address.
    func checkIssuer(_ sources: SettingSources) throws {
        let setting = ServerSettings.issuer
        if let issuer {
            if tls != nil, !issuer.isEncrypted {
                throw sources.failure(
                    setting, "must begin with https:// if the server has a certificate")
            }
        } else if listen.isEvery || listen.port == 0 {
            throw sources.failure(
                setting,
                "is required if listen is the unspecified address, or if its port is 0",
                hint: "--issuer https://auth.example.org")
        }
    }

    /// Refuses a limit of 0 if other machines can reach the server directly, by its issuer, or
    /// through a proxy.
    func checkLimits(_ sources: SettingSources) throws {
        let isForOthers =
            !listen.isLoopback || issuer.map { !$0.isLoopback } ?? false
            || !limits.trustedProxies.isEmpty
        guard isForOthers else { return }
        for setting in ServerSettings.all {
            guard let given = sources.given(setting), given.text == setting.unlimited else {
                continue
            }
            throw Failure(
                .refused, code: "configuration",
                "\(given.origin.subject(of: setting)) is 0, which is allowed on loopback only"
            )
        }
    }

    /// Refuses a cost that exceeds the memory of the machine, for one worker or for all.
    static func checkMemory(
        _ sources: SettingSources, _ cost: KeyDerivationCost, workers: Int
    ) throws {
        do {
            try KeyDerivationLimits.standard().check(cost)
        } catch {
            throw sources.failure(
                ServerSettings.memory,
                "with password-passes exceeds the limit of this machine", as: .refused)
        }
        let needed = UInt64(workers) * UInt64(cost.memoryKiB) * 1_024
        guard needed <= KeyDerivationLimits.machineMemory / 4 * 3 else {
            throw sources.failure(
                ServerSettings.memory,
                "for \(workers) workers exceeds the memory of this machine",
                hint: "lower --workers", as: .refused)
        }
    }

    /// Refuses a time that exceeds the time that must contain it.
    static func checkTimes(_ sources: SettingSources) throws {
        try check(ServerSettings.accessLifetime, within: ServerSettings.refreshLifetime, sources)
        try check(ServerSettings.refreshLifetime, within: ServerSettings.sessionLifetime, sources)
    }

    /// Compares two times. The failure names the configured one.
    private static func check(
        _ inner: Setting<Duration>, within outer: Setting<Duration>, _ sources: SettingSources
    ) throws {
        let limit = sources.certain(outer).orUnlimited
        guard sources.certain(inner) > limit else { return }
        let isSet = sources.given(inner)?.origin != .standard
        let (wrong, other) = isSet ? (inner, outer) : (outer, inner)
        throw sources.failure(
            wrong, "is \(isSet ? "longer" : "shorter") than \(other.name)",
            hint: sources.given(other).map {
                "\(other.name) is \($0.text)"
            })
    }

    /// Refuses an issuer without TLS for other machines. Two settings together turn that into a warning.
    static func checkPlainIssuer(
        _ issuer: IssuerURL?, _ listen: ListenAddress, hasTLS: Bool, _ sources: SettingSources
    ) throws -> [Warning] {
        let isPlain = issuer.map { !$0.isEncrypted && !$0.isLoopback } ?? false
        guard isPlain || (!hasTLS && !listen.isLoopback) else { return [] }
        let isProtected =
            sources.certain(ServerSettings.plainHTTP)
            && sources.certain(ServerSettings.protectedElsewhere)
        guard isProtected else {
            throw sources.failure(
                ServerSettings.issuer,
                "begins with http://: clients on other machines would send passwords without TLS",
                hint: "use https://, with a certificate for the server or a proxy",
                as: .refused)
        }
        return [
            Warning(
                code: "plain_http",
                message:
                    "this server does not encrypt connections from other machines (allow-plain-http, plain-http-is-protected-elsewhere)"
            )
        ]
    }
}
