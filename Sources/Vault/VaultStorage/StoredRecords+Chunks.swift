internal import Database

/// Chunks of the content of files.
extension StoredRecords {
    func forEachChunk(_ body: (ChunkRecord) throws -> Void) throws {
        // The number of chunks that one statement reads: 2 MiB in a valid vault.
        let limit = DatabaseValue.integer(32)
        var last: ChunkRecord?
        while true {
            let page =
                if let last {
                    try transaction.rows(
                        """
                        SELECT version, number, stored, bytes FROM chunks
                        WHERE length(version) = 16 AND length(bytes) <= $4
                            AND (version, number) > ($1, $2)
                        ORDER BY version, number LIMIT $3
                        """, [.bytes(last.version), .integer(last.number), limit, Self.largest]
                    ) { try ChunkRecord($0) }
                } else {
                    try transaction.rows(
                        """
                        SELECT version, number, stored, bytes FROM chunks
                        WHERE length(version) = 16 AND length(bytes) <= $2
                        ORDER BY version, number LIMIT $1
                        """, [limit, Self.largest]
                    ) { try ChunkRecord($0) }
                }
            for chunk in page { try body(chunk) }
            // Each page must begin after the last one: a server that repeats rows would cause an endless loop.
            guard let end = page.last, last.map({ end.isAfter($0) }) ?? true else { return }
            last = end
        }
    }

    private static let largest = DatabaseValue.integer(Int64(ChunkRecord.largestSize))

    func chunk(version: [UInt8], number: Int64) throws -> ChunkRecord? {
        try transaction.row(
            """
            SELECT version, number, stored, bytes FROM chunks
            WHERE version = $1 AND number = $2 AND length(bytes) <= $3
            """, [.bytes(version), .integer(number), Self.largest]
        ) { try ChunkRecord($0) }
    }

    func chunkCount(of part: (version: [UInt8], count: Int64)?) throws -> Int {
        let count =
            if let part {
                try transaction.row(
                    "SELECT count(*) FROM chunks WHERE version = $1 AND number >= 0 AND number < $2",
                    [.bytes(part.version), .integer(part.count)]
                ) { try $0.integer(0) }
            } else {
                try transaction.row("SELECT count(*) FROM chunks") { try $0.integer(0) }
            }
        return Int(clamping: count ?? 0)
    }

    func forEachChunkVersion(
        _ body: (_ version: [UInt8], _ stored: Int64) throws -> Void
    ) throws {
        var last: [UInt8] = []
        // One index search per version, because a file can have 65,536 rows.
        while let next = try transaction.row(
            """
            SELECT version, (
                SELECT stored FROM chunks AS newest WHERE newest.version = chunks.version
                ORDER BY number DESC LIMIT 1)
            FROM chunks WHERE length(version) = 16 AND version > $1 ORDER BY version LIMIT 1
            """, [.bytes(last)], { (try $0.bytes(0), try $0.integer(1)) })
        {
            // A server that repeats a row would cause an endless loop.
            guard last.lexicographicallyPrecedes(next.0) else { return }
            try body(next.0, next.1)
            last = next.0
        }
    }

    func removeChunks(version: [UInt8], limit: Int) throws -> Int {
        // Overwriting is unnecessary: the key of the chunks is gone.
        let count = try transaction.change(
            """
            DELETE FROM chunks WHERE version = $1 AND number IN (
                SELECT number FROM chunks WHERE version = $1 ORDER BY number LIMIT $2)
            """, [.bytes(version), .integer(Int64(limit))], erasing: false)
        // The count of a server is untrusted.
        return min(max(0, count), limit)
    }

    func putChunk(_ chunk: ChunkRecord) throws {
        try transaction.change(
            """
            INSERT INTO chunks (version, number, stored, bytes) VALUES ($1, $2, $3, $4)
            ON CONFLICT (version, number) DO UPDATE SET stored = $3, bytes = $4
            """,
            [
                .bytes(chunk.version), .integer(chunk.number), .integer(chunk.stored),
                .bytes(chunk.bytes),
            ])
    }

    func removeAllChunks() throws {
        try transaction.change("DELETE FROM chunks")
    }
}

extension ChunkRecord {
    fileprivate init(_ row: any Row) throws {
        self.init(
            version: try row.bytes(0), number: try row.integer(1), stored: try row.integer(2),
            bytes: try row.bytes(3))
    }

    fileprivate func isAfter(_ other: ChunkRecord) -> Bool {
        version == other.version
            ? number > other.number : other.version.lexicographicallyPrecedes(version)
    }
}
