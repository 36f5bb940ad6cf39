internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage

/// The bytes of a log of reads (`Docs/Format.md`, section 13).
enum ReadLogFile {
    static let headerSize = 24
    /// The largest record, in bytes: one read fits many times.
    static let largestRecord = 1_048_576
    /// How many bytes of reads a record gets before it ends.
    static let usualRecord = 65_536
    /// The number of lost reads that says that the file lacks records before.
    static let cutMark = UInt32.max
    /// The size of what a segment begins with: key, id, chain.
    static let beginSize = 32 + 16 + 32

    enum Kind: UInt8 {
        case begin = 1
        case reads = 2
    }

    static func header(_ vaultID: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: headerSize)
        writer.magic("TVLG")
        writer.integer(UInt32(2))
        writer.raw(vaultID)
        return writer.bytes
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

    /// The value of the vault's item `head`: the size of the file, and its chain.
    static func head(size: Int, chain: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: 40)
        writer.integer(UInt64(size))
        writer.raw(chain)
        return writer.bytes
    }

    /// Walks over the records; a part of one at the end is left out.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - vaultID: The vault's id.
    ///   - head: A head; empty for none.
    ///   - visit: Gets the place of a record, its kind and body, and the chain before it.
    /// - Returns: The size up to the end of the last whole record, the chain there, and whether the head is that of a place on the way; nil
    ///   for a file of another kind.
    static func walk(
        _ bytes: [UInt8], _ vaultID: [UInt8], until head: [UInt8] = [],
        _ visit: (Int, UInt8, [UInt8], [UInt8]) throws -> Void = { _, _, _, _ in }
    ) rethrows -> (size: Int, chain: [UInt8], isHeadFound: Bool)? {
        let header = header(vaultID)
        guard bytes.starts(with: header) else { return nil }
        var chain = chain(header: header)
        var offset = headerSize
        var number = 0
        var isHeadFound = head.isEmpty
        while true {
            isHeadFound = isHeadFound || head == Self.head(size: offset, chain: chain)
            guard bytes.count - offset >= 5 else { break }
            let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            guard (1...largestRecord).contains(size) else { return nil }
            guard bytes.count - offset - 4 >= size else { break }
            let end = offset + 4 + size
            try visit(number, bytes[offset + 4], Array(bytes[(offset + 5)..<end]), chain)
            chain = Self.chain(chain, bytes[offset..<end])
            offset = end
            number += 1
        }
        return (offset, chain, isHeadFound)
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
