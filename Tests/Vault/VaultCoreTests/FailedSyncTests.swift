#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A system call of a long session fails once and then works again, as a sync does whose data the system has given up.
    @Suite(
        "A session after a failed call",
        .enabled(if: Tracer.isUsable, Tracer.reason), .waitsForProcesses)
    struct FailedSyncTests {
        private static let steps = 6
        /// The first writes are those of opening, before there is a session.
        private static let calls =
            (1...12).map { ("fdatasync", $0) } + (9...20).map { ("pwrite64", $0) }

        @Test(
            "opens the file again before it acknowledges anything, and loses nothing",
            arguments: calls)
        func onceFailed(call: String, number: Int) throws {
            try withTemporaryFolder { folder in
                let vault = try WriterVault(at: folder + "/vault.db")
                let trace = folder + "/trace"
                let writer = try WriterProcess(
                    ["insist", vault.path, "\(Self.steps)"], vault.code,
                    beneath: [
                        Tracer.path, "-f", "-qq", "-o", trace, "-e",
                        "trace=openat,write,\(call)", "-e",
                        "inject=\(call):error=EIO:when=\(number)",
                    ])
                let lines = try writer.lines()
                #expect(writer.process.terminationStatus == 0)
                #expect(lines.count { $0 == "done" } == Self.steps)
                // A failure while the log is moved into the file at the end is nobody's loss.
                let failures = lines.count { $0 == "failed" }
                #expect(failures <= 1)
                if failures == 1 { try Self.expectReopened(trace) }
                #expect(
                    try vault.steps(acknowledged: Self.steps, isChecked: true) == Self.steps)
            }
        }

        private static func expectReopened(_ trace: String) throws {
            let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let fault = try #require(calls.firstIndex { $0.hasSuffix("(INJECTED)") })
            let later = calls[fault...]
            let opened = try #require(later.firstIndex { $0.contains("/vault.db\"") })
            let done = try #require(later.firstIndex { $0.contains("\"done") })
            #expect(opened < done)
        }
    }
#endif
