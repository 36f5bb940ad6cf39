import Foundation
import HTTPClient
import SecureStorage
import SignIn

/// `TestTools sign-in-on-page FOLDER AUTHORITY COMMAND…`: signs in at an OAuth server of another project, which asks on its own pages.
///
/// COMMAND is that of Tests/OAuth/pages.py. AUTHORITY is the file with the certificate that signed the server's; FOLDER is empty.
enum PageSignInTool {
    static func run(_ arguments: [String]) -> Int32 {
        do {
            try signIn(arguments)
            return 0
        } catch {
            print("this went wrong: \(error)")
            return 1
        }
    }

    private static func signIn(_ arguments: [String]) throws {
        guard arguments.count > 2 else {
            throw ProbeFailure(step: "usage: TestTools sign-in-on-page FOLDER AUTHORITY COMMAND…")
        }
        let server = try ForeignServer(
            Array(arguments[2...]), password: "correct horse+& =%é")
        // The issuer, the registered redirect if the port matters, and the account that ID tokens name.
        let words = try server.line().split(separator: " ").map(String.init) + ["any", "none"]
        let name = words.count > 4 ? words[2] : "ada@example.org"
        let redirect = RedirectAddress(words[1]) ?? .standard
        guard let account = AccountName(name) else {
            throw ProbeFailure(step: "the name is not valid")
        }
        let client = try SignInTool.makeClient(words[0], arguments[1])
        let person = Person(
            account: account, store: MemorySecureStore(now: { 0 }),
            machine: MachineState(folder: arguments[0] + "/state"), client: client)
        let methods = try client.methods()
        try step("it takes no password", !methods.contains(.password))
        try step(
            "nothing cached: leads to its page",
            try person.start() == .needsBrowser(isSessionOver: false))
        for method in methods {
            try signIn(method, server, redirect, client, person)
            try step("no password is kept", try person.password() == nil)
            for _ in 0..<3 {
                try step("the next start: silent", try person.start() == .signedIn)
            }
            try server.command("END")
            try step(
                "all sessions ended: leads to its page again",
                try person.start() == .needsBrowser(isSessionOver: true))
        }
        let signIn = try BrowserSignIn(client, redirect: redirect)
        try server.write(
            "BROWSE \(signIn.address.replacing("/start", with: "/callback"))?code=a&state=b")
        try step(
            "an answer of another request: refused, and no code is sent",
            SignInTool.failure { _ = try signIn.wait(atMost: .seconds(60)) }
                == .untrusted(detail: "the answer of the browser is for another sign-in"))
        print("the page says: \(try server.line())")
        let strange = try SignInTool.makeClient(words[0], arguments[1], trusting: false)
        try step(
            "an authority that is not trusted: no page is opened",
            SignInTool.failure { _ = try BrowserSignIn(strange, redirect: redirect) }
                == .untrusted(
                    detail: "no authority that this machine trusts signed the server's certificate",
                    byCertificate: true))
        try server.stop()
    }

    /// Signs in once on a page, while the server's person acts.
    private static func signIn(
        _ method: SignInMethod, _ server: ForeignServer, _ redirect: RedirectAddress,
        _ client: OAuthClient, _ person: Person
    ) throws {
        let signIn: any WebSignIn
        if method == .browser {
            signIn = try BrowserSignIn(client, redirect: redirect)
            try server.write("BROWSE \(signIn.address)")
        } else {
            signIn = try DeviceSignIn(client)
            // Once without an answer.
            _ = try signIn.wait(atMost: .seconds(1))
            try server.write("DEVICE \(signIn.code ?? "")")
        }
        switch try signIn.wait(atMost: .seconds(240)) {
        case .none: throw ProbeFailure(step: "the person did not come")
        case .some(let tokens):
            print("the page says: \(try server.line())")
            try step("a refresh token is granted", tokens.canBeRefreshed)
            let named = tokens.account
            try step(
                "the account is \(named?.text ?? "not named")",
                named == nil || named == person.account)
            try step("signed in by \(method)", try person.accept(tokens) == .signedIn)
        }
    }

    /// Prints a step that went as it should.
    private static func step(_ sentence: String, _ isRight: Bool) throws {
        guard isRight else { throw ProbeFailure(step: sentence) }
        print(sentence)
    }
}
