internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage

/// The bytes of a log of reads (`Docs/Format.md`, section 13).
enum ReadLogFile {
    static let headerSize = 24
    /// The largest record, in bytes; it holds many reads.
    static let largestRecord = 1_048_576
    /// The size at which a record ends, in bytes.
    static let usualRecord = 65_536
    /// A value of the field *lost*: earlier records are missing.
    static let cutSentinel = UInt32.max
    /// A value of the field *lost*: the file ends here, and has a successor.
    static let endSentinel = UInt32.max - 1
    /// The size of a segment's beginning: key, id, chain.
    static let beginSize = 32 + 16 + 32

    enum Kind: UInt8 {
        case begin = 1
        case reads = 2
        case former = 3
    }

    static func header(_ vaultID: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: headerSize)
        writer.magic("TVLG")
        writer.integer(UInt32(2))
        writer.raw(vaultID)
        return writer.bytes
    }

    /// The beginning of a file: the header, and the head at the end of a former file.
    static func beginning(_ vaultID: [UInt8], after former: [UInt8]) -> [UInt8] {
        header(vaultID) + (former.isEmpty ? [] : record(.former, former))
    }

    static func record(_ kind: Kind, _ body: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: body.count + 5)
        writer.integer(UInt32(body.count + 1))
        writer.integer(kind.rawValue)
        writer.raw(body)
        return writer.bytes
    }

    /// The chain of a file that has only its header.
    static func chain(header: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 32) { input in
            input.feed("TVRC")
            input.feed(header)
        }
    }

    /// The chain after one more record.
    static func chain(_ previous: [UInt8], _ record: some Collection<UInt8>) -> [UInt8] {
        Blake2b.hash(size: 32) { input in
            input.feed("TVRC")
            input.feed(previous)
            input.feed(Array(record))
        }
    }

    /// The size of a head.
    static let headSize = 8 + 32

    /// The value of the vault's item `head`: the size of this file and all former ones, and the chain.
    static func head(size: UInt64, chain: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: headSize)
        writer.integer(size)
        writer.raw(chain)
        return writer.bytes
    }

    /// The size that a head states; `UInt64.max` for bytes that are no head.
    static func size(of head: [UInt8]) -> UInt64 {
        guard head.count == headSize else { return .max }
        return (0..<8).reduce(0) { $0 | UInt64(head[$1]) << (8 * $1) }
    }

    /// The end of a walk over a file.
    struct End {
        /// The head at the end of the former file; empty if no file came before.
        fileprivate(set) var former: [UInt8] = []
        /// The size of all former files.
        fileprivate(set) var start: UInt64 = 0
        /// The size up to the end of the last whole record.
        private(set) var size = headerSize
        /// The chain at this position.
        private(set) var chain: [UInt8]
        /// Whether the walk passed the position of the given head.
        fileprivate(set) var isHeadFound = false

        /// The last 16 bytes before this position, which are random after a sealed record.
        private(set) var tail: [UInt8]

        fileprivate init(header: [UInt8]) {
            chain = ReadLogFile.chain(header: header)
            tail = header.suffix(16)
        }

        /// The head at this position.
        var head: [UInt8] { ReadLogFile.head(size: start &+ UInt64(size), chain: chain) }

        /// Whether this file explains a head: the walk found it, or its position is before this file
        /// (`Docs/Format.md`, section 13).
        func hasPassed(_ head: [UInt8]) -> Bool {
            isHeadFound || ReadLogFile.size(of: head) < start
        }

        /// Includes one more record.
        mutating func add(_ record: some Collection<UInt8>) {
            chain = ReadLogFile.chain(chain, record)
            size += record.count
            tail = record.suffix(16)
        }
    }

    /// Visits each record in order. A partial record at the end is skipped.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - vaultID: The vault's id.
    ///   - head: The head to look for, which sets `isHeadFound`; empty to look for none.
    ///   - visit: Receives the index of a record, its kind, its body, and the chain before it.
    /// - Returns: The end of the walk; nil if the header is another's, or the size of a record or its link to the former file is
    ///   invalid.
    static func walk(
        _ bytes: [UInt8], _ vaultID: [UInt8], until head: [UInt8] = [],
        _ visit: (Int, UInt8, [UInt8], [UInt8]) throws -> Void = { _, _, _, _ in }
    ) rethrows -> End? {
        let header = header(vaultID)
        guard bytes.starts(with: header) else { return nil }
        var end = End(header: header)
        end.isHeadFound = head.isEmpty
        var number = 0
        while true {
            end.isHeadFound = end.isHeadFound || head == end.head
            let offset = end.size
            guard bytes.count - offset >= 5 else { break }
            let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            guard (1...largestRecord).contains(size) else { return nil }
            guard bytes.count - offset - 4 >= size else { break }
            let next = offset + 4 + size
            let (kind, body) = (bytes[offset + 4], Array(bytes[(offset + 5)..<next]))
            if number == 0, kind == Kind.former.rawValue {
                guard body.count == headSize else { return nil }
                (end.former, end.start) = (body, Self.size(of: body))
                end.isHeadFound = end.isHeadFound || head == body
            }
            try visit(number, kind, body, end.chain)
            end.add(bytes[offset..<next])
            number += 1
        }
        return end
    }

    static func context(_ vaultID: [UInt8], _ segment: [UInt8], _ number: UInt64) -> SealContext {
        SealContext(.read, vaultID: vaultID, id: segment, revision: number)
    }
}

extension ByteWriter {
    /// A read: i64 time ‖ u32 process ‖ text program ‖ text parent ‖ name.
    mutating func read(_ read: LoggedRead) {
        integer(read.time)
        integer(read.reader.process)
        for text in [
            read.reader.program, read.reader.parent, read.name.service, read.name.account,
            read.name.field,
        ] { self.text(text) }
    }
}

extension ByteReader {
    mutating func read() -> LoggedRead? {
        guard let time = integer(Int64.self), let process = integer(UInt32.self),
            let program = text(), let parent = text(), let service = text(),
            let account = text(), let field = text(),
            let name = try? SecretName(service: service, account: account, field: field)
        else { return nil }
        return LoggedRead(
            time: time,
            reader: ReadingProgram(process: process, program: program, parent: parent),
            name: name)
    }
}
