import SignIn
import Testing

@Suite("A change of the password")
struct PasswordChangeTests {
    private func asked(cachesCredentials: Bool = true) -> PasswordChange {
        var change = PasswordChange(cachesCredentials: cachesCredentials)
        if cachesCredentials { change.noted() }
        return change
    }

    @Test("is noted in the vault before the server is asked")
    func order() {
        var change = PasswordChange()
        #expect(change.step == .note)
        change.noted()
        #expect(change.step == .ask)
    }

    @Test("becomes the password after the server agreed")
    func agreed() {
        var change = asked()
        #expect(change.accepted() == [.promotePending, .storeTokens, .noteSuccess])
        #expect(change.step == .done(.changed))
    }

    @Test(
        "leaves nothing where the server refused, or was certainly not asked",
        arguments: [
            .rejected, .refused(.password), .refused(.newPassword(detail: "")),
            .throttled(seconds: 3), .unsupported, .untrusted(detail: ""),
            .unreachable(detail: "", mayHaveArrived: false),
        ] as [AuthClientError])
    func refused(error: AuthClientError) {
        var change = asked()
        #expect(change.failed(error) == [.dropPending])
        #expect(change.step == .done(.unchanged(error)))
    }

    @Test(
        "keeps both passwords where nobody knows which counts",
        arguments: [
            .unreachable(detail: "", mayHaveArrived: true), .broken(detail: ""), .outOfMemory,
        ] as [AuthClientError])
    func unknown(error: AuthClientError) {
        var change = asked()
        #expect(change.failed(error) == [])
        #expect(change.step == .done(.unknown(error)))
    }

    @Test("does not take a password away that an earlier change may still bring")
    func repeated() {
        var change = PasswordChange()
        change.noted(isRepeated: true)
        #expect(change.failed(.rejected) == [])
        #expect(change.step == .done(.unchanged(.rejected)))
        var other = PasswordChange()
        other.notNoted()
        guard case .done(.unchanged(.refused(.other))) = other.step else {
            Issue.record("it goes on")
            return
        }
    }

    @Test("has no part in a vault that may keep nothing")
    func withoutCache() {
        var change = asked(cachesCredentials: false)
        #expect(change.accepted() == [.noteSuccess])
        var failed = asked(cachesCredentials: false)
        #expect(failed.failed(.rejected) == [])
    }
}
