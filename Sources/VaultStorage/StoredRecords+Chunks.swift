internal import Database

/// The content of files, in chunks.
extension StoredRecords {
    func forEachChunk(_ body: (ChunkRecord) throws -> Void) throws {
        // 2 MiB in a sound vault.
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
            // Each page must begin after the one before, because a server that repeats rows would cause an endless loop.
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
