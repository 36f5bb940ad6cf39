import CommandLine
import Foundation
import SecretMemory
import Testing

@Suite struct JSONWriterTests {
    private func text(
        _ write: (inout JSONWriter<CollectedOutput>) throws -> Void
    ) throws -> String {
        try collected(write).text
    }

    private func collected(
        _ write: (inout JSONWriter<CollectedOutput>) throws -> Void
    ) throws -> CollectedOutput {
        var json = JSONWriter(CollectedOutput())
        try write(&json)
        return try json.finish()
    }

    @Test func valuesAreWrittenInOrder() throws {
        let result = try text { json in
            try json.beginObject()
            try json.member("b", "x")
            try json.member("a", -7)
            try json.key("list")
            try json.beginArray()
            try json.boolean(true)
            try json.null()
            try json.beginObject()
            try json.endObject()
            try json.beginArray()
            try json.endArray()
            try json.integer(UInt64.max)
            try json.endArray()
            try json.member("when", milliseconds: 0)
            try json.member("flag", false)
            try json.member("no text", String?.none)
            try json.member("no number", Int?.none)
            try json.member("no flag", Bool?.none)
            try json.endObject()
        }
        #expect(
            result == """
                {"b":"x","a":-7,"list":[true,null,{},[],18446744073709551615],\
                "when":"1970-01-01T00:00:00Z","flag":false,"no text":null,"no number":null,"no flag":null}

                """)
    }

    @Test func linesBeginWithValuesAndWithTheEnd() throws {
        let result = try text { json in
            try json.beginArray()
            for number in 1...2 {
                json.breakLine()
                try json.beginArray()
                try json.integer(number)
                try json.endArray()
            }
            json.breakLine()
            try json.endArray()
        }
        #expect(result == "[\n[1],\n[2]\n]\n")
    }

    @Test(arguments: [
        ("", "\"\""), ("a\"b\\c/", "\"a\\\"b\\\\c/\""), ("\n\r\t", "\"\\n\\r\\t\""),
        ("\0\u{1F}", "\"\\u0000\\u001F\""), ("é日😀", "\"é日😀\""),
        ("\u{202E}\u{7F}", "\"\\u202E\\u007F\""), ("\u{E0001}", "\"\\uDB40\\uDC01\""),
    ])
    func stringsAreEscaped(text: String, expected: String) throws {
        #expect(try self.text { try $0.string(text) } == expected + "\n")
    }

    @Test func outputHasNothingDangerousForATerminal() throws {
        var all = ""
        for value in UInt32(0)...0x10_FFFF {
            if let scalar = Unicode.Scalar(value) { all.unicodeScalars.append(scalar) }
        }
        let written = try text { try $0.string(all) }
        #expect(VisibleText.escape(String(written.dropLast())) == written.dropLast())
    }

    @Test(
        .enabled(if: Python.isPresent, "needs python3"),
        .timeLimit(.minutes(60)))
    func everyScalarComesBackFromAnotherReader() throws {
        var all = ""
        for value in UInt32(0)...0x10_FFFF {
            if let scalar = Unicode.Scalar(value) { all.unicodeScalars.append(scalar) }
        }
        let written = try collected { try $0.string(all) }
        let program = "import sys,json;sys.stdout.buffer.write(json.load(sys.stdin).encode())"
        #expect(try Python.run(program, input: written.all) == Array(all.utf8))
    }

    @Test(arguments: [0, 1, 2, 3, 4, 6_143, 6_144, 6_145, 1 << 20])
    func secretsAreBase64ThroughGuardedMemoryOnly(size: Int) throws {
        let value = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        let secret = try makeSecret(value)
        let result = try collected { try $0.base64(secret) }
        let expected = Data(value).base64EncodedString()
        #expect(result.text == "\"\(expected)\"\n")
        #expect(result.secret == Array(expected.utf8))
    }

    @Test func everySextetHasItsLetter() throws {
        // 48 bytes that hold the 64 sextets in order.
        let value = (0..<16).flatMap { group -> [UInt8] in
            let first = UInt32(group * 4)
            let bits = first << 18 | (first + 1) << 12 | (first + 2) << 6 | (first + 3)
            return [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
        }
        let secret = try makeSecret(value)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        #expect(try text { try $0.base64(secret) } == "\"\(alphabet)\"\n")
    }
}

enum Python {
    static var isPresent: Bool { (try? run("pass", input: [])) != nil }

    static func run(_ program: String, input: [UInt8]) throws -> [UInt8] {
        let file = try TemporaryFile(input)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["PYTHONUTF8=1", "python3", "-c", program]
        process.standardInput = FileHandle(forReadingAtPath: file.path)
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("python3 failed") }
        return Array(bytes)
    }
}
