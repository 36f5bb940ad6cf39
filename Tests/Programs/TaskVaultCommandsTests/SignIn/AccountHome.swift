import Foundation
import Testing
import TestSupport

/// A home with an unlocked vault, and a server of its own where its owner may have an account.
final class AccountHome {
    static let account = "ada@example.org"

    let home: TestHome
    let server: AuthServer
    let authority: CertificateAuthority?
    /// The account's password, which is nowhere by chance.
    let password = AccountHome.word("password")

    /// Makes one.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the server speaks TLS, with a certificate of `authority`, which the vault is told to trust.
    ///   - isSignedIn: Whether the owner has an account already, and is signed in.
    ///   - options: Of the server.
    /// - Throws: What the system refused.
    init(
        isEncrypted: Bool = false, isSignedIn: Bool = true, options: [String] = []
    ) throws {
        home = try TestHome()
        let folder = home.folder + "/server"
        authority = isEncrypted ? try CertificateAuthority(in: home.folder) : nil
        server = try AuthServer(in: folder, try authority?.issue(), options: options)
        try home.unlock()
        if let authority {
            try expectDone(home.ask("settings set server-ca \(authority.certificate)"))
        }
        try expectDone(home.ask("settings set server \(server.issuer)"))
        if isSignedIn {
            try expectDone(ask("account create \(Self.account)", [password]))
        }
    }

    deinit {
        // Before its folder goes.
        server.stop()
    }

    /// A word that is nowhere by chance.
    static func word(_ beginning: String) -> String {
        beginning + "-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 36)
    }

    /// Runs a command through the agent; `passwords` are the lines of `--password-file -`.
    @discardableResult
    func ask(_ words: String, _ passwords: [String] = []) throws -> RunResult {
        guard !passwords.isEmpty else { return try home.ask(words) }
        return try home.ask(
            words + " --password-file -", input: passwords.map { $0 + "\n" }.joined())
    }

    /// The text of a start on standard error.
    func unlock(_ options: String = "") throws -> [String] {
        let words = options.split(separator: " ").map(String.init)
        let unlocked = try home.runBare(
            ["unlock", "--passphrase-file", home.passphraseFile] + words)
        #expect(unlocked.exitCode == 0, "\(unlocked.errorText)")
        #expect(try home.status["state"] as? String == "unlocked")
        return unlocked.errorLines
    }

    /// The text of a start that succeeds.
    var greeting: [String] { ["taskvault: signed in as \(Self.account) at \(server.issuer)"] }

    /// Expects a start to say so, and nothing else.
    func expectSilentStart(
        _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let said = try unlock()
        #expect(said == greeting, "\(comment)", sourceLocation: sourceLocation)
    }

    /// Another home whose vault is a copy of this one's, unlocked; a second machine, for the server.
    func copy() throws -> TestHome {
        let other = try TestHome(withVault: false)
        try expectDone(home.ask("backup \(other.folder)/copy.db"))
        try expectDone(
            other.runBare([
                "restore", other.folder + "/copy.db", "--passphrase-file", other.passphraseFile,
            ]))
        return other
    }

    /// A value of what is cached: the item of a kind; among sessions that of the home's machine.
    func cached(_ kind: String, in other: TestHome? = nil) throws -> String? {
        let home = other ?? home
        let machine = (try? Files.read(home.folder + "/state/taskvault/sign-in/machine")).map {
            String(decoding: $0, as: UTF8.self)
        }
        let item = try home.ownItems().first {
            ($0["service"] as? String)?.hasPrefix("taskvault.\(kind):") == true
                && (kind != "session" || $0["account"] as? String == machine)
        }
        guard let value = item?["value_base64"] as? String else { return nil }
        return String(decoding: try #require(Data(base64Encoded: value)), as: UTF8.self)
    }

    /// The kinds of what is cached.
    func cachedKinds() throws -> Set<String> {
        Set(
            try ["password", "pending-password", "session"].filter {
                try cached($0) != nil
            })
    }
}

/// Expects a command to succeed.
func expectDone(_ result: RunResult, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(result.exitCode == 0, "\(result.errorText)", sourceLocation: sourceLocation)
}
