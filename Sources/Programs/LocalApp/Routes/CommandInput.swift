internal import Platform
internal import SecretMemory
internal import TextCoding

/// The standard input of a command, in guarded memory.
final class CommandInput: Sendable {
    private let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Makes the input of a command: the value of each named member as a line.
    ///
    /// - Throws: ``PageRequestError`` if a member is missing or has a line end; `SecretMemoryError.outOfMemory`.
    convenience init(lines names: [String], of members: Members) throws {
        var parts = CommandInputParts()
        for name in names {
            guard let line = try members.secret(name) else {
                throw PageRequestError("\(name) is missing")
            }
            try parts.add(line: line, name)
        }
        self.init(try parts.take())
    }

    /// Writes the input to a descriptor.
    var writer: @Sendable (Int32) throws -> Void {
        { descriptor in try self.bytes.withBytes { try Descriptor.write($0, to: descriptor) } }
    }
}

/// Collects the standard input of a command.
struct CommandInputParts: ~Copyable {
    private var bytes: SecretBytes?

    /// Appends a text as a line.
    mutating func add(line: borrowing SecretBytes, _ name: String) throws {
        guard line.withBytes({ !$0.contains(0x0A) && !$0.contains(0x0D) }) else {
            throw PageRequestError("\(name) has a line end")
        }
        try add(line)
        try add(try SecretBytes(copying: unsafe [UInt8(0x0A)].span.bytes))
    }

    /// Appends bytes.
    mutating func add(_ more: borrowing SecretBytes) throws {
        let joined =
            switch bytes.take() {
            case .some(let earlier): try earlier.joined(with: more)
            case .none: try more.copy()
            }
        bytes = .some(joined)
    }

    /// Returns the whole input, once.
    mutating func take() throws -> SecretBytes {
        switch bytes.take() {
        case .some(let bytes): bytes
        case .none: try SecretBytes(count: 0)
        }
    }
}
