import Foundation
import SecureStorage
import SignIn
import Synchronization
import Testing
import TestSupport

@Suite("The state of a machine")
struct MachineStateTests {
    private static let flock = "/usr/bin/flock"

    private func name(_ state: MachineState) throws -> String {
        try state.exclusively { machine in machine.text }
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("has a permanent name, in a folder for its owner only")
    func kept() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/deep/state"
            let first = try name(MachineState(folder: path))
            #expect(MachineID(first) != nil)
            #expect(try name(MachineState(folder: path)) == first)
            #expect(try mode(folder + "/deep") == 0o700)
            #expect(try mode(path) == 0o700)
            #expect(try mode(path + "/machine") == 0o600)
            #expect(try mode(path + "/lock") == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
            #expect(try name(MachineState(folder: folder + "/other")) != first)
        }
    }

    @Test(
        "has a new name if the file is damaged",
        arguments: [
            "", "0123", String(repeating: "g", count: 32), String(repeating: "A", count: 32),
            String(repeating: "0", count: 33),
        ])
    func damaged(content: String) throws {
        try withTemporaryFolder { folder in
            let state = MachineState(folder: folder)
            let first = try name(state)
            try Data(content.utf8).write(to: URL(filePath: folder + "/machine"))
            // From an interrupted process.
            try Data("half".utf8).write(to: URL(filePath: folder + "/machine.new"))
            let second = try name(state)
            #expect(second != first && MachineID(second) != nil)
            #expect(try name(state) == second)
        }
    }

    @Test("does not follow a symbolic link", arguments: ["lock", "machine", ""])
    func links(file: String) throws {
        try withTemporaryFolder { folder in
            let state = folder + "/state"
            try FileManager.default.createDirectory(
                atPath: folder + "/real", withIntermediateDirectories: false)
            try Data(String(repeating: "0", count: 32).utf8).write(
                to: URL(filePath: folder + "/target"))
            if file.isEmpty {
                try FileManager.default.createSymbolicLink(
                    atPath: state, withDestinationPath: folder + "/real")
            } else {
                try FileManager.default.createDirectory(
                    atPath: state, withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: state + "/" + file, withDestinationPath: folder + "/target")
            }
            let error = #expect(throws: SignInError.self) { try name(MachineState(folder: state)) }
            guard case .system(call: "open", path: state, _) = error else {
                Issue.record(
                    "the link was followed, or another error: \(String(describing: error))")
                return
            }
        }
    }

    @Test("fails if the folder cannot be made")
    func noFolder() throws {
        try withTemporaryFolder { folder in
            try Data().write(to: URL(filePath: folder + "/file"))
            let path = folder + "/file/state"
            #expect(throws: SignInError.system(call: "mkdir", path: path, code: ENOTDIR)) {
                try name(MachineState(folder: path))
            }
        }
    }

    @Test(
        "waits for another process, at most for the given time",
        .enabled(if: FileManager.default.isExecutableFile(atPath: flock), "needs flock"))
    func otherProcess() throws {
        try withTemporaryFolder { folder in
            _ = try name(MachineState(folder: folder))
            let process = Process()
            process.executableURL = URL(filePath: Self.flock)
            process.arguments = [folder + "/lock", "/bin/sh", "-c", "echo ready; read line"]
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
            #expect(throws: SignInError.busy) {
                try name(MachineState(folder: folder, lockTimeout: .milliseconds(30)))
            }
            try input.fileHandleForWriting.close()
            // Waits for the end of the other process.
            _ = try name(MachineState(folder: folder))
            process.waitUntilExit()
        }
    }

    @Test("admits one thread at a time")
    func threads() async throws {
        try await withTemporaryFolder { folder in
            let present = Atomic(0)
            let names = Mutex<Set<String>>([])
            await onThreads(4) { _ in
                for _ in 0..<20 {
                    do {
                        try MachineState(folder: folder).exclusively { machine in
                            let before = present.add(1, ordering: .relaxed).oldValue
                            #expect(before == 0)
                            names.withLock { _ = $0.insert(machine.text) }
                            giveWay()
                            present.subtract(1, ordering: .relaxed)
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            #expect(names.withLock { $0.count } == 1)
        }
    }

    @Test("is released after an error")
    func thrown() throws {
        try withTemporaryFolder { folder in
            // With patience, because a process of another test may briefly inherit the descriptor and its lock.
            let state = MachineState(folder: folder)
            #expect(throws: SecureStoreError.locked) {
                try state.exclusively { _ in throw SecureStoreError.locked }
            }
            _ = try name(state)
        }
    }
}
