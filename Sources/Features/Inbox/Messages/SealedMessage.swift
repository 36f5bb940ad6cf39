package import TextCoding

/// An encrypted message, as received from a server and as stored in the spool.
package struct SealedMessage: Sendable, Hashable {
    /// The id on the server.
    package let id: String
    /// The id of the subscription.
    package let subscription: String
    /// The time of receipt on this machine.
    package let received: PointInTime
    /// The body in the content coding `aes128gcm`.
    package let body: [UInt8]

    /// Makes a message.
    package init(id: String, subscription: String, received: PointInTime, body: [UInt8]) {
        self.id = id
        self.subscription = subscription
        self.received = received
        self.body = body
    }

    /// The id of the message in the vault.
    package var messageID: String { InboxStore.id(of: body) }
}
