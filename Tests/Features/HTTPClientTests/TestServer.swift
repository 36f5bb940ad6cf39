import Foundation
import Platform
import Synchronization

/// A server whose every connection is answered by a function, byte by byte.
final class TestServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let accepted = Mutex<[TestConnection]>([])
    private let ended = DispatchSemaphore(value: 0)

    /// Listens on 127.0.0.1; `answer` runs on a thread of its own for each connection.
    init(_ answer: @escaping @Sendable (TestConnection) -> Void) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // No descriptor may get into the programs that other tests start meanwhile.
        listener = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            let address = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(
                to: sockaddr.self)
            let listener = unsafe platform_listen_at(address, size, 16)
            return unsafe getsockname(listener, address, &size) == 0 ? listener : -1
        }
        guard listener >= 0, fcntl(listener, F_SETFL, 0) == 0 else { throw TestServerError() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = platform_accept(listener)
                guard descriptor >= 0, fcntl(descriptor, F_SETFL, 0) == 0 else { break }
                let connection = TestConnection(descriptor)
                accepted.withLock { $0.append(connection) }
                Thread.detachNewThread {
                    answer(connection)
                    connection.close()
                    connection.finish()
                }
            }
            ended.signal()
        }
    }

    /// Answers every request with the same bytes, and ends the connection.
    convenience init(answering bytes: String) throws {
        try self.init { connection in
            _ = connection.request()
            connection.send(bytes)
        }
    }

    /// The number of connections.
    var connections: Int { accepted.withLock { $0.count } }

    /// All received bytes.
    var received: [String] { accepted.withLock { $0.map(\.received) } }

    /// Waits until the functions of all connections have returned.
    func wait() {
        while accepted.withLock({ connections in connections.contains { !$0.isDone } }) {
            usleep(1_000)
        }
    }

    /// Accepts no more connections.
    func stopListening() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Stops listening, and ends all connections.
    func stop() {
        stopListening()
        ended.wait()
        close(listener)
        for connection in accepted.withLock({ $0 }) { connection.close() }
    }
}

/// No socket was available.
struct TestServerError: Error {}
