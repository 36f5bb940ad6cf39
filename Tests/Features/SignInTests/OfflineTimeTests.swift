import SecureStorage
import SignIn
import Testing
import TextCoding

@Suite("The offline allowance of a stored session")
struct OfflineTimeTests {
    private static let error = SignInError.unreachable(detail: "", mayHaveArrived: false)
    private static let limit = Duration.seconds(1_000)

    private func allowance(_ place: TestPlace) throws -> OfflineAllowance? {
        try place.session()?.offline(limit: Self.limit, at: place.clock.now)
    }

    /// A sign-in while the server is unreachable.
    private func startOffline(_ place: TestPlace) throws {
        place.server.fail(.refresh, .before(Self.error))
        #expect(try place.start() == .noVerdict(Self.error))
    }

    @Test("lasts for a limited time after each success")
    func limited() throws {
        try TestPlace.run { (place) throws in
            #expect(try allowance(place) == nil)
            try place.start(typing: ["first"])
            let end = place.clock.now.advanced(by: Self.limit)
            place.clock.advance(by: .seconds(999))
            try startOffline(place)
            #expect(try allowance(place) == .until(end))
            place.clock.advance(by: .seconds(1))
            try startOffline(place)
            #expect(try allowance(place) == .over)
            #expect(try place.start() == .signedIn)
            #expect(
                try allowance(place) == .until(place.clock.now.advanced(by: Self.limit)))
        }
    }

    @Test("keeps the latest time, so a clock that is set back ends it")
    func setBack() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.clock.advance(by: .seconds(900))
            let latest = place.clock.now
            try startOffline(place)
            place.clock.advance(by: .seconds(-800))
            #expect(try allowance(place) == .clockSetBack)
            // An earlier time does not replace a later one.
            try startOffline(place)
            #expect(try place.session()?.latestTime == latest)
            #expect(try allowance(place) == .clockSetBack)
            // A success does.
            #expect(try place.start() == .signedIn)
            #expect(try place.session()?.latestTime == place.clock.now)
            #expect(
                try allowance(place) == .until(place.clock.now.advanced(by: Self.limit)))
        }
    }

    @Test("is given without a password or token, too")
    func withoutCache() throws {
        try TestPlace.run { (place) throws in
            let options = SignInOptions(cachesCredentials: false)
            try place.start(nil, options, typing: ["first"])
            #expect(
                try allowance(place) == .until(place.clock.now.advanced(by: Self.limit)))
        }
    }

    @Test("survives the end of the tokens, but not the end of the session")
    func kept() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let session = try #require(try place.session())
            try place.withCache { cache in try cache.removeTokens() }
            #expect(try place.session()?.lastSuccess == session.lastSuccess)
            #expect(try place.session()?.hasRefreshToken == false)
            try place.withCache { cache in try cache.removeSession() }
            #expect(try allowance(place) == nil)
        }
    }
}
