internal import SecureStorage

/// The end of one device's chain in a snapshot, from which a reader goes on: its state, and the hashes that others may still name.
struct ChainRun: Hashable {
    /// The maximum number of hashes in a run: longer ends are divided.
    static let limit = 16_384

    let device: DeviceID
    /// The number of the first hash.
    let first: UInt64
    let format: UInt32
    let time: Int64
    let seen: VersionVector
    let hashes: [[UInt8]]

    /// The number of the last hash.
    var last: UInt64 { first + UInt64(hashes.count) - 1 }

    /// The size of the encoded run, in bytes.
    var size: Int { 44 + 24 * seen.numbers.count + Head.hashSize * hashes.count }

    /// The hash of a segment; nil if it is not in the run.
    func hash(_ number: UInt64) -> [UInt8]? {
        number >= first && number <= last ? hashes[Int(number - first)] : nil
    }

    /// The canonical bytes of several runs.
    static func bytes(_ runs: [ChainRun]) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(UInt32(runs.count))
        for run in runs {
            writer.dot(Dot(run.device, run.first))
            writer.integer(run.format)
            writer.integer(run.time)
            writer.vector(run.seen)
            writer.integer(UInt32(run.hashes.count))
            for hash in run.hashes { writer.raw(hash) }
        }
        return writer.bytes
    }

    /// The run in pieces of at most ``limit`` hashes.
    var divided: [ChainRun] {
        stride(from: 0, to: hashes.count, by: Self.limit).map { start in
            ChainRun(
                device: device, first: first + UInt64(start), format: format, time: time,
                seen: seen, hashes: Array(hashes[start...].prefix(Self.limit)))
        }
    }
}

extension ChainRun {
    /// Parses canonical bytes; nil for any other input.
    static func runs(_ bytes: [UInt8]) -> [ChainRun]? {
        ByteReader.whole(bytes) { reader in
            reader.list(by: { Dot($0.device, $0.first) }) { ChainRun(from: &$0) }
        }
    }

    private init?(from reader: inout ByteReader) {
        guard let dot = reader.dot(), let format = reader.integer(UInt32.self),
            let time = reader.integer(Int64.self), let seen = reader.vector(),
            let count = reader.integer(UInt32.self), count > 0, count <= Self.limit,
            dot.number < .max - UInt64(count),
            let hashes = reader.raw(Int(count) * Head.hashSize)
        else { return nil }
        self.init(
            device: dot.device, first: dot.number, format: format, time: time, seen: seen,
            hashes: stride(from: 0, to: hashes.count, by: Head.hashSize).map {
                Array(hashes[$0...].prefix(Head.hashSize))
            })
    }
}
