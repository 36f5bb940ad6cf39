import Foundation
import HTTPClient
import SecureStorage
import SignIn

/// `TestTools sign-in FOLDER AUTHORITY COMMAND…`: signs in with a password at an OAuth server of another project.
///
/// COMMAND is that of Tests/OAuth/library.py. AUTHORITY is the file with the certificate that signed the server's; FOLDER is empty.
enum SignInTool {
    static func run(_ arguments: [String]) -> Int32 {
        do {
            try signIn(arguments)
            return 0
        } catch {
            print("this went wrong: \(error)")
            return 1
        }
    }

    /// Prints a step that went as it should.
    private static func step(_ sentence: String, _ isRight: Bool) throws {
        guard isRight else { throw ProbeFailure(step: sentence) }
        print(sentence)
    }

    /// The error of a call.
    static func failure(_ body: () throws -> Void) -> SignInError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SignInError
        }
    }

    static func makeClient(
        _ address: String, _ authority: String, id: String = OAuthClient.standardClientID,
        trusting: Bool = true
    ) throws -> OAuthClient {
        guard let issuer = Issuer(try WebURL(address)) else {
            throw ProbeFailure(step: "the address is not that of an issuer")
        }
        let authorities = HTTPClientOptions.Authorities.file(authority)
        let options = HTTPClientOptions(authorities: trusting ? authorities : nil)
        return OAuthClient(issuer, clientID: id, try HTTPClient(options))
    }

    private static func signIn(_ arguments: [String]) throws {
        guard arguments.count > 2 else {
            throw ProbeFailure(step: "usage: TestTools sign-in FOLDER AUTHORITY COMMAND…")
        }
        let first = "correct horse+& =%é"
        let second = "battery staple"
        let server = try ForeignServer(Array(arguments[2...]), password: first)
        let address = try server.line()

        guard let account = AccountName("ada@example.org") else {
            throw ProbeFailure(step: "the name is not valid")
        }
        let client = try makeClient(address, arguments[1])
        let person = Person(
            account: account, store: MemorySecureStore(now: { 0 }),
            machine: MachineState(folder: arguments[0] + "/state"), client: client)

        try step("nothing cached: asks", try person.start() == .needsPassword(.nothingCached))
        try step(
            "a wrong password and then the right one: signed in",
            try person.start(typing: ["wrong", first]) == .signedIn && person.password() == first)
        let token = try person.token(.refresh)
        try step(
            "the next start: signed in by the tokens, which are new then",
            try person.start() == .signedIn && person.token(.refresh) != token)
        try step(
            "the old refresh token: rejected",
            failure { _ = try client.refresh(try secret(token ?? "")) } == .rejected)
        try step(
            "which ended the session: signed in by the password all the same",
            try person.start() == .signedIn)
        try server.command("END")
        try step("all sessions ended: signed in by the password", try person.start() == .signedIn)
        try server.command("CHANGE " + second)
        try server.command("END")
        try step(
            "the password was changed elsewhere: asks",
            try person.start() == .needsPassword(.rejected) && person.password() == first)
        try step(
            "the new password: signed in, and cached",
            try person.start(typing: [second]) == .signedIn && person.password() == second)

        let last = try person.token(.refresh) ?? ""
        let revocation = failure { try client.revoke(try secret(last)) }
        try step("the session is revoked", revocation == nil)
        try step(
            "its token is rejected",
            failure { _ = try client.refresh(try secret(last)) } == .rejected)
        try step("and the next start: signed in by the password", try person.start() == .signedIn)
        try step(
            "paths for accounts: unsupported",
            failure { _ = try client.account(try secret(last)) } == .unsupported)

        let unknown = try makeClient(address, arguments[1], id: "nobody")
        let refused = failure {
            _ = try unknown.signIn(account, password: try secret(second), continuing: nil)
        }
        // Some servers add words of their own.
        let isUnknown =
            if case .refused(.other(let detail)) = refused {
                detail.hasPrefix("the server does not know this client")
            } else { false }
        try step("another client: refused", isUnknown)
        let strange = try makeClient(address, arguments[1], trusting: false)
        try step(
            "an authority that is not trusted: the password is not sent",
            failure {
                _ = try strange.signIn(account, password: try secret(second), continuing: nil)
            }
                == .untrusted(
                    detail: "no authority that this machine trusts signed the server's certificate",
                    byCertificate: true)
        )
        let numeric = try makeClient(
            address.replacing("localhost", with: "127.0.0.1"), arguments[1])
        try step(
            "a certificate for another name: the password is not sent",
            failure {
                _ = try numeric.signIn(account, password: try secret(second), continuing: nil)
            }
                == .untrusted(
                    detail: "the server's certificate is for another name", byCertificate: true))
        try server.stop()
    }
}
