import Foundation
import Platform
import TestSupport
import Testing

/// `taskvault app`, which starts `taskvault app --foreground` and leaves it in the background.
@Suite("The command app", .waitsForProcesses, .timeLimit(.minutes(60)))
struct AppCommandTests {
    private func run(_ arguments: [String], home: String) throws -> (Int32, String, String) {
        let process = Process()
        process.executableURL = URL(filePath: BuiltExecutable.path(of: "taskvault"))
        process.arguments = ["--home=" + home] + arguments
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": home,
            "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
        ]
        let pipes = (Pipe(), Pipe())
        for pipe in [pipes.0, pipes.1] {
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipes.0
        process.standardError = pipes.1
        try process.run()
        for pipe in [pipes.0, pipes.1] { try pipe.fileHandleForWriting.close() }
        let output = try pipes.0.fileHandleForReading.readToEnd() ?? Data()
        let errors = try pipes.1.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: output, as: UTF8.self),
            String(decoding: errors, as: UTF8.self)
        )
    }

    /// The processes of the app for a home folder.
    private func apps(home: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let content = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            let words = (content ?? Data()).split(separator: 0).map {
                String(decoding: $0, as: UTF8.self)
            }
            return words.contains("--foreground") && words.contains("--home=" + home)
        }
    }

    @Test func anAddressIsPrintedAndTheAppStays() throws {
        try withTemporaryFolder { home in
            let (code, output, errors) = try run(["app", "--print-url"], home: home)
            // Both ends of the pipes are closed, although the app goes on.
            let running = apps(home: home)
            defer { for process in running { kill(process, SIGKILL) } }
            #expect(code == 0, "\(errors)")
            let address = ##/http://[a-z2-7]{26}\.taskvault\.localhost:\d+/#token=[\w-]{43}\n/##
            #expect(output.wholeMatch(of: address) != nil, "\(output)")
            #expect(running.count == 1)
        }
    }

    @Test func whatCannotBeShownIsRefused() throws {
        try withTemporaryFolder { home in
            let (code, _, errors) = try run(
                ["app", "--print-url", "--item", "secret/a"], home: home)
            #expect(code == 2)
            #expect(errors.hasPrefix("taskvault: error: --item takes inbox/ID or task/ID\n"))
            #expect(apps(home: home).isEmpty)
        }
    }
}
