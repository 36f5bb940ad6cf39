import Foundation
import Platform
import Synchronization
import Testing

/// How a command gets at the vault.
enum Access: String, Sendable, CaseIterable {
    case agent, noAgent
}

extension TestHome {
    /// A home with an unlocked vault and a folder for files.
    static func forFiles() throws -> TestHome {
        let home = try TestHome()
        try home.unlock()
        return home
    }

    /// Runs a command about files.
    @discardableResult
    func file(
        _ words: String..., input: [UInt8] = [], via access: Access = .agent
    ) throws -> RunResult {
        let arguments = ["file"] + words
        return try access == .agent
            ? runBare(arguments, input: input) : run(arguments, input: input)
    }

    /// Runs a command about files that must work.
    @discardableResult
    func doFile(
        _ words: String..., input: [UInt8] = [], via access: Access = .agent,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunResult {
        let arguments = ["file"] + words
        let result =
            try access == .agent
            ? runBare(arguments, input: input) : run(arguments, input: input)
        #expect(
            result.exitCode == 0, "\(words): \(result.errorText)", sourceLocation: sourceLocation)
        return result
    }

    /// Writes a file of this machine.
    ///
    /// - Returns: Its path.
    @discardableResult
    func make(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder + "/" + name
        try Files.write(bytes, to: path)
        return path
    }

    /// The files as `file list --json` shows them.
    func files(
        _ options: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String: Any]] {
        let listed = try runBare(["file", "list", "--json"] + options)
        #expect(listed.exitCode == 0, "\(listed.errorText)", sourceLocation: sourceLocation)
        return try #require(listed.json as? [[String: Any]], sourceLocation: sourceLocation)
    }
}

/// Bytes for files.
enum FileContent {
    /// Some bytes of which no chunk is like another.
    static func bytes(_ size: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for index in 0..<size {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
        return bytes
    }

    /// The beginning of a picture with this size.
    static func png(width: UInt32, height: UInt32) -> [UInt8] {
        func big(_ number: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13) + Array("IHDR".utf8)
            + big(width) + big(height) + [8, 6, 0, 0, 0, 0, 0, 0, 0]
    }
}

/// A flag that threads share.
final class SharedFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}
