import Foundation
import Platform
import Synchronization

/// A server in the clear that answers each request as it is told.
final class AnsweringServer: Sendable {
    /// Where clients connect.
    let port: UInt16
    private let listener: Int32
    private let asked = Mutex<[String]>([])

    /// Listens.
    ///
    /// - Parameter answer: Gets a request's name, and returns the status with further fields, and the content.
    /// - Throws: What the system refused.
    init(_ answer: @escaping @Sendable (String) -> (head: String, content: String)) throws {
        (listener, port) = try Relay.makeListener()
        Thread { [listener, weak self] in
            while true {
                let client = accept(listener, nil, nil)
                // What a socket that was shut down says.
                if client < 0, errno == EINVAL { break }
                guard client >= 0 else { continue }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                while let request = HTTPMessage.read(from: client) {
                    self?.asked.withLock { $0.append(request.name) }
                    let (head, content) = answer(request.name)
                    let text =
                        "HTTP/1.1 \(head)\r\nContent-Type: application/json\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
                    guard HTTPMessage.write(Array(text.utf8), to: client) else { break }
                }
                close(client)
            }
            close(listener)
        }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The requests that it got.
    var requests: [String] { asked.withLock { $0 } }
}
