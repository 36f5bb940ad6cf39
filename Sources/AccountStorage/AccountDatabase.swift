internal import Database
internal import VaultStorage

/// A connection to one of the databases, which runs statements.
protocol AccountDatabase {
    /// Runs a statement that finds rows.
    ///
    /// - Returns: All of them.
    func rows<Value: StoredValue>(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> [Value]

    /// Runs a statement that finds one row, or none.
    func row<Value: StoredValue>(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> Value?

    /// Runs a statement that changes rows.
    ///
    /// - Returns: How many.
    @discardableResult
    func change(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> Int
}

extension SafeDatabase: AccountDatabase where Kind == AccountSchema {
    func rows<Value: StoredValue>(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> [Value] {
        try perform { (connection) throws(SQLiteError) in
            let run = try connection.statement(statement.sqlite)
            try run.bind(parameters)
            var values: [Value] = []
            while try run.step() { values.append(try Value(run, at: 0)) }
            return values
        }
    }

    func row<Value: StoredValue>(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> Value? {
        try perform { (connection) throws(SQLiteError) in
            let run = try connection.statement(statement.sqlite)
            try run.bind(parameters)
            return try run.step() ? try Value(run, at: 0) : nil
        }
    }

    func change(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> Int {
        try perform { (connection) throws(SQLiteError) in
            let run = try connection.statement(statement.sqlite)
            try run.bind(parameters)
            while try run.step() {}
            return connection.changedRows
        }
    }
}

extension SQLiteStatement {
    /// Binds the parameters from number 1 on; NULL is what they are at first.
    fileprivate func bind(_ parameters: [StoredParameter]) throws(SQLiteError) {
        var index: Int32 = 0
        for parameter in parameters {
            index += 1
            switch parameter {
            case .bytes(let bytes?): try bind(bytes, at: index)
            case .integer(let integer?): try bind(integer, at: index)
            case .text(let text): try bind(text: text, at: index)
            case .bytes(nil), .integer(nil): break
            }
        }
    }
}

extension PostgreSQLTables: AccountDatabase where Kind == PostgreSQLAccountSchema {
    func rows<Value: StoredValue>(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> [Value] {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                statement.postgreSQL, parameters.map(PostgreSQLParameter.init))
            return try rows.map { (row) throws(PostgreSQLError) in try Value(row, at: 0) }
        }
    }

    func row<Value: StoredValue>(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> Value? {
        let found: [Value] = try rows(statement, parameters)
        return found.first
    }

    func change(
        _ statement: AccountStatement, _ parameters: [StoredParameter]
    ) throws(DatabaseError) -> Int {
        try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                statement.postgreSQL, parameters.map(PostgreSQLParameter.init))
        }
    }
}

extension PostgreSQLParameter {
    init(_ parameter: StoredParameter) {
        self =
            switch parameter {
            case .bytes(let bytes): .bytes(bytes)
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            }
    }
}
