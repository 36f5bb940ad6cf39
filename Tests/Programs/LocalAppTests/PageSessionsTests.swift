import Foundation
import Platform
import Synchronization
import Testing

@testable import HTTPServer
@testable import LocalApp

/// A clock that a test sets.
private final class TestClock: Sendable {
    private let nanoseconds = Atomic<Int64>(1_000_000_000_000)

    var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    func pass(_ milliseconds: Int64) {
        nanoseconds.add(milliseconds * 1_000_000, ordering: .relaxed)
    }
}

/// Tokens, bearers, and events, with a clock of the test.
struct PageSessionsTests {
    @Test(
        arguments: zip(
            [PageSessions.shortLife, PageSessions.longLife], [30_000 as Int64, 300_000]))
    func aTokenEnds(_ life: Duration, _ milliseconds: Int64) {
        let clock = TestClock()
        let sessions = PageSessions(now: { clock.now })
        let first = sessions.token(for: life, shown: nil)
        let second = sessions.token(for: life, shown: nil)
        clock.pass(milliseconds - 1)
        #expect(sessions.open(first) != nil)
        clock.pass(1)
        #expect(sessions.open(second) == nil)
    }

    @Test func aTokenIsExchangedOnceForAShortOne() throws {
        let clock = TestClock()
        let sessions = PageSessions(now: { clock.now })
        let first = sessions.token(for: PageSessions.longLife, shown: "inbox/3f")
        let second = try #require(sessions.exchange(first))
        #expect(second != first)
        #expect(sessions.exchange(first) == nil)
        #expect(sessions.open(first) == nil)
        clock.pass(29_999)
        let page = try #require(sessions.open(second))
        #expect(page.shown == "inbox/3f")
        #expect(sessions.open(second) == nil)
    }

    @Test func eachPageHasItsOwnBearer() throws {
        let sessions = PageSessions()
        func open() throws -> PageSessions.Page {
            try #require(
                sessions.open(sessions.token(for: PageSessions.shortLife, shown: nil)))
        }
        #expect(!sessions.hasOpened)
        let first = try open()
        let second = try open()
        #expect(sessions.hasOpened)
        #expect(first.bearer != second.bearer)
        #expect(first.key != second.key)
        #expect(sessions.page(first.bearer) === first)
        sessions.close(first)
        #expect(sessions.page(first.bearer) == nil)
        #expect(sessions.page(second.bearer) === second)
        for _ in 0..<PageSessions.maximumPages { _ = try open() }
        #expect(sessions.page(second.bearer) == nil)
    }

    @Test func aReloadOpensThePageAgainOnceAndHeld() throws {
        let sessions = PageSessions()
        let token = sessions.token(for: PageSessions.shortLife, shown: "inbox/3f")
        let first = try #require(sessions.open(token))
        #expect(!first.isHeld)
        #expect(sessions.reopen(token) == nil)
        #expect(sessions.reopen(first.bearer) == nil)
        let second = try #require(sessions.reopen(first.reloadKey))
        #expect(second.isHeld)
        #expect(second.shown == nil)
        #expect(sessions.reopen(first.reloadKey) == nil)
        #expect(sessions.page(first.bearer) == nil)
        #expect(sessions.page(second.bearer) === second)
        second.release()
        #expect(!second.isHeld)
        let third = try #require(sessions.reopen(second.reloadKey))
        #expect(third.isHeld)
    }

    @Test func eventsAreGivenInOrder() throws {
        let clock = TestClock()
        let events = EventQueue(now: { clock.now })
        let given = Mutex<[String]>([])
        func ask(after number: Int?) {
            events.give(
                after: number,
                to: DeferredResponse { response in
                    let body = response.map { String(decoding: $0.body, as: UTF8.self) }
                    given.withLock { $0.append(body ?? "none") }
                })
        }
        func take() -> [String] {
            given.withLock { given in
                defer { given = [] }
                return given
            }
        }
        func answer(_ sequence: Int, _ list: String) -> String {
            #"{"result":{"sequence":\#(sequence),"events":[\#(list)]},"warnings":[]}"#
        }
        ask(after: nil)
        #expect(take() == [answer(0, "")])
        ask(after: 0)
        #expect(take() == [])
        events.post(#"{"event":"tasks"}"#)
        #expect(take() == [answer(1, #"{"event":"tasks"}"#)])
        events.post("2")
        events.post("3")
        ask(after: 1)
        #expect(take() == [answer(3, "2,3")])
        // One from another life of the program.
        ask(after: 9)
        #expect(take() == [answer(3, #"{"event":"resync"}"#)])
        for _ in 0..<EventQueue.maximumCount { events.post("4") }
        ask(after: 2)
        #expect(take() == [answer(3 + EventQueue.maximumCount, #"{"event":"resync"}"#)])
        // An answer without an event keeps the page, and says that the app is there.
        ask(after: 3 + EventQueue.maximumCount)
        clock.pass(24_999)
        #expect(events.look() == .zero)
        #expect(take() == [])
        clock.pass(1)
        #expect(events.look() == .zero)
        #expect(take() == [answer(3 + EventQueue.maximumCount, "")])
        clock.pass(60_000)
        #expect(events.look() == .seconds(60))
    }

    @Test func theIndexGetsItsTokenOnce() {
        let files = PageFiles()
        let index = String(decoding: files.page(with: "abc").content, as: UTF8.self)
        #expect(index.contains(#"<meta name="taskvault-token" content="abc">"#))
        #expect(index.components(separatedBy: "abc").count == 2)
        #expect(files.paths.contains("/index.html"))
        // An installed page would be dead at the next start, which has another origin.
        #expect(!index.contains("manifest"))
    }

    @Test func theScriptsAreSmallAndHaveNoInlineParts() {
        let files = PageFiles()
        var size = 0
        for path in files.paths {
            guard let file = files.file(path) else { continue }
            if path.hasSuffix(".js") { size += file.content.count }
            guard path.hasSuffix(".html") else { continue }
            let text = String(decoding: file.content, as: UTF8.self).lowercased()
            for forbidden in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
                #expect(!text.contains(forbidden), "\(path): \(forbidden)")
            }
            #expect(!text.contains("<script>"), "\(path)")
        }
        // See `Browser/run`.
        #expect(size <= 208 * 1_024)
    }
}
