import Accounts
import Database
import Foundation
import Testing
import TestSupport

@Suite("A file of accounts in use")
struct CanaryTests {
    @Test("contains no password, token, code, address or mistyped name; nor does its log")
    func canaries() throws {
        try withTemporaryFolder { folder in
            let repository = try AccountRepository.openOrCreate(.file(folder + "/accounts.db"))
            let fixture = try AccountFixture(repository)
            let mistyped = "canary.of.a.name@example.com"
            let signedIn = try fixture.signIn()
            let device = try #require(signedIn.device)
            #expect(try fixture.refusal() == .rejected)
            #expect(try fixture.refusal(mistyped) == .rejected)
            let refreshed = try fixture.refresh(signedIn.refresh, at: .minutes(1))
            let invited = try AccountFixture.name("invited@example.com")
            let code = try fixture.administration.invite(invited, at: AccountFixture.time()).code
            let tokens = [
                signedIn.access, signedIn.refresh, refreshed.access, refreshed.refresh, code,
                device,
            ]
            let canaries =
                [
                    AccountFixture.ownersPassword, AccountFixture.wrongPassword, mistyped,
                    AccountFixture.home,
                ] + tokens
            // Stored texts are found, so the search works.
            let controls =
                tokens.map { Data(TokenHash(of: $0).bytes) }
                + ["owner@example.com", "invited@example.com", "$argon2id$v=19$m=8,t=1,p=1$"]
                .map { Data($0.utf8) }
            for isOpen in [true, false] {
                if !isOpen { repository.close() }
                let bytes = try TestFile.names(in: folder).reduce(into: Data()) { bytes, name in
                    bytes += try TestFile.read(folder + "/" + name)
                }
                for control in controls { #expect(bytes.range(of: control) != nil) }
                for canary in canaries {
                    for form in Self.forms(of: canary) {
                        #expect(bytes.range(of: form) == nil, "\(canary)")
                    }
                }
            }
        }
    }

    /// The encodings of a text, in which it could be stored.
    private static func forms(of text: String) -> [Data] {
        var forms = [Data(text.utf8), text.data(using: .utf16LittleEndian) ?? Data()]
        let body = text.split(separator: "_", maxSplits: 1).last.map(String.init) ?? ""
        let base64 = body.replacing("-", with: "+").replacing("_", with: "/") + "="
        if text.hasPrefix("tv"), let decoded = Data(base64Encoded: base64) {
            forms += [decoded, Data(body.utf8)]
        }
        forms += forms.map { form in
            Data(form.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined().utf8)
        }
        // Parts of the text are secret too.
        return forms + forms.filter { $0.count > 24 }.flatMap { [$0.prefix(20), $0.suffix(20)] }
    }
}
