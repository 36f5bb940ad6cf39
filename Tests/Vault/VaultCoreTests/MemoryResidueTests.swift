#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The traces of a vault in the memory of its process; `Tests/Support/TestTools` looks, in a process of its own.
    @Suite("Memory", .waitsForProcesses)
    struct MemoryResidueTests {
        @Test(
            "holds each key once, locked and out of dumps, while unlocked; no passphrase; nothing after the lock"
        )
        func residues() throws {
            let probe = try Self.run([])
            if probe.code == 77 { try Test.cancel("\(probe.text)") }
            #expect(probe.code == 0, "\(probe.text)")
            let lines = probe.text.split(separator: "\n")
            #expect(!probe.text.contains("FAULT"))
            // The scan sees what is there: six keys after unlocking, and nothing at the end.
            #expect(lines.count { $0.hasPrefix("ok     unlocked: ") && $0.contains("1 copy") } == 6)
            #expect(lines.last == "ok     locked: looked for 18 secrets")
        }

        @Test("that somebody copied a secret into is seen")
        func mistake() throws {
            let probe = try Self.run(["copy"])
            if probe.code == 77 { try Test.cancel("\(probe.text)") }
            #expect(probe.code == 1)
            #expect(probe.text.contains("FAULT  read: value, expected 0, found 193 of 193 windows"))
        }

        private static func run(_ arguments: [String]) throws -> (code: Int32, text: String) {
            let process = Process()
            process.executableURL = URL(filePath: BuiltExecutable.path(of: "TestTools"))
            process.arguments = ["memory"] + arguments
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
    }
#endif
