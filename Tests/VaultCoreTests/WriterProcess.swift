import Foundation
import SecureStorage
import TestSupport
import Testing
import VaultSealing
import VaultStorage

@testable import VaultCore

/// The process `Tests/VaultWriter`, which writes to a vault until it is ended.
struct WriterProcess {
    let process: Process
    private let output: FileHandle

    /// Starts it, beneath another program if `tracer` names one.
    init(_ arguments: [String], _ code: String, beneath tracer: [String] = []) throws {
        let words = tracer + [BuiltExecutable.path(of: "VaultWriter")] + arguments
        process = Process()
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data((code + "\n").utf8))
        try input.fileHandleForWriting.close()
        try output.fileHandleForWriting.close()
        self.output = output.fileHandleForReading
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
}

/// A vault file for the writer, which opens it with the recovery code.
struct WriterVault {
    let path: String
    let code: String

    init(at path: String) throws {
        self.path = path
        let storage = try SQLiteRecordStorage.create(at: path)
        defer { storage.close() }
        code = try String(
            decoding: Samples.bytes(TestVault.create(in: storage).text()), as: UTF8.self)
    }

    /// Opens the vault.
    func withVault<Value>(_ body: (UnlockedVault) throws -> Value) throws -> Value {
        let storage = try SQLiteRecordStorage.open(at: path, mode: .readWrite)
        defer { storage.close() }
        let proof = VaultSecret.recoveryCode(try RecoveryCode(typed: Samples.secret(code)))
        return try body(LockedVault(storage, TestVault.environment()).unlock(with: proof))
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
