import Foundation
import Platform
import Synchronization
@testable import VaultAgent
import VaultStorage

/// A listener at an agent's socket that a test controls.
final class FakeAgent: Sendable {
    private let listener: Int32
    private let path: String
    private let bytes = Mutex<[UInt8]>([])

    /// Listens, and gives each client to `serve`, one after the other, with a function that notes received bytes.
    init(
        at place: AgentPlace,
        _ serve: @escaping @Sendable (RawClient, ([UInt8]) -> Void) -> Void
    ) throws {
        path = place.socket.path
        listener = try Self.listen(at: path)
        Thread.detachNewThread { [self] in
            while true {
                var request = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&request, 1, -1) > 0 else { return }
                let descriptor = platform_accept(listener)
                guard descriptor >= 0 else { return }
                serve(RawClient(descriptor: descriptor)) { received in
                    bytes.withLock { $0 += received }
                }
            }
        }
    }

    /// A listening socket.
    static func listen(at path: String) throws -> Int32 {
        let descriptor = unsafe platform_listen(path, 16)
        guard descriptor >= 0 else { throw RawClient.Failure(code: errno) }
        return descriptor
    }

    /// Everything that clients sent.
    var received: [UInt8] { bytes.withLock { $0 } }

    /// Stops listening.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unsafe unlink(path)
    }

    /// Answers a hello.
    static func greet(
        _ client: RawClient, version: UInt32 = AgentProtocol.version,
        _ note: ([UInt8]) -> Void
    ) {
        note(client.payload() ?? [])
        let hello = HelloAnswer(
            protocolVersion: version, programVersion: "9.9",
            vaultID: [UInt8](repeating: 7, count: 16))
        client.send(payload: hello.head)
    }
}
