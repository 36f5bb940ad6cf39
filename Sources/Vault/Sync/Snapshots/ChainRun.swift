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

    /// Parses canonical bytes; nil for any other input.
    static func runs(_ bytes: [UInt8]) -> [ChainRun]? {
        ByteReader.reading(bytes) { reader in
            guard let count = reader.integer(UInt32.self) else { return nil }
            var runs: [ChainRun] = []
            for _ in 0..<count {
                guard let run = ChainRun(from: &reader),
                    runs.last.map({ ($0.device, $0.first) < (run.device, run.first) }) ?? true
                else { return nil }
                runs.append(run)
            }
            return reader.isAtEnd ? runs : nil
        }
    }

    private init?(from reader: inout ByteReader) {
        guard let dot = reader.dot(), let format = reader.integer(UInt32.self),
            let time = reader.integer(Int64.self), let seen = reader.vector(),
            let count = reader.integer(UInt32.self), count > 0, count <= Self.limit,
            dot.number < .max - UInt64(count)
        else { return nil }
        var hashes: [[UInt8]] = []
        for _ in 0..<count {
            guard let hash = reader.raw(Head.hashSize) else { return nil }
            hashes.append(hash)
        }
        self.init(dot.device, first: dot.number, format, time, seen, hashes)
    }

    init(
        _ device: DeviceID, first: UInt64, _ format: UInt32, _ time: Int64,
        _ seen: VersionVector, _ hashes: [[UInt8]]
    ) {
        self.device = device
        self.first = first
        self.format = format
        self.time = time
        self.seen = seen
        self.hashes = hashes
    }

    /// The run in pieces of at most ``limit`` hashes.
    var divided: [ChainRun] {
        stride(from: 0, to: hashes.count, by: Self.limit).map { start in
            ChainRun(
                device, first: first + UInt64(start), format, time, seen,
                Array(hashes[start..<min(start + Self.limit, hashes.count)]))
        }
    }
}
