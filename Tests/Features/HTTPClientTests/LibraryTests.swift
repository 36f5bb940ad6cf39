import CCurl
import CDeclarationChecks
import Foundation
@testable import HTTPClient
import HTTPServer
import SecretMemory
import Testing
import TestSupport

@Suite("libcurl", .waitsForProcesses)
struct LibraryTests {
    @Test(
        "is declared as in its own header, as the compiler checked",
        .enabled(if: declarations_had_libcurl(), "needs libcurl4-openssl-dev"))
    func header() {
        #expect(declarations_had_libcurl())
    }

    @Test("is not loaded if it is missing, or another library")
    func missing() {
        #expect(CurlLibrary(names: ["libnothing.so.4"]) == nil)
        #expect(CurlLibrary(names: ["libsqlite3.so.0"]) == nil)
        #expect(throws: HTTPClientError.libraryMissing) {
            try HTTPClient(HTTPClientOptions(), nil)
        }
        #expect(HTTPClient.libraryPackage == "libcurl4")
    }

    @Test("has memory that is wiped before it is freed")
    func memory() {
        #expect(curl_memory_left() == 0)
    }

    @Test(
        "is not in the load list of a program that uses it",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ldd"), "needs ldd"))
    func loadList() throws {
        let list = try TestProgram.run(
            "/usr/bin/ldd", [BuiltExecutable.path(of: "TestTools")])
        let text = String(decoding: list.output, as: UTF8.self)
        #expect(text.contains("libsodium"))
        #expect(!text.contains("libcurl") && !text.contains("libssl"), "\(text)")
    }

    @Test(
        "has authorities of the system, to which others can be added",
        .enabled(if: CurlLibrary.shared != nil, "needs libcurl"))
    func authorities() throws {
        let library = try #require(CurlLibrary.shared)
        let found = CurlHandle(library)?.text(CCURLINFO_CAINFO)
        let path = try #require(found)
        #expect(PEMCertificates.contents(of: path)?.isEmpty == false)
    }

    @Test("Loopback addresses are recognised by their bytes")
    func loopback() {
        func isLoopback(_ text: String) -> Bool {
            var four = sockaddr_in()
            var six = sockaddr_in6()
            four.sin_family = sa_family_t(AF_INET)
            six.sin6_family = sa_family_t(AF_INET6)
            if unsafe inet_pton(AF_INET, text, &four.sin_addr) == 1 {
                return unsafe withUnsafePointer(to: &four) {
                    unsafe ccurl_is_loopback(
                        UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                        socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            unsafe inet_pton(AF_INET6, text, &six.sin6_addr)
            return unsafe withUnsafePointer(to: &six) {
                unsafe ccurl_is_loopback(
                    UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                    socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        for text in ["127.0.0.1", "127.255.255.255", "127.0.0.0", "::1"] {
            #expect(isLoopback(text), "\(text)")
        }
        for text in ["126.255.255.255", "128.0.0.0", "0.0.0.0", "::", "::2", "::ffff:127.0.0.1"] {
            #expect(!isLoopback(text), "\(text)")
        }
    }

    @Test("Sockets are not inherited by other programs")
    func descriptors() throws {
        let server = try TestServer { connection in
            while connection.request() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { server.stop() }
        let client = try HTTPClient()
        _ = try client.get("http://127.0.0.1:\(server.port)/")
        var found = 0
        // A process of all tests has thousands of descriptors.
        for descriptor in Int32(3)..<65_536 {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = unsafe withUnsafeMutablePointer(to: &address) {
                unsafe getpeername(
                    descriptor, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                    &size)
            }
            guard code == 0, address.sin_family == sa_family_t(AF_INET),
                UInt16(bigEndian: address.sin_port) == server.port
            else { continue }
            found += 1
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(found == 1)
    }

    @Test("Errors have no content of request or answer", arguments: [true, false])
    func quiet(_ redirecting: Bool) throws {
        let server = try TestServer(
            answering: redirecting
                ? "HTTP/1.1 302 leak1\r\nLocation: https://a.example/leak2?leak3\r\n"
                    + "leak4: leak5\r\nContent-Length: 5\r\n\r\nleak6"
                : "HTTP/1.1 200 leak1\r\nleak4: leak5\r\nContent-Length: 99\r\n\r\nleak6")
        defer { server.stop() }
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPClient().post("http://127.0.0.1:\(server.port)/leak7?leak8", "leak9")
        }
        let text = "\(try #require(error)) \(String(reflecting: try #require(error)))"
        #expect(!text.contains("leak"), "\(text)")
        #expect(error?.mayHaveArrived == true)
    }
}
