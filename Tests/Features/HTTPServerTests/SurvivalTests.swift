import Foundation
import HTTPServer
import Platform
import Testing
import TestSupport

@Suite("Survival")
struct SurvivalTests {
    @Test(
        "A client that disconnects during an answer ends its connection, not the process",
        .endsProcess)
    func brokenPipe() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let handler = TestHandler { _ in
                .now(HTTPResponse(status: 200, body: [UInt8](repeating: 0x63, count: 8_000_000)))
            }
            let server = try HTTPServer(HTTPServerOptions(), handler)
            for _ in 0..<20 {
                let client = try TestClient(port: server.port, receiveBuffer: 4_096)
                client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
                _ = client.receive(atMost: 1)
                client.reset()
            }
            try #require(until { handler.notes.count >= 20 })
            try #require(handler.notes.allSatisfy { $0.status == nil })
            server.stop(within: .seconds(120))
        }
    }

    @Test("A server without descriptors waits, and continues when some are free", .endsProcess)
    func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            try #require(unsafe setrlimit(numberOfFiles, &limit) == 0)
            let server = try HTTPServer(HTTPServerOptions(timeout: .zero), TestHandler())
            let first = try TestClient(port: server.port)
            try #require(first.get("/")?.status == 200)
            var clients = try (0..<30).map { _ in try TestClient(port: server.port) }
            try #require(until { server.counters.connections >= 31 })
            // Nothing is left for the server to accept with.
            let late = try TestClient()
            var used: [Int32] = []
            for _ in 0..<20 {
                // Others in this process may give some back that they had for a moment.
                while case let copy = dup(late.descriptor), copy >= 0 { used.append(copy) }
                pause(milliseconds: 5)
            }
            try late.connect(port: server.port)
            late.send("GET /late HTTP/1.1\r\nHost: t\r\n\r\n")
            for _ in 0..<20 {
                try #require(first.get("/")?.status == 200)
                pause(milliseconds: 5)
            }
            try #require(server.counters.connections == 31)
            clients.removeAll()
            for descriptor in used { close(descriptor) }
            try #require(late.response()?.content == "GET /late - ")
            server.stop(within: .seconds(120))
        }
    }

    @Test("A child process inherits no descriptors", .endsProcess)
    func inheritance() async throws {
        await #expect(processExitsWith: .success) {
            let before = openDescriptors()
            let server = try HTTPServer(HTTPServerOptions(), TestHandler())
            let client = try TestClient(port: server.port)
            try #require(client.get("/")?.status == 200)
            let after = openDescriptors().subtracting(before).subtracting([client.descriptor])
            // The listener, the connection, the wake-up pipe, and the library's polling descriptors.
            try #require(after.count >= 6)
            try #require(after.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
            server.stop(within: .zero)
            client.close()
        }
    }
}

private func openDescriptors() -> Set<Int32> {
    Set((0..<1_024).filter { fcntl($0, F_GETFD) >= 0 })
}

#if os(Linux)
    private var numberOfFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
#else
    private var numberOfFiles: Int32 { RLIMIT_NOFILE }
#endif
