import Accounts
@testable import AuthServer
import CommandLine
import HTTPServer
import Sealing
import Testing
import TextCoding

/// Settings that depend on each other.
@Suite struct ServerConfigurationTests: SettingReading {
    @Test(
        arguments: [
            (["--listen", "0.0.0.0:1"], .refused, "not loopback", "--tls-certificate"),
            (
                ["--listen", "192.0.2.1:1", "--allow-plain-http"], .refused, "not loopback",
                "--plain-http-is-protected-elsewhere is required"
            ),
            (
                ["--listen", "[2001:db8::1]:1", "--plain-http-is-protected-elsewhere"], .refused,
                "not loopback", "--allow-plain-http is required"
            ),
            (["--tls-certificate", "a"], .usage, "requires tls-key", ""),
            (["--tls-key", "a"], .usage, "requires tls-certificate", ""),
            (
                ["--tls-key", "a", "--tls-certificate", "a", "--issuer", "http://a"], .usage,
                "must begin with https://", ""
            ),
            (
                ["--tls-key", "a", "--tls-certificate", "a", "--listen", "0.0.0.0:1"], .usage,
                "issuer is required", "--issuer"
            ),
            (["--listen", "127.0.0.1:0"], .usage, "issuer is required", "--issuer"),
            (
                ["--issuer", "http://auth.example.org"], .refused,
                "option '--issuer' begins with http://", "https://"
            ),
            (
                ["--refresh-token-lifetime", "14m"], .usage,
                "option '--refresh-token-lifetime' is shorter than access-token-lifetime", "15m"
            ),
            (
                ["--access-token-lifetime", "2h", "--refresh-token-lifetime", "1h"], .usage,
                "option '--access-token-lifetime' is longer than refresh-token-lifetime", "1h"
            ),
            (
                ["--session-lifetime", "29d"], .usage,
                "option '--session-lifetime' is shorter than refresh-token-lifetime", "30d"
            ),
            (["--workers", "1024", "--password-memory", "4096"], .refused, "exceeds", ""),
            (["--password-passes", "64", "--password-memory", "4096"], .refused, "exceeds", ""),
        ] as [([String], ExitCode, String, String)])
    func conflictingSettingsAreRefused(
        arguments: [String], exitCode: ExitCode, message: String, hint: String
    ) throws {
        let failure = try #require(
            failure { _ = try ServerConfiguration(try sources(arguments)) })
        #expect(failure.exitCode == exitCode)
        #expect(failure.message.contains(message), "\(failure.message)")
        #expect(hint.isEmpty || failure.hint?.contains(hint) == true, "\(failure.hint ?? "")")
    }

    @Test(arguments: [
        ["--refresh-token-lifetime", "15m"],
        ["--session-lifetime", "30d"], ["--issuer", "http://localhost:1"],
        ["--issuer", "http://127.0.0.9"], ["--issuer", "http://[::1]:8420"],
        ["--issuer", "https://auth.example.org"],
    ])
    func compatibleSettingsAreAccepted(arguments: [String]) throws {
        #expect(try ServerConfiguration(try sources(arguments)).warnings.isEmpty)
    }

    @Test func aMachineWithoutLibzxcvbnIsWarned() throws {
        let found = try [true, false].map { (isThere) throws in
            try ServerConfiguration(try sources([]), findsCommonPasswords: isThere)
                .warnings.map(\.code)
        }
        #expect(found == [[], ["common_passwords"]])
    }

    @Test func plainHTTPRequiresTwoSettings() throws {
        let told = ["--allow-plain-http", "--plain-http-is-protected-elsewhere"]
        let listen = ["--listen", "192.0.2.1:8420"]
        let configuration = try ServerConfiguration(try sources(told + listen))
        #expect(configuration.issuerText == "http://192.0.2.1:8420")
        #expect(configuration.tls == nil)
        #expect(configuration.warnings.map(\.code) == ["plain_http"])
        let plainIssuer = ["--issuer", "http://auth.example.org"]
        #expect(
            try ServerConfiguration(try sources(told + plainIssuer)).warnings.map(\.code)
                == ["plain_http"])
        let tls = ["--tls-certificate", "c", "--tls-key", "k"]
        #expect(
            try ServerConfiguration(try sources(tls + listen)).issuerText
                == "https://192.0.2.1:8420")
    }

    @Test(arguments: [
        ["--trusted-proxy", "127.0.0.1"], ["--issuer", "https://auth.example.org"],
    ])
    func aServerForOtherMachinesKeepsItsLimits(arguments: [String]) throws {
        let failure = try #require(
            failure { _ = try ServerConfiguration(try sources(arguments + ["--workers", "0"])) })
        #expect(failure.message.contains("loopback only"), "\(failure.message)")
        _ = try ServerConfiguration(
            try sources(["--issuer", "https://localhost", "--workers", "0"]))
    }

    @Test(arguments: ServerSettings.all.filter { $0.unlimited != nil }.map(\.name))
    func aLimitIsSwitchedOffOnLoopbackOnly(name: String) throws {
        _ = try ServerConfiguration(try sources(file: "\(name) = 0\n"))
        let listen = [
            "--listen", "192.0.2.1:1", "--allow-plain-http", "--plain-http-is-protected-elsewhere",
        ]
        let failure = try #require(
            failure { _ = try ServerConfiguration(try sources(listen, file: "\(name) = 0\n")) })
        #expect(failure.exitCode == .refused)
        #expect(
            failure.message.hasSuffix(
                "test.conf:1: \(name) is 0, which is allowed on loopback only"))
    }

    @Test func allSettingsTakeEffect() throws {
        let file = """
            listen = [::1]:9000
            trusted-proxy = ::1, 192.0.2.0/24
            registration = open
            invitation-lifetime = 2d
            password-passes = 4
            password-memory = 32
            access-token-lifetime = 5m
            refresh-token-lifetime = 3d
            session-lifetime = 4d
            workers = 3
            waiting = 5
            database-workers = 6
            database-waiting = 7
            threads = 8
            maximum-body = 8192
            maximum-connections = 9
            maximum-connections-of-one-address = 11
            maximum-form-fields = 22
            maximum-json-members = 23
            timeout = 12s
            maximum-sessions = 10
            maximum-access-tokens = 33
            maximum-replaced-tokens = 34
            stop-timeout = 24s
            guess-free-failures = 13
            guess-name-failures = 14
            guess-period = 16m
            guess-network-attempts = 17
            guess-network-period = 18s
            guess-table = 1900
            known-device-lifetime = 20h
            known-devices = 21
            sender-hourly = 35
            sender-waiting = 36
            inbox-hourly = 37
            inbox-waiting = 38
            message-lifetime = 39m
            maximum-inboxes = 40
            maximum-subscriptions = 41
            sync-quota = 42
            """
        let configuration = try ServerConfiguration(try sources(file: file), processors: 99)
        #expect(configuration.issuerText == "http://[::1]:9000")
        let limits = configuration.limits
        #expect(limits.address == "::1")
        #expect(limits.port == 9_000)
        #expect(limits.lanes[.derivation] == .init(workers: 3, waiting: 5))
        #expect(limits.lanes[.storage] == .init(workers: 6, waiting: 7))
        #expect(limits.threads == 8)
        #expect(limits.maximumBodySize == 8_192)
        #expect(limits.maximumConnections == 9)
        #expect(limits.maximumConnectionsOfOneAddress == 11)
        #expect(
            limits.trustedProxies
                == [AddressNetwork("::1"), AddressNetwork("192.0.2.0/24")].compactMap { $0 })
        #expect(limits.timeout == .seconds(12))
        #expect(configuration.contents == (22, 23))
        #expect(configuration.stopTimeout == .seconds(24))
        let rules = configuration.rules
        #expect(rules.registrationIsOpen)
        #expect(rules.maximumSessions == 10)
        #expect(rules.maximumAccessTokens == 33)
        #expect(rules.maximumReplacedTokens == 34)
        #expect(rules.invitationLifetime == .seconds(2 * 86_400))
        #expect(rules.passwordCost == .init(passes: 4, memoryKiB: 32 * 1_024))
        #expect(rules.accessTokenLifetime == .seconds(300))
        #expect(rules.refreshTokenLifetime == .seconds(3 * 86_400))
        #expect(rules.sessionLifetime == .seconds(4 * 86_400))
        #expect(rules.guessing.freeFailures == 13)
        #expect(rules.guessing.nameFailures == 14)
        #expect(rules.guessing.period == .seconds(16 * 60))
        #expect(rules.guessing.networkAttempts == 17)
        #expect(rules.guessing.networkPeriod == .seconds(18))
        #expect(rules.guessing.maximumKeys == 1_900)
        #expect(rules.guessing.knownDeviceLifetime == .seconds(20 * 3_600))
        #expect(rules.guessing.maximumKnownDevices == 21)
        #expect(rules.pushing.hourlyOfSender == 35)
        #expect(rules.pushing.waitingOfSender == 36)
        #expect(rules.pushing.hourlyOfInbox == 37)
        #expect(rules.pushing.waitingOfInbox == 38)
        #expect(rules.pushing.longestLife == .seconds(39 * 60))
        #expect(rules.pushing.maximumInboxes == 40)
        #expect(rules.pushing.maximumSubscriptions == 41)
        #expect(rules.syncing.quota == 42 * 1_048_576)
    }

    /// The settings that are no limits: identity, policy, password cost, and lifetimes.
    private static let otherSettings: Set = [
        "listen", "issuer", "database", "trusted-proxy", "metrics-clients", "tls-certificate",
        "tls-key", "pseudonym-key", "guess-period",
        "allow-plain-http", "plain-http-is-protected-elsewhere", "registration", "password-passes",
        "password-memory", "invitation-lifetime", "access-token-lifetime", "refresh-token-lifetime",
        "session-lifetime",
    ]

    @Test func everyLimitCanBeSwitchedOff() throws {
        let limits = ServerSettings.all.filter { $0.unlimited != nil }
        #expect(
            Set(limits.map(\.name)).symmetricDifference(Self.otherSettings)
                == Set(ServerSettings.all.map(\.name)))
        let file = limits.map { "\($0.name) = 0\n" }.joined()
        let configuration = try ServerConfiguration(try sources(file: file), processors: 7)
        let options = configuration.limits
        #expect(options.lanes.values.allSatisfy { $0 == .init(workers: 0, waiting: 0) })
        #expect(options.threads == 7)
        #expect(options.maximumBodySize == 0)
        #expect(options.maximumConnections == 0)
        #expect(options.maximumConnectionsOfOneAddress == 0)
        #expect(options.timeout == .zero)
        #expect(configuration.contents == (0, 0))
        #expect(configuration.neededDescriptors == nil)
        let century = Duration.seconds(100 * 365 * 86_400)
        #expect(configuration.stopTimeout > century)
        #expect(configuration.rules.maximumAccessTokens == .max)
        #expect(configuration.rules.maximumReplacedTokens == .max)
        let guessing = configuration.rules.guessing
        #expect(guessing.freeFailures == 0)
        #expect(guessing.nameFailures == .max)
        #expect(guessing.networkAttempts == 0)
        #expect(guessing.maximumKeys == 0)
        #expect(guessing.knownDeviceLifetime > century)
        #expect(guessing.maximumKnownDevices == .max)
        // Either part of a limit of two settings switches it off.
        let period = try ServerConfiguration(try sources(["--guess-network-period", "0"]))
        #expect(period.rules.guessing.networkAttempts == 0)
    }

    @Test func theDefaultsAreThoseOfTheModules() throws {
        let configuration = try ServerConfiguration(try sources(), processors: 2)
        #expect(configuration.rules == .init())
        #expect(configuration.limits.lanes[.derivation] == .init(workers: 2, waiting: 16))
        #expect(configuration.limits.maximumBodySize == 16_384)
        #expect(configuration.limits.trustedProxies.isEmpty)
        #expect(configuration.stopTimeout == .seconds(30))
        let options = AuthServerOptions(issuer: "")
        #expect(
            configuration.contents == (options.maximumFormFields, options.maximumJSONMembers))
        #expect(configuration.issuerText == "http://127.0.0.1:8420")
    }
}
