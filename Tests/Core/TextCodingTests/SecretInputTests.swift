import Platform
import SecretMemory
import Testing
import TestSupport
import TextCoding

@Suite(.timeLimit(.minutes(60))) struct SecretInputTests {
    /// All lines of an input, and nil at the end.
    private func lines(_ pieces: [[UInt8]], limit: Int = 16) throws -> [[UInt8]] {
        let pipe = try InputPipe(pieces)
        let input = SecretInput(descriptor: pipe.descriptor)
        var lines: [[UInt8]] = []
        while let line = try input.readLine(limit: limit) { lines.append(bytes(of: line)) }
        return lines
    }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]), ("a\n\n", ["a", ""]),
            ("\n", [""]), ("a\rb\n", ["a\rb"]), ("a\r", ["a\r"]), ("a\r\r\n", ["a\r"]),
            ("a\nb", ["a", "b"]), (" a \n", [" a "]), ("a\0b\n", ["a\0b"]),
        ] as [(String, [String])])
    func onlyTheLineEndIsStripped(input: String, expected: [String]) throws {
        #expect(try lines([Array(input.utf8)]) == expected.map { Array($0.utf8) })
    }

    @Test func aLineMayComeInPieces() throws {
        let pieces = Array("one\r\ntwo\nthree".utf8).map { [$0] }
        #expect(try lines(pieces) == ["one", "two", "three"].map { Array($0.utf8) })
    }

    @Test func bytesThatAreNoTextAreKept() throws {
        let line = Array(UInt8(0)...255).filter { $0 != 0x0A }
        #expect(try lines([line + [0x0A]], limit: 255) == [line])
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func theLimitCountsTheLineWithoutItsEnd(end: String) throws {
        let line = [UInt8](repeating: 0x78, count: 16)
        #expect(try lines([line + Array(end.utf8)]) == [line])
        #expect(throws: InputError.tooLong(maximum: 16)) {
            try lines([line + [0x78] + Array(end.utf8)])
        }
    }

    @Test func anEndlessLineIsRefusedBeforeItsEnd() throws {
        #expect(throws: InputError.tooLong(maximum: 16_384)) {
            try lines([[UInt8](repeating: 0x78, count: 1 << 20)], limit: 16_384)
        }
    }

    @Test func aLongLineGrowsThroughSeveralBuffers() throws {
        let line = (0..<16_384).map { UInt8($0 % 251) | 0x80 }
        #expect(try lines([line, [0x0A, 0x62]], limit: 16_384) == [line, [0x62]])
    }

    @Test func passphraseLinesAndThenAValueComeFromOneStream() throws {
        let pipe = try InputPipe("old\r\nnew\nvalue\r\n\nwith\0all\n")
        let input = SecretInput(descriptor: pipe.descriptor)
        let first = try #require(try readText(input))
        let second = try #require(try readText(input))
        let value = try input.readAll(limit: 100)
        #expect(first == "old")
        #expect(second == "new")
        #expect(text(of: value) == "value\r\n\nwith\0all\n")
        #expect(try readText(input) == nil)
        #expect(try input.readAll(limit: 0).count == 0)
    }

    private func readText(_ input: SecretInput) throws -> String? {
        guard let line = try input.readLine() else { return nil }
        return text(of: line)
    }

    @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 65_536, 1 << 20])
    func everythingIsReadByteForByte(size: Int) throws {
        let value = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let pipe = try InputPipe([value])
        let all = try SecretInput(descriptor: pipe.descriptor).readAll(limit: 1 << 20)
        #expect(bytes(of: all) == value)
    }

    @Test(arguments: [0, 1, 4_096, 1 << 20])
    func oneByteOverTheLimitIsRefused(limit: Int) throws {
        let pipe = try InputPipe([[UInt8](repeating: 0, count: limit + 1)])
        #expect(throws: InputError.tooLong(maximum: limit)) {
            _ = try SecretInput(descriptor: pipe.descriptor).readAll(limit: limit)
        }
    }

    @Test func aDescriptorThatCannotBeReadIsAnError() {
        #expect(throws: InputError.failed(SystemFailure("read", code: 9))) {
            _ = try SecretInput(descriptor: 1_000_000).readAll(limit: 1)
        }
    }
}

private func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
}

private func text(of secret: borrowing SecretBytes) -> String {
    String(decoding: bytes(of: secret), as: UTF8.self)
}
