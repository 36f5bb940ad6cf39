@testable import CommandLine
import Testing

@Suite struct PagerPartsTests {
    @Test(
        arguments: [
            ("k", [.up]), ("j", [.down]), (" ", [.pageDown]), ("\u{1B}[A", [.up]),
            ("\u{1B}OA", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[5~", [.pageUp]),
            ("\u{1B}[6~", [.pageDown]), ("\u{1B}[H", [.home]), ("\u{1B}[F", [.end]),
            ("\u{1B}[1~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[7~", [.home]),
            ("\u{1B}[8~", [.end]), ("\u{1B}[1;5B", [.down]), ("\u{1B}[5;2~", [.pageUp]),
            ("\n", [.enter]), ("\r", [.enter]), ("\u{1B}OM", [.enter]), ("q", [.close]),
            ("Q", [.close]), ("\u{3}", [.close]), ("\u{1B}q", [.close]),
            ("\u{1B}\u{1B}", [.close]), ("x\u{13}é", []), ("\u{1B}[200~", []), ("\u{1B}[Z", []),
            ("\u{1B}[Ajk", [.up, .down, .up]), ("g", [.home]), ("G", [.end]), ("b", [.pageUp]),
            ("f", [.pageDown]), ("/nN", [.search, .next, .previous]),
        ] as [(String, [PagerKey])])
    func bytesBecomeKeys(bytes: String, keys: [PagerKey]) {
        var decoder = PagerKeyDecoder()
        #expect(bytes.utf8.compactMap { decoder.take($0) } == keys)
        #expect(!decoder.waitsForMore)
    }

    @Test func anEscapeAloneIsAKeyOnlyAfterAPause() {
        var decoder = PagerKeyDecoder()
        #expect(decoder.take(0x1B) == nil)
        #expect(decoder.waitsForMore)
        #expect(decoder.pause() == .close)
        #expect(!decoder.waitsForMore)
        #expect(decoder.pause() == nil)
    }

    @Test func aSequenceWithoutEndIsGivenUp() {
        var decoder = PagerKeyDecoder()
        let endless = [0x1B, 0x5B] + Array(repeating: UInt8(ascii: "1"), count: 100)
        #expect(endless.compactMap { decoder.take($0) } == [])
        #expect(!decoder.waitsForMore)
        #expect(decoder.take(UInt8(ascii: "q")) == .close)
    }

    @Test func everyKeyKeepsVisibleLinesInRange() {
        let keys: [PagerKey] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .enter, .close, .search, .next, .previous,
        ]
        for count in [0, 1, 5, 10, 11, 100] {
            for page in [-1, 0, 1, 10, 1_000] {
                var position = ScrollPosition()
                position.resize(count: count, page: page)
                for step in 0..<200 {
                    position.move(keys[step * 7 % keys.count])
                    position.move(keys[step * step % keys.count])
                    if step % 50 == 49 { position.resize(count: count + step % 3, page: page) }
                    #expect(position.visible.lowerBound >= 0)
                    #expect(position.visible.upperBound <= position.count)
                    #expect(position.visible.isEmpty == (position.count == 0))
                    #expect(position.isAtEnd == (position.visible.upperBound == position.count))
                }
            }
        }
    }

    @Test func anotherWidthKeepsThePlace() {
        var position = ScrollPosition()
        position.resize(count: 100, page: 10)
        for _ in 0..<50 { position.move(.down) }
        position.resize(count: 200, page: 10)
        #expect(position.visible == 100..<110)
        position.resize(count: 20, page: 15)
        #expect(position.visible == 5..<20)
    }

    @Test(arguments: [
        (Duration.seconds(102), "1:42"), (.milliseconds(101_001), "1:42"), (.seconds(60), "1:00"),
        (.milliseconds(1), "0:01"), (.zero, "0:00"), (.seconds(-5), "0:00"),
        (.seconds(3_599), "59:59"), (.seconds(3_600), "1:00:00"), (.seconds(86_465), "24:01:05"),
        (.seconds(4_205), "1:10:05"),
    ])
    func theTimeLeftIsACountdown(time: Duration, text: String) {
        #expect(PagerStatus.clock(time) == text)
    }

    @Test func theStatusBeginsWithTheTimeLeft() {
        var position = ScrollPosition()
        position.resize(count: 57, page: 20)
        #expect(
            PagerStatus(timeLeft: .seconds(5), position: position, separator: "-").text
                == "hidden in 0:05 - q closes - lines 1-20 of 57 - / searches")
        #expect(
            PagerStatus(
                timeLeft: .seconds(5), position: position, search: "mi", separator: "-"
            ).text == "hidden in 0:05 - /mi")
        position.resize(count: 20, page: 20)
        #expect(PagerStatus(timeLeft: nil, position: position, separator: "·").text == "q closes")
        #expect(
            PagerStatus(
                timeLeft: nil, position: position, missing: "milk", separator: "·"
            ).text == "not found: milk · q closes")
    }

    /// A screen reader speaks only the digits that have changed.
    @Test func ofACountdownOnlyTheDigitsChange() throws {
        func status(_ seconds: Int, _ count: Int = 20) -> PagerStatus {
            var position = ScrollPosition()
            position.resize(count: count, page: 20)
            return PagerStatus(timeLeft: .seconds(seconds), position: position, separator: "·")
        }
        let change = try #require(status(101).timeChange(since: status(102)))
        #expect(change == (14, "1"))
        let tens = try #require(status(99).timeChange(since: status(100)))
        #expect(tens == (13, "39"))
        // All of it: another length, another rest.
        #expect(status(3_599).timeChange(since: status(3_600)) == nil)
        #expect(status(101, 57).timeChange(since: status(102)) == nil)
    }

    @Test func aTextIsSearchedInBothDirections() {
        let lines = ["Buy milk", "\u{1B}[1mcall\u{1B}[0m the bank", "MILK again", "nothing"]
        var search = PagerSearch()
        /// Types an entry; returns whether it is complete.
        func type(_ keys: String) -> Bool {
            search.begin()
            return keys.utf8.map { search.take($0) }.last ?? false
        }
        #expect(search.line(after: -1, in: lines) == nil)
        #expect(type("mil\u{7F}lk\r"))
        #expect(search.entry == nil)
        #expect(search.text == "milk")
        #expect(search.line(after: -1, in: lines) == 0)
        #expect(search.line(after: 0, in: lines) == 2)
        #expect(search.line(after: 2, in: lines) == 0)
        #expect(search.line(after: 0, backwards: true, in: lines) == 2)
        #expect(search.marked(lines[0]) == "Buy \u{1B}[7mmilk\u{1B}[0m")
        #expect(search.marked(lines[1]) == lines[1])
        // Emphasis does not part a text.
        #expect(type("l the\n"))
        #expect(search.line(after: -1, in: lines) == 1)
        // An empty entry repeats it, and Escape gives it up.
        #expect(type("\r"))
        #expect(!type("x\u{1B}"))
        #expect(search.entry == nil && search.text == "l the")
        #expect(!type("é\u{7F}"))
        #expect(search.entry == [])
    }
}
