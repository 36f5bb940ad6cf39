import Foundation
import Platform
import TestSupport
import Testing

@Suite("Pipes, threads and times")
struct ProcessTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    @Test("a signal makes the reader readable, and it stays readable")
    func signal() throws {
        let pipe = try SystemPipe(isBlocking: false)
        #expect(!isReadable(pipe.reader))
        for _ in 0..<100_000 { pipe.signal() }
        #expect(isReadable(pipe.reader))
    }

    @Test("a pipe is not inherited, and read to its end")
    func readAll() throws {
        let pipe = try SystemPipe()
        for end in [pipe.reader, pipe.writer] {
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
        }
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let isStarted = DetachedThread.start {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe Array(rest).withUnsafeBytes {
                    unsafe write(pipe.writer, $0.baseAddress, $0.count)
                }
                rest = rest.dropFirst(max(0, count))
            }
            pipe.closeWriter()
        }
        try #require(isStarted)
        #expect(pipe.readAll() == bytes)
    }

    @Test("a monitor wakes a waiting thread, and a wait ends at its time")
    func monitor() throws {
        let monitor = Monitor(0)
        #expect(monitor.wait(until: .now) { $0 == 1 ? true : nil } == nil)
        try #require(DetachedThread.start(stackSize: 1 << 20) { monitor.update { $0 = 1 } })
        #expect(monitor.wait { $0 == 1 ? true : nil } == true)
    }

    @Test("a time after a duration that is too long is never reached")
    func overflow() {
        let now = MonotonicTime.now
        #expect(now + .seconds(1) > now)
        #expect(now + .seconds(Int64.max) == .never)
        #expect(MonotonicTime.never + .seconds(1) == .never)
    }

    @Test(
        "a failure of the system is explained in lower case, but for capitals",
        arguments: [(ENOSPC, "no space left on device"), (EIO, "input/output error")])
    func explanation(code: Int32, text: String) {
        #expect(SystemFailure("write", code: code).explanation == text)
    }

    @Test("milliseconds are rounded down")
    func milliseconds() {
        #expect(Duration.microseconds(1_999).milliseconds == 1)
    }

    #if os(Linux)
        @Test("code that is given back at rest runs again when it is needed")
        func rest() throws {
            func mapped() throws -> Int {
                let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = text.split(separator: "\n").first { $0.hasPrefix("RssFile:") }
                return try #require(
                    line?.split { " \t".contains($0) }.dropFirst().first.flatMap { Int($0) })
            }
            let before = try mapped()
            platform_rest()
            #expect(try mapped() < before)
        }
    #endif
}
