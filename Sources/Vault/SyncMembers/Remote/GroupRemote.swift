package import Sync

/// The places of a group at a remote, beside its segments.
package enum GroupArea: String, CaseIterable, Sendable {
    /// Statements. The name of each is its ``StatementID``.
    case members
    /// Messages of joining. The name of each is its exchange and its number.
    case mailbox
    /// Blobs of recovery members. The name of each is the member's id.
    case recovery
    /// The contents of files, in parts. The name of each is its version and its number.
    case files

    /// The maximum size of a file, in bytes.
    package var limit: Int {
        switch self {
        case .members: Statement.limit
        case .mailbox: JoinMessage.limit
        case .recovery: RecoveryBlob.size
        case .files: FilePartName.largestPart
        }
    }

    /// Whether a name is one of this area. All others, such as copies because of a conflict, are ignored.
    package func isName(_ name: String) -> Bool {
        switch self {
        case .members: StatementID(text: name) != nil
        case .mailbox: MailboxName(name) != nil
        case .recovery: DeviceID(text: name) != nil
        case .files: FilePartName(name) != nil
        }
    }
}

/// The name of a message in the mailbox.
package struct MailboxName: Hashable, Sendable {
    static let numbers: ClosedRange<UInt8> = 1...3

    package let exchange: ExchangeID
    /// 1 for the commitment, 2 for the answer, 3 for the opening.
    package let number: UInt8

    package init(_ exchange: ExchangeID, _ number: UInt8) {
        self.exchange = exchange
        self.number = number
    }

    init(_ message: JoinMessage) {
        self.init(message.exchange, message.number)
    }

    /// Parses a name; nil if it is no name of a message.
    package init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let exchange = ExchangeID(text: String(parts[0])),
            let number = UInt8(parts[1]), Self.numbers.contains(number),
            parts[1].utf8.count == 1
        else { return nil }
        self.init(exchange, number)
    }

    /// 32 hexadecimal digits, a hyphen and the number.
    package var text: String { "\(exchange.text)-\(number)" }
}

/// Carries statements, messages of joining, recovery blobs and the contents of files. It is not trusted, as a ``SyncRemote``.
///
/// The contract of every implementation: nothing is ever overwritten, and what was put is durable and complete when
/// ``put(_:as:in:)`` returns.
package protocol GroupRemote {
    /// The names in an area, ascending. Names that are none of the area are left out.
    func names(in area: GroupArea) throws(RemoteFailure) -> [String]
    /// The bytes under a name; nil if they are gone, exceed the area's limit, or are nothing that can be read.
    func get(_ name: String, in area: GroupArea) throws(RemoteFailure) -> [UInt8]?
    /// Stores bytes under a name of the area.
    func put(_ bytes: [UInt8], as name: String, in area: GroupArea) throws(RemoteFailure)
        -> PutResult
    /// Deletes what is under a name, if it is there: old messages, the blob of a former recovery member, and contents of files.
    func delete(_ name: String, in area: GroupArea) throws(RemoteFailure)
}

/// The result of an exchange of statements.
package struct StatementExchange: Sendable {
    /// The statements that were not known. Save them.
    package let received: [Statement]
    /// Files that are no statements, with the reason. Some may still be on their way.
    package let refused: [String: StatementFailure]
}

extension GroupRemote {
    /// Puts the statements that the remote lacks, and gets those that are not known.
    ///
    /// - Parameter known: All statements that this device has.
    /// - Returns: The new ones, which may be of other groups or invalid: ``GroupState`` says so.
    /// - Throws: ``RemoteFailure``.
    package func exchangeStatements(
        known: some Collection<Statement>
    ) throws(RemoteFailure) -> StatementExchange {
        let names = Set(try names(in: .members))
        // Each after those that it has seen, as far as the clocks are right.
        let lacking = known.filter { !names.contains($0.id.text) }
            .sorted { ($0.clock, $0.id) < ($1.clock, $1.id) }
        for statement in lacking {
            _ = try put(statement.bytes, as: statement.id.text, in: .members)
        }
        var received: [Statement] = []
        var refused: [String: StatementFailure] = [:]
        for name in names.subtracting(known.map(\.id.text)).sorted() {
            guard let bytes = try get(name, in: .members) else { continue }
            do throws(StatementFailure) {
                let statement = try Statement(bytes)
                if statement.id.text == name {
                    received.append(statement)
                } else {
                    refused[name] = .content
                }
            } catch {
                refused[name] = error
            }
        }
        return StatementExchange(received: received, refused: refused)
    }
}

extension GroupRemote {
    /// The messages in the mailbox, by exchange and number. Files that are no messages of their name are left out.
    package func messages() throws(RemoteFailure) -> [JoinMessage] {
        var messages: [JoinMessage] = []
        for name in try names(in: .mailbox) {
            guard let bytes = try get(name, in: .mailbox), let message = try? JoinMessage(bytes),
                MailboxName(message).text == name
            else { continue }
            messages.append(message)
        }
        return messages
    }

    /// Puts a message of joining.
    package func put(_ message: JoinMessage) throws(RemoteFailure) -> PutResult {
        try put(message.bytes, as: MailboxName(message).text, in: .mailbox)
    }

    /// Deletes the messages of an exchange.
    package func remove(_ exchange: ExchangeID) throws(RemoteFailure) {
        for number in MailboxName.numbers {
            try delete(MailboxName(exchange, number).text, in: .mailbox)
        }
    }

    /// The blobs of recovery members.
    package func recoveryBlobs() throws(RemoteFailure) -> [RecoveryBlob] {
        var blobs: [RecoveryBlob] = []
        for name in try names(in: .recovery) {
            guard let blob = try get(name, in: .recovery).flatMap({ RecoveryBlob($0) }),
                blob.member.text == name
            else { continue }
            blobs.append(blob)
        }
        return blobs
    }

    /// Puts the blob of a recovery member. Devices keep a copy, and put it again if the remote lost it.
    package func put(_ blob: RecoveryBlob) throws(RemoteFailure) -> PutResult {
        try put(blob.bytes, as: blob.member.text, in: .recovery)
    }
}
