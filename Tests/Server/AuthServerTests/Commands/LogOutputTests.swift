@testable import AuthServer
import Foundation
import Platform
import Testing

#if os(Linux)
    /// The output of the log.
    struct LogOutputTests {
        @Test func linesOfOneMomentAreWrittenTogether() throws {
            var ends: [Int32] = [-1, -1]
            // Each write is one message, so writes can be counted.
            try #require(
                unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            defer { for end in ends { close(end) } }
            // 1 during the first pause, 2 after it.
            let step = Monitor(0)
            let log = LogOutput(descriptor: ends[0]) {
                step.update { $0 = max($0, 1) }
                _ = step.wait { $0 == 2 ? true : nil }
            }
            let line = Array("{}\n".utf8)
            log.write(line)
            _ = step.wait { $0 == 1 ? true : nil }
            for _ in 1..<500 { log.write(line) }
            step.update { $0 = 2 }
            log.finish(within: .seconds(120))
            shutdown(ends[0], Int32(SHUT_WR))
            var writes = 0
            var bytes = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = unsafe recv(ends[1], &buffer, buffer.count, 0), count > 0 {
                writes += 1
                bytes += count
            }
            #expect(bytes == 500 * line.count)
            #expect(writes == 2)
        }

        /// Each thread has its own buffer.
        @Test func linesOfAllThreadsAreInTheirOrder() throws {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe pipe(&ends) == 0)
            defer { close(ends[0]) }
            let log = LogOutput(descriptor: ends[1]) {}
            let last = Monitor(0)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<200 {
                    // The lock makes one line certainly earlier than the next.
                    last.update { last in
                        last += 1
                        log.write(Array("\(last)\n".utf8))
                    }
                }
            }
            log.finish(within: .seconds(120))
            close(ends[1])
            let bytes = try #require(
                try FileHandle(fileDescriptor: ends[0]).readToEnd())
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            #expect(lines.map { Int($0) } == (1...1_600).map { $0 })
        }

        @Test func linesBeyondTheBufferAreCounted() throws {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe pipe(&ends) == 0)
            defer { close(ends[0]) }
            // 1 during the first pause, 2 after it.
            let step = Monitor(0)
            let log = LogOutput(descriptor: ends[1]) {
                step.update { $0 = max($0, 1) }
                _ = step.wait { $0 == 2 ? true : nil }
            }
            log.write(Array("{}\n".utf8))
            _ = step.wait { $0 == 1 ? true : nil }
            // None of them has room.
            let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_577)
            for _ in 0..<3 { log.write(line) }
            log.write(Array("[]\n".utf8))
            step.update { $0 = 2 }
            log.finish(within: .seconds(120))
            close(ends[1])
            let bytes = try #require(
                try FileHandle(fileDescriptor: ends[0]).readToEnd())
            #expect(
                String(decoding: bytes, as: UTF8.self)
                    == "{}\n[]\n{\"event\":\"log_left_out\",\"lines\":3}\n")
        }
    }
#endif
