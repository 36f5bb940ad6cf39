@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Recovery codes")
struct RecoveryCodeTests {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    @Test("come back from their text, 1,000 of them")
    func roundTrip() throws {
        let random = RandomSource.seeded(0xC0DE)
        for _ in 0..<1_000 {
            let code = try RecoveryCode.random(from: random)
            let text = Samples.bytes(try code.text())
            #expect(text.count == 69)
            for (index, character) in text.enumerated() {
                #expect(
                    index % 5 == 4
                        ? character == UInt8(ascii: "-") : Self.alphabet.contains(character))
            }
            let read = try RecoveryCode(typed: Samples.secret(text))
            #expect(Samples.bytes(read.bytes) == Samples.bytes(code.bytes))
        }
    }

    /// A code of the bytes 0 to 31, computed with another program's Base32 and BLAKE2b (Python's `base64` and `hashlib`).
    @Test("have the text of the format")
    func golden() throws {
        let counting = RandomSource { span in
            for offset in 0..<span.byteCount {
                span.storeBytes(of: UInt8(offset), toByteOffset: offset, as: UInt8.self)
            }
        }
        let text = try RecoveryCode.random(from: counting).text()
        #expect(
            String(decoding: Samples.bytes(text), as: UTF8.self)
                == "AAAQ-EAYE-AUDA-OCAJ-BIFQ-YDIO-B4IB-CEQT-CQKR-MFYY-DENB-WHA5-DYPQ-KNQM")
    }

    @Test("ignore case, spaces and dashes, and nothing else")
    func separators() throws {
        let code = try RecoveryCode.random(from: .seeded(7))
        let text = Samples.bytes(try code.text())
        let bare = text.filter { $0 != UInt8(ascii: "-") }
        let accepted = [
            bare, text.map { $0 | (0x41...0x5A).contains($0).asBit },
            bare.flatMap { [$0, UInt8(ascii: " ")] },
            [UInt8(ascii: "-")] + bare + Array(" - ".utf8),
        ]
        for typed in accepted {
            let read = try RecoveryCode(typed: Samples.secret(typed))
            #expect(Samples.bytes(read.bytes) == Samples.bytes(code.bytes))
        }
        for foreign in Array("0189_=\t\n.".utf8) + [0, 0x80, 0xFF] {
            #expect(throws: SealingError.recoveryCodeMalformed) {
                _ = try RecoveryCode(typed: Samples.secret([foreign] + bare))
            }
        }
        for count in [0, 1, 52, 55] {
            #expect(throws: SealingError.recoveryCodeMalformed) {
                _ = try RecoveryCode(typed: Samples.secret(Array(bare[..<count])))
            }
        }
        for more in [bare + bare, bare + [UInt8(ascii: "A")]] {
            #expect(throws: SealingError.recoveryCodeMalformed) {
                _ = try RecoveryCode(typed: Samples.secret(more))
            }
        }
    }

    @Test("have four filler bits, which are zero")
    func filler() throws {
        let text = Samples.bytes(try RecoveryCode.random(from: .seeded(8)).text())
            .filter { $0 != UInt8(ascii: "-") }
        let digit = try #require(Self.alphabet.firstIndex(of: text[51]))
        #expect(digit & 15 == 0)
        for filler in 1...15 {
            var typed = text
            typed[51] = Self.alphabet[digit | filler]
            #expect(throws: SealingError.recoveryCodeMalformed) {
                _ = try RecoveryCode(typed: Samples.secret(typed))
            }
        }
    }

    /// 20 check bits let one error in 2^20 through; this many tries of a fixed seed meet none.
    @Test("notice every single wrong character, and every two exchanged neighbours, of 20 codes")
    func typingErrors() throws {
        let random = RandomSource.seeded(0x7E90)
        var tried = 0
        var unnoticed = 0
        func type(_ typed: [UInt8]) throws {
            tried += 1
            let typed = try Samples.secret(typed)
            do {
                _ = try RecoveryCode(typed: typed)
                unnoticed += 1
            } catch let error as SealingError {
                #expect(error == .recoveryCodeCheck || error == .recoveryCodeMalformed)
            }
        }
        for _ in 0..<20 {
            let text = Samples.bytes(try RecoveryCode.random(from: random).text())
                .filter { $0 != UInt8(ascii: "-") }
            for index in text.indices {
                var typed = text
                for character in Self.alphabet where character != text[index] {
                    typed[index] = character
                    try type(typed)
                }
                if index > 0, text[index] != text[index - 1] {
                    typed = text
                    typed.swapAt(index, index - 1)
                    try type(typed)
                }
            }
        }
        #expect(tried > 34_720)
        #expect(unnoticed << 18 < tried)
    }
}

extension Bool {
    /// The bit that makes an ASCII letter small, if this is one.
    fileprivate var asBit: UInt8 { self ? 0x20 : 0 }
}
