internal import CMicroHTTPD
internal import Platform
internal import Synchronization

/// The response of a suspended connection, given by another thread. Thread-safe.
///
/// The connection must be resumed exactly once. Until then libmicrohttpd neither notices its end
/// nor closes its descriptor.
final class SuspendedResponse: Sendable {
    private enum State {
        case waiting
        case given(HTTPResponse)
        case abandoned
    }

    /// `@unchecked Sendable`: the pointer is only passed to C functions that any thread may call.
    @safe private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let handle: Handle
    private let descriptor: Int32
    private let state = Mutex<State>(.waiting)

    /// Makes the response of a suspended connection.
    init(connection: OpaquePointer, descriptor: Int32) {
        handle = unsafe Handle(pointer: connection)
        self.descriptor = descriptor
    }

    /// Whether the response is still missing and the client connected.
    var isWanted: Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            return platform_has_ended(descriptor) == 0
        }
    }

    /// The response; nil before it was given.
    var response: HTTPResponse? {
        state.withLock { state in
            guard case .given(let response) = state else { return nil }
            return response
        }
    }

    /// Gives the response, unless it was given or abandoned.
    func give(_ response: HTTPResponse) {
        resume(with: .given(response))
    }

    /// Gives no response, so the connection ends.
    func abandon() {
        resume(with: .abandoned)
    }

    private func resume(with result: sending State) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = result
            unsafe cmicrohttpd_resume(handle.pointer)
        }
    }
}
