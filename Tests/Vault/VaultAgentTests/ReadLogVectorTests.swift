import SecretMemory
import Testing
import TestSupport
@testable import VaultAgent

/// A file of `Tests/Vectors/Reads`.
struct ReadLogVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private(set) var isValid = false
    private(set) var means = ""
    private(set) var vaultID: [UInt8] = []
    private(set) var key: [UInt8] = []
    private(set) var head: [UInt8]?
    private(set) var log: [UInt8] = []
    private(set) var former: [UInt8]?

    static let all = TestVectors.all(in: "Reads") { try ReadLogVector($0, $1) }

    private init(_ name: String, _ text: String) throws {
        testDescription = name
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "comment": break
            case "expect": isValid = parts[1] == "valid"
            case "means": means = parts[1]
            case "vault": vaultID = try TestVectors.bytes(parts[1])
            case "key": key = try TestVectors.bytes(parts[1])
            case "former": former = try TestVectors.bytes(parts[1])
            case "head": head = parts[1] == "-" ? nil : try TestVectors.bytes(parts[1])
            default:
                try #require(parts[0] == "log")
                log = try TestVectors.bytes(parts[1])
            }
        }
    }
}

/// The vectors that were made from `Docs/Format.md` by a program of its own.
@Suite("The vectors of the log of reads")
struct ReadLogVectorTests {
    @Test("are read, or refused", arguments: ReadLogVector.all)
    func vector(vector: ReadLogVector) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/log"
            try LockedLog(path).append(vector.log, at: 0)
            if let former = vector.former {
                try LockedLog(ReadLogPlace.former(path)).append(former, at: 0)
            }
            func content() throws -> ReadLogContent {
                try ReadLogContent(
                    path, of: vector.vaultID,
                    secretKey: SecretBytes(copying: unsafe vector.key.span.bytes),
                    head: vector.head)
            }
            guard vector.isValid else {
                #expect(throws: ReadLogError.self) { _ = try content() }
                return
            }
            let found = try content()
            let names = found.reads.map { "\($0.name.service) \($0.name.account)" }
            let fields = [
                "\(found.lost)", found.isCut ? "cut" : "", names.joined(separator: ", "),
            ].filter { !$0.isEmpty }
            #expect(fields.joined(separator: " ") == vector.means)
            if let read = found.reads.first {
                #expect(read.time == 1_790_000_000_000)
                #expect(
                    read.reader == ReadingProgram(process: 77, program: "git", parent: "make"))
            }
        }
    }

    @Test("are there")
    func complete() {
        #expect(ReadLogVector.all.count > 25)
        let valid = ReadLogVector.all.filter(\.isValid)
        #expect(!valid.isEmpty)
    }
}
