import Foundation
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct ValueTests {
    private static let values: [LargeArgument<[UInt8]>] = [
        [], [0], [0x0A], [0xFF, 0xFE, 0x00, 0x80], Array("line\r\n".utf8),
        [UInt8](repeating: 0xA5, count: 4_097), [UInt8](repeating: 0x00, count: 1_048_576),
    ].map { LargeArgument($0) }

    @Test(arguments: values) func valuesComeBackByteForByte(
        _ argument: LargeArgument<[UInt8]>
    ) throws {
        let value = argument.value
        let home = try TestHome()
        expect(
            try home.run(["secret", "set", "--allow-empty", "a", "b"], input: value), ends: 0)
        #expect(try home.run("secret get a b").output == value)
        let json = try home.run("secret get a b --json").object
        #expect(json["value_base64"] as? String == Data(value).base64EncodedString())
    }

    @Test(arguments: values)
    func theValueMayFollowThePassphraseOnStandardInput(
        _ argument: LargeArgument<[UInt8]>
    ) throws {
        let value = argument.value
        let home = try TestHome()
        let saved = try home.runBare(
            [
                "--no-agent", "secret", "set", "--allow-empty", "a", "b", "--passphrase-file", "-",
            ],
            input: Array((TestHome.passphrase + "\n").utf8) + value)
        expect(saved, ends: 0)
        #expect(try home.run("secret get a b").output == value)
    }

    /// A program that failed gives nothing, and that must not take a good value's place.
    @Test func noValueIsRefusedUnlessItIsMeant() throws {
        let home = try TestHome()
        try home.save("old", "c", "d")
        for command in [["set", "a", "b"], ["update", "c", "d"], ["set", "--replace", "c", "d"]] {
            expect(
                try home.run(["secret"] + command), ends: 2,
                "error: standard input is empty: there is no value to save",
                "hint: check the command that should have written it; --allow-empty saves an empty value"
            )
        }
        #expect(try home.value("c", "d") == "old")
        #expect(try home.run("secret list").outputLines.count == 2)
        expect(try home.run(["secret", "update", "--allow-empty", "c", "d"]), ends: 0)
        #expect(try home.value("c", "d") == "")
    }

    @Test func aValueAboveTheLimitIsRefused() throws {
        let home = try TestHome()
        let value = [UInt8](repeating: 1, count: 1_048_577)
        try home.save("old", "c", "d")
        for command in [["set", "a", "b"], ["update", "c", "d"], ["set", "--replace", "c", "d"]] {
            expect(
                try home.run(["secret"] + command, input: value), ends: 8,
                "error: the value is larger than 1048576 bytes")
        }
        #expect(try home.value("c", "d") == "old")
        #expect(try home.run("secret list").outputLines.count == 2)
    }

    @Test(arguments: ["a\nb", "tab\t", "esc\u{1B}[31m", "del\u{7F}", "c1\u{9B}31m"])
    func controlCharactersInNamesAreRefused(name: String) throws {
        let home = try TestHome()
        expect(
            try home.run(["secret", "set", name, "b"]), ends: 2,
            "error: the service contains a control character, such as a newline")
        expect(
            try home.run(["secret", "set", "a", name]), ends: 2,
            "error: the account contains a control character, such as a newline")
        expect(
            try home.run(["secret", "set", "a", "b", "--label", name], input: [1]), ends: 2,
            "error: the label contains a control character, such as a newline")
    }

    @Test func emptyAndOverlongNamesAreRefused() throws {
        let home = try TestHome()
        expect(
            try home.run(["secret", "set", "", "b"]), ends: 2, "error: the service is empty")
        let long = String(repeating: "n", count: 1_025)
        expect(
            try home.run(["secret", "set", "a", long]), ends: 2,
            "error: the account is longer than 1024 bytes")
        try home.save("a value", "a", String(long.dropLast()))
    }

    @Test func aSurplusOperandIsNotRepeated() throws {
        let home = try TestHome()
        let refused = try home.run(["secret", "set", "a", "b", "hunter2"])
        #expect(refused.exitCode == 2)
        #expect(!refused.errorText.contains("hunter2"))
        #expect(refused.errorText.contains("stays in the shell's history"))
    }
}
