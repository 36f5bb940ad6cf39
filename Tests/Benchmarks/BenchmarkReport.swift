internal import TextCoding
internal import VaultCore

/// The figures of a run and where they come from, as a file of JSON.
struct BenchmarkReport {
    private let path: String
    private let isQuick: Bool
    private let time = VaultEnvironment.systemTime()
    /// The commit, with `-dirty` after it if files that git knows were changed.
    private let commit: Substring
    private let kernel: Substring
    private var parts: [(part: Benchmarks.Part, table: Table)] = []

    /// Notes what the figures are of.
    ///
    /// - Throws: ``BenchmarkFailure`` if the executable is not in the checkout that it was built from.
    init(_ path: String, isQuick: Bool) throws {
        self.path = path
        self.isQuick = isQuick
        commit = try Self.line(
            "git -C \"$(dirname '\(CommandLine.arguments[0])')\" describe --always --abbrev=40 --exclude='*' --dirty"
        )
        kernel = try Self.line("uname -sr")
    }

    private static func line(_ command: String) throws -> Substring {
        try Child.output(of: command).prefix { $0 != "\n" }
    }

    /// Adds the table of a part, and writes the file.
    mutating func add(_ part: Benchmarks.Part, _ table: Table) throws {
        parts.append((part, table))
        var json = JSONWriter(ByteBuffer())
        try json.beginObject()
        try json.member("commit", String(commit.prefix(40)))
        try json.member("dirty", commit.hasSuffix("-dirty"))
        try json.member("date", milliseconds: time)
        try json.member("cores", ServerMeasurements.processors)
        try json.member("kernel", String(kernel))
        try json.member("quick", isQuick)
        try json.key("parts")
        try json.beginArray()
        for (part, table) in parts {
            try json.beginObject()
            try json.member("part", part.rawValue)
            try json.key("lines")
            try json.beginArray()
            for line in table.lines {
                json.breakLine()
                try json.string(line)
            }
            try json.endArray()
            try json.key("rows")
            try json.beginArray()
            for row in table.rows {
                json.breakLine()
                try json.row(row)
            }
            try json.endArray()
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try TextFile.write(try json.finish().bytes, to: path)
    }
}

extension JSONWriter where Sink == ByteBuffer {
    fileprivate mutating func row(_ row: Table.Row) throws {
        try beginObject()
        try member("measurement", row.name)
        try figure("figure", row.figure)
        try member(row.figure == nil ? "skipped" : "compared_with", row.baseline)
        try figure("compared_figure", row.other)
        try number("ratio", row.ratio)
        try figure(row.isLeast ? "at_least" : "at_most", row.aim)
        try member("met", row.isMet)
        try endObject()
    }

    private mutating func figure(_ key: String, _ figure: Figure?) throws {
        guard let figure else { return try member(key, nil as String?) }
        try self.key(key)
        try beginObject()
        try number("value", figure.base.value)
        try member("unit", figure.base.unit)
        try endObject()
    }

    /// Writes a number; null for one that JSON lacks.
    private mutating func number(_ key: String, _ number: Double?) throws {
        try self.key(key)
        if let number, number.isFinite { try json("\(number)") } else { try null() }
    }
}
