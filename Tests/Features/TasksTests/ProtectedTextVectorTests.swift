import SecretMemory
import SecureStorage
import Tasks
import Testing
import TestSupport

/// The vectors that were made from `Docs/Format.md` by a program of its own.
@Suite("The vectors of protected text")
struct ProtectedTextVectorTests {
    @Test("exist")
    func complete() {
        #expect(ProtectedTextVector.all.count(where: \.isValid) >= 8)
        #expect(ProtectedTextVector.all.count(where: { !$0.isValid }) >= 60)
    }

    @Test(
        "have the documented meaning, and are written as they were read",
        arguments: ProtectedTextVector.all.filter(\.isValid))
    func valid(vector: ProtectedTextVector) throws {
        let text = try #require(Self.decode(vector.value))
        #expect(Array(text.name.utf8) == vector.name)
        #expect(Array(text.notes.utf8) == vector.notes)
        #expect(Array(text.further.utf8) == vector.further)
        #expect(text.subtasks.map(ProtectedTextVector.line) == vector.subtasks)
        #expect(try Self.encode(text) == vector.value)
    }

    @Test(
        "with invalid text are refused", arguments: ProtectedTextVector.all.filter { !$0.isValid })
    func refused(vector: ProtectedTextVector) {
        #expect(Self.decode(vector.value) == nil)
    }

    @Test("are refused or written as they were read after any change")
    func mutated() throws {
        var generator = SeededGenerator(seed: 0x5EED)
        var accepted = 0
        let vectors = ProtectedTextVector.all.filter { $0.isValid && $0.value.count < 400 }
        for _ in 0..<60_000 {
            var bytes = try #require(vectors.randomElement(using: &generator)).value
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[place] = [0, 1, 2, 0x7F, 0xFF].randomElement(using: &generator) ?? 0
                case 2: bytes.insert(bytes[place], at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let text = Self.decode(bytes) else { continue }
            accepted += 1
            let written = try Self.encode(text)
            if written != bytes {
                Issue.record("\(bytes) was written as \(written)")
                return
            }
        }
        #expect(accepted > 2_000, "only \(accepted) were read at all")
    }

    @Test("have the documented limits also if the text is too large for a file")
    func largest() throws {
        let notes = String(repeating: "n", count: 262_144)
        let text = TaskText(name: "n", notes: notes)
        #expect(try Self.decode(Self.encode(text)) == text)
        #expect(try Self.decode(Self.encode(TaskText(name: "n", notes: notes + "n"))) == nil)
        // The notes take what the subtasks leave, to the byte.
        let subtasks = (0..<192).map {
            TodoSubtask(id: TaskSamples.id($0), name: String(repeating: "s", count: 4_096))
        }
        let rest = 1_048_576 - 20 - 1 - subtasks.count * (4 + 6 + 4 + 4_096)
        var full = TaskText(
            name: "n", notes: String(repeating: "n", count: rest), subtasks: subtasks)
        #expect(try Self.encode(full).count == 1_048_576)
        #expect(try Self.decode(Self.encode(full)) == full)
        full.notes += "n"
        #expect(try Self.decode(Self.encode(full)) == nil)
    }

    @Test("are stored in the vault under the documented name")
    func name() throws {
        let textID = try #require(ProtectedTextID("k7m2qx.03fz81wc"))
        #expect(
            ProtectedText.name(of: textID)
                == (try SecretName(service: "taskvault.task", account: "k7m2qx.03fz81wc")))
        for text in ["k7m2qx", "k7m2qx.", "K7M2QX.03fz81wc", "k7m2qx.03fz81wo", "k7m2qx-03fz81wc"] {
            #expect(ProtectedTextID(text) == nil, "\(text)")
        }
    }

    private static func decode(_ bytes: [UInt8]) -> TaskText? {
        ProtectedText.decode(unsafe bytes.span.bytes)
    }

    private static func encode(_ text: TaskText) throws -> [UInt8] {
        try ProtectedText.encode(text).withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
    }
}
