internal import CommandLine
internal import HTTPClient
internal import SecretMemory
internal import SignIn

/// The settings of the sign-in by the names that people use.
package enum SignInSettingName: String, CaseIterable, Sendable {
    case server
    case serverClient = "server-client"
    case serverAuthorities = "server-ca"
    case serverKey = "server-key"
    case allowCachingCredentials = "allow-caching-credentials"
    case offlineLimit = "offline-limit"

    /// What stands for nothing.
    static let none = "none"
    /// The largest file of certificates, in bytes.
    private static let maximumAuthorities = 1_048_576

    /// The name in JSON.
    var member: String { rawValue.split(separator: "-").joined(separator: "_") }

    /// A value as people write it.
    func text(_ settings: SignInSettings) -> String {
        switch self {
        case .server: settings.server?.text ?? Self.none
        case .serverClient: settings.clientID
        case .serverAuthorities:
            settings.authorities.isEmpty
                ? Self.none
                : settings.authoritiesFile.isEmpty ? "(unknown file)" : settings.authoritiesFile
        case .serverKey:
            settings.pinnedKeys.isEmpty ? Self.none : settings.pinnedKeys.joined(separator: ",")
        case .allowCachingCredentials: settings.cachesCredentials ? "yes" : "no"
        case .offlineLimit: TimeSpan(seconds: UInt64(settings.offlineLimit)).text
        }
    }

    /// Takes what somebody wrote.
    ///
    /// - Throws: A failure that says what it can be.
    func set(_ text: String, in settings: inout SignInSettings) throws(CommandFailure) {
        switch self {
        case .server: try setServer(text, in: &settings)
        case .serverClient:
            guard AccountName(text) != nil else {
                throw .usage("this cannot be the name of a client")
            }
            settings.clientID = text
        case .serverAuthorities: try setAuthorities(text, in: &settings)
        case .serverKey: try setKeys(text, in: &settings)
        case .allowCachingCredentials:
            guard text == "yes" || text == "no" else { throw .usage("\(rawValue) is yes or no") }
            settings.cachesCredentials = text == "yes"
        case .offlineLimit:
            guard let span = TimeSpan(text, hasDays: true),
                let seconds = UInt32(exactly: span.seconds),
                SignInSettings.offlineLimits.contains(seconds)
            else { throw .usage("\(rawValue) is a time from 1s to 365d, such as 12h or 7d") }
            settings.offlineLimit = seconds
        }
    }

    private func setServer(
        _ text: String, in settings: inout SignInSettings
    ) throws(CommandFailure) {
        var server: Issuer?
        if text != Self.none {
            do {
                server = Issuer(try WebURL(text))
            } catch {
                throw .usage(
                    "\(rawValue) is an address such as https://auth.example.org: \(error)"
                )
            }
            guard server != nil else {
                throw .usage(
                    "\(rawValue) is an address of https, or of http on this machine, without a query, of at most \(Issuer.maximumSize) bytes",
                    hint: "such as https://auth.example.org"
                )
            }
        }
        // Who signed in at another server is somebody else there.
        if server != settings.server { settings.account = nil }
        settings.server = server
    }

    private func setAuthorities(
        _ text: String, in settings: inout SignInSettings
    ) throws(CommandFailure) {
        guard text != Self.none else {
            settings.authorities = []
            settings.authoritiesFile = ""
            return
        }
        let content: [UInt8]
        do throws(TrustedFile.Failure) {
            let file = try TrustedFile(
                text, limit: Self.maximumAuthorities, followingLinks: true)
            content = file.content.withBytes { $0.array }
        } catch {
            throw .usage("cannot read the certificates: \(error.explanation)")
        }
        do {
            _ = try HTTPClient(HTTPClientOptions(authorities: .bytes(content)))
        } catch {
            throw CommandFailure(http: error)
        }
        settings.authorities = content
        settings.authoritiesFile = text
    }

    private func setKeys(
        _ text: String, in settings: inout SignInSettings
    ) throws(CommandFailure) {
        guard text != Self.none else {
            settings.pinnedKeys = []
            return
        }
        var keys: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            do {
                keys.append(try PinnedKey(String(part)).description)
            } catch {
                throw CommandFailure(http: error)
            }
        }
        settings.pinnedKeys = keys
    }
}

extension TrustedFile.Failure {
    fileprivate var explanation: String {
        switch self {
        case .missing: "there is no such file"
        case .system(let failure): failure.explanation
        case .refused(let reason): reason
        }
    }
}
