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
            let log = LogOutput(descriptor: ends[0])
            let line = Array("{}\n".utf8)
            for _ in 0..<500 {
                log.write(line)
                usleep(100)
            }
            log.finish(within: .seconds(20))
            shutdown(ends[0], Int32(SHUT_WR))
            var writes = 0
            var bytes = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = unsafe recv(ends[1], &buffer, buffer.count, 0), count > 0 {
                writes += 1
                bytes += count
            }
            #expect(bytes == 500 * line.count)
            #expect(writes < 100, "\(writes) writes")
        }
    }
#endif
