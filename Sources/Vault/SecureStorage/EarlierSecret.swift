/// An earlier version of a secret, without its value: from before its value was replaced, or before it was removed.
public struct EarlierSecret: Sendable, Hashable {
    /// The id of the secret, 16 bytes. It stays when the secret is renamed, removed or restored.
    public let id: [UInt8]
    /// The description at that time.
    public let item: SecretItem
    /// The time of the replacement or removal, in milliseconds since 1970-01-01 UTC. Informational only.
    public let moved: Int64

    /// Creates a description; for store implementations.
    public init(id: [UInt8], item: SecretItem, moved: Int64) {
        self.id = id
        self.item = item
        self.moved = moved
    }
}

extension EarlierSecret {
    /// The order of removed secrets: the last removed one first.
    package static func isRemovedLater(_ left: EarlierSecret, _ right: EarlierSecret) -> Bool {
        guard left.moved == right.moved else { return left.moved > right.moved }
        return left.item.name == right.item.name
            ? right.id.lexicographicallyPrecedes(left.id) : left.item.name < right.item.name
    }
}

extension SecretName {
    /// The service of the text of protected tasks.
    package static let taskService = reservedPrefix + "task"

    /// The service of files.
    package static let fileService = reservedPrefix + "file"
    /// Whether the item is a file.
    package var isFile: Bool { service.hasSameBytes(as: Self.fileService) }

    /// The service of the senders of messages, with their keys.
    package static let inboxService = reservedPrefix + "inbox"

    /// The service of the tokens of an inbox.
    package static let inboxTokenService = reservedPrefix + "inbox-token"

    /// The service of messages.
    package static let messageService = reservedPrefix + "message"

    /// The service of the keys and heads of the logs of reads.
    package static let readsService = reservedPrefix + "log"

    /// The service of the keys with which this home takes part in sync. They stay on their machine.
    package static let syncService = reservedPrefix + "sync"

    /// The service of the key that opens the names in what this home keeps of its former device.
    package static let formerSyncService = reservedPrefix + "sync-former"

    /// Whether the secret belongs to the inbox. Messages arrive at any time, which must not keep a vault unlocked.
    package var isInboxItem: Bool {
        [Self.inboxService, Self.inboxTokenService, Self.messageService].contains {
            service.hasSameBytes(as: $0)
        }
    }

    /// Whether a store keeps earlier values and the removed secret. Old passwords and tokens of the sign-in are useless.
    package var keepsEarlier: Bool {
        !isReserved || service.hasSameBytes(as: Self.taskService)
            || service.hasSameBytes(as: Self.fileService) || isOfProgram
    }

    /// Whether the commands for secrets restore a removed secret of this name: that of the owner, or of a program.
    package var isRestorable: Bool { !isReserved || isOfProgram }
}
