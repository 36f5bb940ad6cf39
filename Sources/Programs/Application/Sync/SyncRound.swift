internal import Platform
internal import SecureStorage
internal import Sync
package import TextCoding

/// The report of a round. The last one is kept for `sync status`.
package struct SyncRound: Sendable, Hashable {
    /// The levels that a round could read and write.
    package enum Scope: UInt8, Sendable, Comparable {
        /// The list: the vault is locked.
        case list
        /// Also secrets that need no verification.
        case unlocked
        /// Everything.
        case verified

        package static func < (left: Scope, right: Scope) -> Bool {
            left.rawValue < right.rawValue
        }

        /// A name for programs.
        package var name: String {
            switch self {
            case .list: "list"
            case .unlocked: "unlocked"
            case .verified: "verified"
            }
        }
    }

    private static let magic: StaticString = "TVSR"
    private static let format: UInt32 = 2
    /// The exit codes of faults.
    private static let exitCodes: [ExitCode] = [
        .failure, .usage, .locked, .wrongPassphrase, .notFound, .alreadyExists, .damaged, .refused,
        .serverUnreachable, .serverRejected,
    ]
    private static let largest = 1_048_576

    /// When it ended, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 = 0
    package var scope = Scope.list
    /// The number of segments that came.
    package var received = 0
    /// The number of segments that were put.
    package var sent = 0
    /// The number of parts of files that the next round goes on to put.
    package var partsLeft = 0
    /// Reasons to wait, and faults.
    package var problems: [SyncProblem] = []
    /// Whether another machine writes as this device, or has seen what this one no longer has. Not kept.
    var isCopied = false

    /// Adds a problem once.
    mutating func add(_ problem: SyncProblem) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    /// Adds the report of one chain.
    mutating func add(_ report: SyncReport, _ naming: SyncNaming) {
        received += report.applied
        sent += report.published
        for problem in naming.problems(report) { add(problem) }
        if report.waiting.values.contains(where: \.isOfOwnSegment) { isCopied = true }
    }

    /// Counts what this round and the next one did together.
    package mutating func `continue`(with next: SyncRound) {
        let (received, sent) = (received, sent)
        self = next
        self.received += received
        self.sent += sent
    }

    /// The fault that a command ends with; nil without one.
    package var failure: Failure? { problems.first { $0.isFault }?.failure }

    /// Reads the report of the last round; nil if there is none, or it is damaged.
    init?(at place: SyncPlace) {
        guard let bytes = FileSystem.content(place.report, limit: Self.largest),
            let round = ByteReader.reading(bytes, { Self.read(from: &$0) })
        else { return nil }
        self = round
    }

    init() {}

    private static func read(from reader: inout ByteReader) -> SyncRound? {
        var round = SyncRound()
        guard reader.magic(magic) == true, reader.integer(UInt32.self) == format,
            let time = reader.integer(Int64.self),
            let scope = reader.integer(UInt8.self).flatMap(Scope.init(rawValue:)),
            let received = reader.integer(UInt64.self), let sent = reader.integer(UInt64.self),
            let count = reader.integer(UInt32.self)
        else { return nil }
        round.time = time
        round.scope = scope
        round.received = Int(received)
        round.sent = Int(sent)
        for _ in 0..<count {
            guard let code = reader.text(), let isFault = reader.integer(UInt8.self),
                let message = reader.text(), let hint = reader.text(),
                let number = reader.integer(UInt32.self)
            else { return nil }
            round.problems.append(
                SyncProblem(
                    code, isFault: isFault == 1, message, hint: hint.isEmpty ? nil : hint,
                    exitCode: exitCodes.first { $0.rawValue == Int32(bitPattern: number) }
                        ?? .failure))
        }
        return reader.isAtEnd ? round : nil
    }

    /// Keeps the report. A failure is ignored: the report only informs.
    func write(at place: SyncPlace) {
        var writer = ByteWriter()
        writer.magic(Self.magic)
        writer.integer(Self.format)
        writer.integer(time)
        writer.integer(scope.rawValue)
        writer.integer(UInt64(received))
        writer.integer(UInt64(sent))
        writer.integer(UInt32(problems.count))
        for problem in problems {
            writer.text(problem.code)
            writer.integer(problem.isFault ? 1 : 0 as UInt8)
            writer.text(problem.message)
            writer.text(problem.hint ?? "")
            writer.integer(UInt32(bitPattern: problem.exitCode.rawValue))
        }
        guard let file = try? NewFile(at: place.report, replacing: true) else { return }
        unsafe try? Descriptor.write(writer.bytes.span.bytes, to: file.descriptor)
        try? file.publish()
    }
}
