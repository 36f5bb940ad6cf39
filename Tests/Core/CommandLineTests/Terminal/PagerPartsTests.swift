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
            ("\u{1B}[Ajk", [.up, .down, .up]),
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
        let keys: [PagerKey] = [.up, .down, .pageUp, .pageDown, .home, .end, .enter, .close]
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
            PagerStatus.line(timeLeft: .seconds(5), position: position, separator: "-")
                == "hidden in 0:05 - q closes - lines 1-20 of 57")
        position.resize(count: 20, page: 20)
        #expect(
            PagerStatus.line(timeLeft: nil, position: position, separator: "·") == "q closes")
    }
}
