import SignIn
import Testing

/// Every step with every answer, by what it stores and where it leads.
@Suite("Signing in")
struct LoginFlowTests {
    static let refusals = [AuthClientError.refused(.other(detail: "")), .unsupported]
    static let unreachable = AuthClientError.unreachable(detail: "", mayHaveArrived: false)

    @Test(
        "begins with what the vault has",
        arguments: [
            (CachedCredentials(), .ask(.nothingCached)),
            (CachedCredentials(password: .usable), .signIn(.cached)),
            (CachedCredentials(password: .rejected), .ask(.rejected)),
            (CachedCredentials(hasRefreshToken: true), .refresh),
            (CachedCredentials(password: .usable, hasRefreshToken: true), .refresh),
            (CachedCredentials(password: .rejected, hasRefreshToken: true), .refresh),
            (
                CachedCredentials(
                    password: .usable, pendingPassword: .usable, hasRefreshToken: true),
                .signIn(.pending)
            ),
            (CachedCredentials(pendingPassword: .usable), .signIn(.pending)),
            (
                CachedCredentials(
                    password: .usable, pendingPassword: .rejected, hasRefreshToken: true),
                .refresh
            ),
            (CachedCredentials(pendingPassword: .rejected), .ask(.nothingCached)),
            (CachedCredentials(pendingPassword: .unsettled), .ask(.rejected)),
            (CachedCredentials(password: .usable, pendingPassword: .unsettled), .signIn(.cached)),
            (CachedCredentials(password: .unsettled, pendingPassword: .unsettled), .ask(.rejected)),
            (
                CachedCredentials(
                    password: .unsettled, pendingPassword: .unsettled, hasRefreshToken: true),
                .refresh
            ),
            (
                CachedCredentials(password: .unsettled, pendingPassword: .usable),
                .signIn(.pending)
            ),
        ] as [(CachedCredentials, LoginFlow.Step)])
    func begins(cached: CachedCredentials, step: LoginFlow.Step) {
        #expect(LoginFlow(cached).step == step)
    }

    @Test("with tokens stores the new ones, and asks nobody")
    func tokens() {
        var flow = LoginFlow(CachedCredentials(password: .usable, hasRefreshToken: true))
        let changes = flow.accepted()
        #expect(changes == [.storeTokens, .noteSuccess])
        #expect(flow.step == .done(.signedIn))
    }

    @Test("with tokens that are not good any more goes on with the password, and forgets them")
    func deadFamily() {
        var flow = LoginFlow(CachedCredentials(password: .usable, hasRefreshToken: true))
        #expect(flow.rejected() == [.dropTokens])
        #expect(flow.step == .signIn(.cached))
        #expect(flow.accepted() == [.storeTokens, .noteSuccess])
    }

    @Test("with a cached password that is rejected marks it, and asks")
    func rejected() {
        var flow = LoginFlow(CachedCredentials(password: .usable))
        #expect(flow.rejected() == [.markRejected])
        #expect(flow.step == .ask(.rejected))
        flow.typed()
        #expect(flow.step == .signIn(.typed))
        #expect(flow.accepted() == [.storeTyped, .storeTokens, .noteSuccess])
    }

    @Test("stores a typed password only after the server accepted it, and asks three times")
    func typed() {
        var flow = LoginFlow(CachedCredentials())
        for question in 1...3 {
            #expect(flow.step == .ask(question == 1 ? .nothingCached : .wrong))
            flow.typed()
            #expect(flow.rejected() == [])
        }
        #expect(flow.step == .done(.rejected))
    }

    @Test("without anybody to ask ends, and says why")
    func nobody() {
        var flow = LoginFlow(CachedCredentials(password: .rejected))
        flow.notTyped()
        #expect(flow.step == .done(.needsPassword(.rejected)))
    }

    @Test(
        "where nobody answers forgets nothing, at any step",
        arguments: [
            unreachable, .throttled(seconds: 7), .untrusted(detail: ""), .broken(detail: ""),
            .refused(.other(detail: "")), .unsupported, .outOfMemory,
        ])
    func notReached(error: AuthClientError) {
        let starts = [
            CachedCredentials(pendingPassword: .usable), CachedCredentials(hasRefreshToken: true),
            CachedCredentials(password: .usable), CachedCredentials(),
        ]
        // A refusal of tokens leads to the password.
        for cached in starts where !cached.hasRefreshToken || !Self.refusals.contains(error) {
            var flow = LoginFlow(cached)
            if flow.step == .ask(.nothingCached) { flow.typed() }
            #expect(flow.failed(error) == [.noteTime])
            #expect(flow.step == .done(.notAsked(error)))
        }
    }

    @Test("where the server exchanges no tokens goes on with the password", arguments: refusals)
    func noExchange(error: AuthClientError) {
        var flow = LoginFlow(CachedCredentials(password: .usable, hasRefreshToken: true))
        #expect(flow.failed(error) == [])
        #expect(flow.step == .signIn(.cached))
        #expect(flow.failed(error) == [.noteTime])
        #expect(flow.step == .done(.notAsked(error)))
        var other = LoginFlow(CachedCredentials(hasRefreshToken: true))
        #expect(other.failed(error) == [])
        #expect(other.step == .ask(.nothingCached))
    }

    @Test("resolves a change that was begun: the new password first")
    func pendingAccepted() {
        var flow = LoginFlow(
            CachedCredentials(password: .usable, pendingPassword: .usable, hasRefreshToken: true))
        #expect(flow.accepted() == [.promotePending, .storeTokens, .noteSuccess])
        #expect(flow.step == .done(.signedIn))
    }

    @Test("resolves a change that never happened: the old password still counts")
    func pendingRejected() {
        var flow = LoginFlow(
            CachedCredentials(password: .usable, pendingPassword: .usable, hasRefreshToken: true))
        #expect(flow.rejected() == [.markPendingRejected])
        #expect(flow.step == .signIn(.cached))
        #expect(flow.accepted() == [.dropPending, .storeTokens, .noteSuccess])
    }

    @Test("with both passwords rejected tries neither again by itself, and asks")
    func bothRejected() {
        var flow = LoginFlow(CachedCredentials(password: .usable, pendingPassword: .usable))
        #expect(flow.rejected() == [.markPendingRejected])
        #expect(flow.rejected() == [.markRejected])
        #expect(flow.step == .ask(.rejected))
        flow.typed()
        #expect(flow.accepted() == [.storeTyped, .dropPending, .storeTokens, .noteSuccess])
    }

    @Test("without the old password falls back to the tokens, and then to the person")
    func pendingAlone() {
        var flow = LoginFlow(CachedCredentials(pendingPassword: .usable, hasRefreshToken: true))
        #expect(flow.rejected() == [.markPendingRejected])
        #expect(flow.step == .refresh)
        var other = flow
        #expect(other.accepted() == [.dropPending, .storeTokens, .noteSuccess])
        #expect(flow.rejected() == [.dropTokens])
        #expect(flow.step == .ask(.rejected))
    }

    @Test(
        "drops a pending password that was rejected at an earlier start, once anything else is accepted"
    )
    func pendingRejectedEarlier() {
        for hasRefreshToken in [true, false] {
            var flow = LoginFlow(
                CachedCredentials(
                    password: .usable, pendingPassword: .rejected, hasRefreshToken: hasRefreshToken)
            )
            #expect(flow.accepted() == [.dropPending, .storeTokens, .noteSuccess])
        }
    }

    @Test("with a pending password, a rejected one and tokens goes on with the tokens")
    func pendingBesideRejected() {
        var flow = LoginFlow(
            CachedCredentials(password: .rejected, pendingPassword: .usable, hasRefreshToken: true))
        #expect(flow.rejected() == [.markPendingRejected])
        #expect(flow.step == .refresh)
        #expect(flow.rejected() == [.dropTokens])
        #expect(flow.step == .ask(.rejected))
    }

    @Test("with a pending password alone that is rejected asks")
    func pendingOnly() {
        var flow = LoginFlow(CachedCredentials(pendingPassword: .usable))
        #expect(flow.rejected() == [.markPendingRejected])
        #expect(flow.step == .ask(.rejected))
        flow.notTyped()
        #expect(flow.step == .done(.needsPassword(.rejected)))
    }

    @Test("with a change that is not settled drops nothing")
    func unsettled() {
        for hasRefreshToken in [true, false] {
            var flow = LoginFlow(
                CachedCredentials(
                    password: .usable, pendingPassword: .unsettled, hasRefreshToken: hasRefreshToken
                ))
            #expect(flow.accepted() == [.storeTokens, .noteSuccess])
        }
    }

    @Test("tries an unsettled password once more when the old one does not count any more")
    func unsettledOnceMore() throws {
        var flow = LoginFlow(CachedCredentials(password: .usable, pendingPassword: .unsettled))
        #expect(flow.rejected() == [])
        try #require(flow.step == .signIn(.pending))
        var other = flow
        #expect(other.accepted() == [.promotePending, .storeTokens, .noteSuccess])
        #expect(flow.rejected() == [.markRejected, .markPendingRejected])
        #expect(flow.step == .ask(.rejected))
    }

    @Test(
        "is rejected, not offline, where nobody answers after a password of the vault was rejected",
        arguments: [unreachable, .throttled(seconds: 7)])
    func rejectedBefore(error: AuthClientError) {
        var flow = LoginFlow(CachedCredentials(password: .usable, pendingPassword: .usable))
        _ = flow.rejected()
        #expect(flow.failed(error) == [.noteTime])
        #expect(flow.step == .done(.needsPassword(.rejected)))
        var other = LoginFlow(CachedCredentials(password: .usable, pendingPassword: .unsettled))
        _ = other.rejected()
        #expect(other.failed(error) == [.noteTime])
        #expect(other.step == .done(.needsPassword(.rejected)))
        // Whoever types is told what is in the way.
        var typing = LoginFlow(CachedCredentials(password: .usable))
        _ = typing.rejected()
        typing.typed()
        #expect(typing.failed(error) == [.noteTime])
        #expect(typing.step == .done(.notAsked(error)))
        // That tokens have ended is no verdict on a person.
        var ended = LoginFlow(CachedCredentials(password: .usable, hasRefreshToken: true))
        _ = ended.rejected()
        #expect(ended.failed(error) == [.noteTime])
        #expect(ended.step == .done(.notAsked(error)))
    }

    @Test("with a person who ends it in the middle says why she was asked")
    func endedInTheMiddle() {
        var flow = LoginFlow(CachedCredentials())
        flow.typed()
        _ = flow.rejected()
        flow.notTyped()
        #expect(flow.step == .done(.needsPassword(.wrong)))
    }

    @Test("stores nothing where that is not allowed")
    func withoutCache() {
        var flow = LoginFlow(CachedCredentials(), cachesCredentials: false)
        flow.typed()
        #expect(flow.accepted() == [.noteSuccess])
    }

    @Test("takes nothing else for being offline than that nobody can be reached")
    func offline() {
        #expect(Self.unreachable.meansOffline)
        #expect(AuthClientError.unreachable(detail: "", mayHaveArrived: true).meansOffline)
        let others = [
            AuthClientError.rejected, .throttled(seconds: 7), .throttled(seconds: nil),
            .untrusted(detail: ""), .broken(detail: ""), .outOfMemory,
        ]
        for error in others + Self.refusals { #expect(!error.meansOffline) }
    }

    @Test("takes a verdict for nothing else than a rejection")
    func verdicts() {
        #expect(AuthClientError.rejected.isVerdict)
        #expect(!Self.unreachable.isVerdict)
        #expect(!AuthClientError.throttled(seconds: nil).isVerdict)
        #expect(!AuthClientError.refused(.password).isVerdict)
    }
}
