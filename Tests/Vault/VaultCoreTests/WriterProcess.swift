import Foundation
import Sealing
import Testing
import TestSupport
import VaultCore
import VaultStorage

/// A run of `TestTools write` on a vault file, unlocked by its recovery code.
struct WriterProcess {
    let process = Process()
    /// Its output, unless that goes to a file.
    let output: FileHandle

    /// Starts it.
    ///
    /// - Parameters:
    ///   - arguments: See `TestTools write`.
    ///   - code: The recovery code.
    ///   - file: A file for what it prints, for those who do not read along.
    ///   - tracer: The path and the arguments of a program that runs it, if any.
    /// - Throws: What the system says if it cannot be started.
    init(
        _ arguments: [String], _ code: String, printingTo file: String? = nil,
        beneath tracer: [String] = []
    ) throws {
        let words = tracer + [BuiltExecutable.path(of: "TestTools"), "write"] + arguments
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        self.output = output.fileHandleForReading
        if let file {
            _ = FileManager.default.createFile(atPath: file, contents: nil)
            process.standardOutput = try FileHandle(forWritingTo: URL(filePath: file))
        }
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data((code + "\n").utf8))
        try input.fileHandleForWriting.close()
        try output.fileHandleForWriting.close()
    }

    /// Lets it run for so many acknowledgements and then for a moment inside the next step, sends it a signal, and lets `body` look.
    /// Then it is killed.
    ///
    /// - Returns: How many steps are acknowledged, or nil if it was stopped before the first.
    func end(
        after acknowledgements: Int, delay: UInt64, with number: Int32,
        _ body: () throws -> Void = {}
    ) throws -> Int? {
        var printed = Data()
        while printed.count(where: { $0 == 0x0A }) < acknowledgements {
            let more = output.availableData
            if more.isEmpty { break }
            printed += more
        }
        // Long enough for some of its system calls, and never the same.
        var spin = delay
        while spin > 0 { spin = spin &- 1 }
        kill(process.processIdentifier, number)
        let result = Result { try body() }
        kill(process.processIdentifier, SIGKILL)
        printed += try output.readToEnd() ?? Data()
        process.waitUntilExit()
        try result.get()
        let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
        return try lines.last.map { try #require(Int($0)) + 1 }
    }

    /// All that it prints until it ends, line by line.
    func lines() throws -> [String] {
        let printed = try output.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Makes a vault file.
    ///
    /// - Returns: Its recovery code.
    /// - Throws: What the vault throws.
    static func makeVault(at path: String) throws -> String {
        let storage = try VaultDatabase.createFile(at: path)
        defer { storage.close() }
        let code = try TestVault.create(in: storage).text()
        return String(decoding: Samples.bytes(code), as: UTF8.self)
    }

    /// Unlocks it, as the other process does.
    static func unlock(
        _ storage: any RecordStorage, _ code: String,
        _ environment: VaultEnvironment = TestVault.environment()
    ) throws -> UnlockedVault {
        let proof = VaultSecret.recoveryCode(try RecoveryCode(typed: Samples.secret(code)))
        return try LockedVault(storage, environment).unlock(with: proof)
    }
}

/// A vault file for the writer, which opens it with the recovery code.
struct WriterVault {
    let path: String
    let code: String

    init(at path: String) throws {
        self.path = path
        code = try WriterProcess.makeVault(at: path)
    }

    /// Opens the vault.
    func withVault<Value>(_ body: (UnlockedVault) throws -> Value) throws -> Value {
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        defer { storage.close() }
        return try body(WriterProcess.unlock(storage, code))
    }

    /// As ``steps(acknowledged:isChecked:)``, of changes of files; what a killed writer left of others is swept later.
    func fileSteps(acknowledged: Int) throws -> Int? {
        try withVault { vault in
            #expect(try vault.check().problems.isEmpty)
            let found = try TestFiles.contents(of: vault)
            return [acknowledged, acknowledged + 1].first { found == FileSteps.model(after: $0) }
        }
    }

    /// How many whole steps the vault has: those that are acknowledged or one more; nil for anything else.
    func steps(acknowledged: Int, isChecked: Bool) throws -> Int? {
        try withVault { vault in
            if isChecked { #expect(try vault.check().problems.isEmpty) }
            let found = try WriterSteps.contents(of: vault)
            return try [acknowledged, acknowledged + 1].first {
                try found == WriterSteps.model(after: $0)
            }
        }
    }
}
