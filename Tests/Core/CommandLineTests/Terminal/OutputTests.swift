import CommandLine
import Dispatch
import Platform
import SecretMemory
import Testing
import TestSupport
import TextCoding

@Suite(.timeLimit(.minutes(60))) struct OutputTests {
    /// The bytes at the other end of a pipe, which blocks or not.
    private func received(
        nonBlocking: Bool = false, _ write: (inout Output) throws -> Void
    ) throws -> [UInt8] {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw TestFailure("pipe") }
        if nonBlocking { _ = fcntl(ends[1], F_SETFL, O_NONBLOCK) }
        let group = DispatchGroup()
        let reader = SecretInput(descriptor: ends[0])
        nonisolated(unsafe) var result: [UInt8] = []
        DispatchQueue(label: "reader").async(group: group) {
            guard let all = try? reader.readAll(limit: 1 << 24) else { return }
            unsafe result = bytes(of: all)
        }
        var output = Output(descriptor: ends[1])
        try write(&output)
        try output.finish()
        close(ends[1])
        group.wait()
        close(ends[0])
        return unsafe result
    }

    @Test func textAndSecretsKeepTheirOrder() throws {
        let secret = try makeSecret([0, 1, 255])
        let all = try received { output in
            try output.write("before ")
            try output.write(secret: secret)
            try output.writeLine(" after")
        }
        #expect(all == Array("before ".utf8) + [0, 1, 255] + Array(" after\n".utf8))
    }

    @Test(arguments: [false, true])
    func muchIsWrittenWhole(nonBlocking: Bool) throws {
        let line = String(repeating: "x", count: 999)
        let all = try received(nonBlocking: nonBlocking) { output in
            for _ in 0..<2_000 { try output.writeLine(line) }
            try output.write(String(repeating: "y", count: 200_000))
        }
        #expect(all.count == 2_200_000)
        #expect(all.count { $0 == 0x0A } == 2_000)
    }

    @Test func aReaderWhoWentAwayIsNoSignal() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, platform_stream_socket(), 0, &ends) == 0)
        // Other than close(), this also counts for copies in processes that other tests start now.
        shutdown(ends[0], Int32(SHUT_RDWR))
        defer { for end in ends { close(end) } }
        #expect(throws: SystemFailure("write", code: EPIPE)) {
            var output = Output(descriptor: ends[1])
            try output.write("x")
            try output.finish()
        }
    }

    @Test(.enabled(if: unsafe access("/dev/full", W_OK) == 0))
    func aFullDiskIsReported() throws {
        let full = unsafe open("/dev/full", O_WRONLY)
        defer { close(full) }
        #expect(throws: SystemFailure("write", code: ENOSPC)) {
            var output = Output(descriptor: full)
            try output.write("x")
            try output.finish()
        }
        #expect(SystemFailure("write", code: ENOSPC).explanation == "no space left on device")
    }

    @Test func onATerminalEveryLineGoesOutAtOnce() throws {
        let terminal = try PseudoTerminal()
        var output = Output(descriptor: terminal.device)
        let isTerminal = output.isTerminal
        #expect(isTerminal)
        try output.writeLine("now")
        #expect(terminal.wholeScreen().contains("now"))
        try output.finish()
    }
}

@Suite(.timeLimit(.minutes(60))) struct TerminalCapabilitiesTests {
    @Test(
        arguments: [
            (true, "xterm", nil, true), (true, "xterm", "", true), (true, "xterm", "1", false),
            (true, "dumb", nil, false), (true, nil, nil, false), (true, "", nil, false),
            (false, "xterm", nil, false),
        ] as [(Bool, String?, String?, Bool)])
    func colourNeedsATerminalThatWantsIt(
        isTerminal: Bool, name: String?, noColour: String?, expected: Bool
    ) {
        let capabilities = TerminalCapabilities(
            isTerminal: isTerminal, columns: 80, terminalName: name, noColour: noColour)
        #expect(capabilities.hasColour == expected)
        let styled = Style(capabilities).apply(.red, to: "x")
        #expect(styled == (expected ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }

    private func screen(of capabilities: TerminalCapabilities) throws -> String {
        let terminal = try PseudoTerminal()
        var line = ProgressLine(
            "checking\n", descriptor: terminal.device, capabilities: capabilities)
        for done in 0...1_000 { line.update(done: done, of: 1_000) }
        line.finish()
        return terminal.wholeScreen()
    }

    @Test func progressIsShownOnATerminalAndGoesAway() throws {
        let screen = try screen(
            of: TerminalCapabilities(
                isTerminal: true, columns: 80, terminalName: "xterm", noColour: nil))
        #expect(screen.contains("checking\\u{A} 0 %"))
        #expect(screen.contains("checking\\u{A} 100 %"))
        #expect(screen.hasSuffix("\r\u{1B}[K<end>"))
        #expect(screen.ranges(of: "%").count == 101)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_250, "1.3 kB"), (12_345, "12 kB"),
            (999_999, "1.0 MB"), (3_400_000, "3.4 MB"), (4_294_967_296, "4.3 GB"),
        ] as [(UInt64, String)])
    func sizesAreReadable(count: UInt64, text: String) {
        #expect(byteText(count) == text)
    }

    @Test(
        arguments: [
            (50_000_000, 100_000_000, 2, "50 %, 25 MB/s, 2s left"),
            (100_000_000, 100_000_000, 4, "100 %, 25 MB/s, 0s left"),
            (3_000_000, nil, 2, "3.0 MB, 1.5 MB/s"),
            (0, 10, 2, "0 %, 0 B/s"),
        ] as [(UInt64, UInt64?, Int, String)])
    func aTransferHasRateAndRemainingTime(
        done: UInt64, total: UInt64?, seconds: Int, text: String
    ) {
        #expect(
            TransferProgress.text(done: done, of: total, after: .seconds(seconds)) == text)
    }

    @Test func aQuickTransferShowsNoProgressAndASlowOneFourTimesASecond() throws {
        let terminal = try PseudoTerminal()
        let start = BootTime.now
        let line = ProgressLine(
            "storing", descriptor: terminal.device,
            capabilities: TerminalCapabilities(
                isTerminal: true, columns: 80, terminalName: "xterm", noColour: nil))
        var progress = TransferProgress(line, of: 1_000, from: start)
        progress.add(10, at: start + .milliseconds(999))
        let quick = terminal.wholeScreen()
        #expect(quick == "<end>")
        progress.add(90, at: start + .milliseconds(1_000))
        progress.add(100, at: start + .milliseconds(1_249))
        progress.finish()
        let slow = terminal.wholeScreen()
        #expect(slow.contains("storing 10 %, 100 B/s, 9s left"))
        #expect(slow.ranges(of: "B/s").count == 1)
    }

    @Test func progressIsSilentInAPipe() throws {
        let screen = try screen(
            of: TerminalCapabilities(
                isTerminal: false, columns: 80, terminalName: "xterm", noColour: nil))
        #expect(screen == "<end>")
    }
}
