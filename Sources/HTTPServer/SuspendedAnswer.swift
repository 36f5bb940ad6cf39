internal import CMicroHTTPD
internal import Platform
internal import Synchronization

/// An answer that a worker will give, while the library leaves the connection alone.
///
/// The library must be told exactly once to go on, and does not look for the end of the connection until then, nor close its descriptor.
final class SuspendedAnswer: Sendable {
    private enum State {
        case waiting
        case given(HTTPResponse)
        case abandoned
    }

    /// Unchecked, because it is a pointer that is passed to functions of the library that may be called by any thread.
    @safe private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let handle: Handle
    private let descriptor: Int32
    private let state = Mutex<State>(.waiting)

    /// For a connection that is suspended.
    init(connection: OpaquePointer, descriptor: Int32) {
        handle = unsafe Handle(pointer: connection)
        self.descriptor = descriptor
    }

    /// Whether it waits for an answer and its client is there.
    var isWanted: Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            return platform_has_ended(descriptor) == 0
        }
    }

    /// The answer, once it was given.
    var response: HTTPResponse? {
        state.withLock { state in
            guard case .given(let response) = state else { return nil }
            return response
        }
    }

    /// Gives the answer, if it is still waited for.
    func give(_ response: HTTPResponse) {
        goOn(with: .given(response))
    }

    /// There will be no answer: the connection ends.
    func abandon() {
        goOn(with: .abandoned)
    }

    private func goOn(with result: sending State) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = result
            unsafe MHD_resume_connection(handle.pointer)
        }
    }
}
