internal import Platform

/// A connection to a server on 127.0.0.1 that is kept alive; blocking.
final class HTTPConnection {
    let descriptor: Int32
    private var answer = HTTPAnswerBuffer()

    /// Connects. An answer is waited for a minute at most.
    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchmarkFailure("no socket: \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: address) { address in
            unsafe connect(
                descriptor,
                UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        guard code == 0 else { throw BenchmarkFailure("cannot connect: \(errno)") }
        var time = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for the answer.
    func ask(_ request: [UInt8]) throws -> HTTPAnswerBuffer {
        try send(request)
        while !answer.isComplete {
            guard try receive() else { throw BenchmarkFailure("no answer") }
        }
        return answer
    }

    /// Sends a request.
    func send(_ request: [UInt8]) throws {
        answer = HTTPAnswerBuffer()
        guard
            unsafe Platform.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
                == request.count
        else { throw BenchmarkFailure("cannot send: \(errno)") }
    }

    /// Takes a piece of the answer; false if the connection ended.
    func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        answer.append(buffer[..<count])
        return true
    }

    /// The answer, once it is complete.
    var complete: HTTPAnswerBuffer? { answer.isComplete ? answer : nil }
}
