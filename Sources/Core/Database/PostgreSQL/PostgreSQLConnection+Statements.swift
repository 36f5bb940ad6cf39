internal import CPostgreSQL

extension PostgreSQLConnection {
    /// Runs a query and returns its rows. It is prepared once and then reused.
    ///
    /// - Parameters:
    ///   - sql: One `SELECT`, a literal; its parameters are `$1`, `$2`, ….
    ///   - parameters: The parameters' values, always of the same types.
    /// - Returns: All rows.
    /// - Throws: ``DatabaseError``.
    public func rows(
        _ sql: StaticString, _ parameters: [DatabaseValue] = []
    ) throws -> [PostgreSQLRow] {
        try answer(to: sql, parameters, rows: true).rows
    }

    /// The same for a constant text.
    func rows(_ sql: ConstantText, _ parameters: [DatabaseValue]) throws -> [PostgreSQLRow] {
        try answer(to: sql, parameters, rows: true).rows
    }

    /// Runs a statement and ignores its rows. It is prepared once and then reused.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    public func execute(
        _ sql: StaticString, _ parameters: [DatabaseValue] = []
    ) throws -> Int {
        try answer(to: sql, parameters, rows: false).changedRows
    }

    /// The same for a constant text.
    @discardableResult
    func execute(_ sql: ConstantText, _ parameters: [DatabaseValue]) throws -> Int {
        try answer(to: sql, parameters, rows: false).changedRows
    }

    /// Runs statements in sequence without keeping them prepared, and ignores their rows.
    ///
    /// The SQL is the program's own, never text from outside. The corresponding C function is `PQsendQuery`.
    ///
    /// - Returns: The command tag of the last statement, such as `COMMIT`.
    @discardableResult
    public func run(script: String) throws -> String {
        try answer(to: script).command
    }

    /// As ``run(script:)``, and returns the rows. Their values are text.
    func answer(to script: String) throws -> Answer {
        try unsafe perform { (functions, handle) in
            unsafe functions.pointee.PQsendQuery(handle, script)
        }
    }

    /// Runs one `SELECT` without keeping it prepared. The SQL is the program's own.
    public func rows(
        once sql: String, _ parameters: [DatabaseValue] = []
    ) throws -> [PostgreSQLRow] {
        try answer(once: bounded(sql), parameters).rows
    }

    /// Runs one statement without keeping it prepared, and ignores its rows. The SQL is the program's own.
    ///
    /// - Returns: The number of changed rows.
    func execute(once sql: String, _ parameters: [DatabaseValue] = []) throws -> Int {
        try answer(once: sql, parameters).changedRows
    }

    /// The corresponding C function is `PQsendQueryParams`, with all values in binary.
    func answer(once sql: String, _ parameters: [DatabaseValue]) throws -> Answer {
        let types = parameters.map(\.type.rawValue)
        return try unsafe perform { (functions, handle) in
            unsafe Self.withEncoded(parameters) { addresses, lengths, formats in
                unsafe functions.pointee.PQsendQueryParams(
                    handle, sql, Int32(types.count), types, addresses, lengths, formats, 1)
            }
        }
    }

    /// Makes a query fail instead of returning a row over ``PostgreSQLOptions/maximumRowSize``.
    ///
    /// `record_send` gives the sent size, in which compressed columns count in full. The division fails only for a larger row.
    func bounded(_ query: String) -> String {
        """
        SELECT answer.* FROM (\(query)) AS answer
        WHERE 0 / (octet_length(record_send(answer)) <= \(options.maximumRowSize))::integer = 0
        """
    }

    private func answer(
        to sql: StaticString, _ parameters: [DatabaseValue], rows hasRows: Bool
    ) throws -> Answer {
        try answer(
            UInt(bitPattern: unsafe sql.utf8Start), sql.description, parameters, rows: hasRows)
    }

    private func answer(
        to sql: ConstantText, _ parameters: [DatabaseValue], rows hasRows: Bool
    ) throws -> Answer {
        try answer(
            UInt(bitPattern: ObjectIdentifier(sql)), sql.text, keeping: sql, parameters,
            rows: hasRows)
    }

    /// The corresponding C functions are `PQsendPrepare` and `PQsendQueryPrepared`, with all values in binary.
    private func answer(
        _ key: UInt, _ sql: @autoclosure () -> String, keeping constant: ConstantText? = nil,
        _ parameters: [DatabaseValue], rows hasRows: Bool
    ) throws -> Answer {
        let prepared: PreparedName
        if let known = statements[key] {
            prepared = known
        } else {
            prepared = PreparedName(
                name: "s\(statements.count)", types: parameters.map(\.type), constant: constant)
            let types = prepared.types.map(\.rawValue)
            let text = hasRows ? bounded(sql()) : sql()
            _ = try unsafe perform { (functions, handle) in
                unsafe functions.pointee.PQsendPrepare(
                    handle, prepared.name, text, Int32(types.count), types)
            }
            statements[key] = prepared
        }
        guard parameters.map(\.type) == prepared.types else { throw DatabaseError.misuse }
        return try unsafe perform { (functions, handle) in
            unsafe Self.withEncoded(parameters) { addresses, lengths, formats in
                unsafe functions.pointee.PQsendQueryPrepared(
                    handle, prepared.name, Int32(parameters.count), addresses, lengths, formats, 1)
            }
        }
    }

    /// Calls `body` with the addresses, lengths and formats of values in binary.
    private static func withEncoded(
        _ parameters: [DatabaseValue],
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Int32
    ) -> Int32 {
        // One allocation for all values. The address after the last byte is valid for an empty value.
        let values = parameters.map(\.encoded)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.reduce(1) { $0 + ($1?.count ?? 0) })
        for value in values { bytes += value ?? [] }
        bytes.append(0)
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return unsafe bytes.withUnsafeBytes { buffer in
            var next = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let addresses = unsafe values.map { value -> UnsafePointer<CChar>? in
                guard let value else { return nil }
                defer { unsafe next = unsafe next?.advanced(by: value.count) }
                return unsafe next
            }
            return unsafe body(addresses, lengths, formats)
        }
    }
}
