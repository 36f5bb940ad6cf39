internal import CommandLine
internal import Platform

/// The auth server of the tour: `taskvault-authd` from the folder of this executable, on this machine only. It ends
/// with the value.
final class TourServer {
    static let program = "taskvault-authd"
    /// Where it can be reached.
    let address: String
    private let process: pid_t
    // As long as somebody could read its log it writes one.
    private let log: ChildPipe

    /// Starts it and waits until it listens; nil where there is no such executable, or it does not come up.
    ///
    /// - Parameters:
    ///   - environment: Its environment variables.
    ///   - folder: Its current folder, in which its database will be.
    ///   - port: A port that ``arguments(port:)`` named.
    /// - Throws: The call of the system that failed.
    init?(
        _ environment: EnvironmentVariables, in folder: String, port: UInt16
    ) throws(SystemFailure) {
        guard FileSystem.exists(try ChildProcess.sibling(Self.program)) else { return nil }
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure("open", code: errno) }
        defer { close(nothing) }
        log = try ChildPipe()
        process = try ChildProcess.spawn(
            Self.program, Self.arguments(port: port), environment,
            ChildProcess.Descriptors(input: nothing, output: nothing, errors: log.writer),
            in: folder)
        log.closeWriter()
        address = "http://127.0.0.1:\(port)"
        guard String(decoding: log.readLine(), as: UTF8.self).contains("\"started\"") else {
            return nil
        }
    }

    /// A database in the tour's folder, whoever wants an account, and passwords that are cheap to guess, so that the tour is quick.
    static func arguments(port: UInt16) -> [String] {
        [
            "serve", "--database", "accounts.db", "--listen", "127.0.0.1:\(port)",
            "--registration", "open", "--password-passes", "2", "--password-memory", "19",
        ]
    }

    /// A port of this machine on which nobody listens. The corresponding C functions are `bind` to port 0 and `getsockname`.
    static func freePort() throws(SystemFailure) -> UInt16 {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        #if os(Linux)
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard socket >= 0 else { throw SystemFailure("socket", code: errno) }
        defer { close(socket) }
        let code = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard let pointer = unsafe pointer, unsafe bind(socket, pointer, size) == 0 else {
                return errno
            }
            return unsafe getsockname(socket, pointer, &size) == 0 ? 0 : errno
        }
        guard code == 0 else { throw SystemFailure("bind", code: code) }
        return UInt16(bigEndian: address.sin_port)
    }

    deinit {
        kill(process, SIGTERM)
        _ = ChildProcess.wait(for: process)
    }
}
