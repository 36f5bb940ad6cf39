import Foundation
import TestSupport
import VaultCore
import VaultSealing
import VaultStorage

/// A run of `VaultWriter` on a vault file, unlocked by its recovery code.
struct WriterProcess {
    let process = Process()
    /// What it prints, unless that goes to a file.
    let output: FileHandle

    /// Starts it.
    ///
    /// - Parameters:
    ///   - arguments: See `VaultWriter`.
    ///   - code: The recovery code.
    ///   - file: A file for what it prints, for those who do not read along.
    /// - Throws: What the system says if it cannot be started.
    init(_ arguments: [String], _ code: String, printingTo file: String? = nil) throws {
        process.executableURL = URL(filePath: BuiltExecutable.path(of: "VaultWriter"))
        process.arguments = arguments
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

    /// Makes a vault file.
    ///
    /// - Returns: Its recovery code.
    /// - Throws: What the vault throws.
    static func makeVault(at path: String) throws -> String {
        let storage = try SQLiteRecordStorage.create(at: path)
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
