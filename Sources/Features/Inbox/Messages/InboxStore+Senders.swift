package import HTTPClient
internal import SecureStorage

// Senders.
extension InboxStore {
    /// All senders, sorted by name.
    package func senders() throws -> [InboxSender] {
        try store.list().compactMap { InboxSender($0) }.sorted { left, right in
            (left.name, left.id) < (right.name, right.id)
        }
    }

    /// Stores the keys of a new subscription.
    package func add(
        _ keys: borrowing SubscriptionKeys, subscription: String, name: String, server: String,
        endpoint: WebURL, vapidKey: String?
    ) throws {
        try store.save(
            keys.secrets, as: InboxSender.name(subscription),
            InboxSender.attributes(
                name: name, server: server, endpoint: endpoint.description, vapidKey: vapidKey))
    }

    /// Erases the keys of a sender, and the remaining items of removed and unreadable messages.
    /// Other messages are kept.
    package func remove(_ sender: InboxSender) throws {
        let rest = try store.list().compactMap { item -> SecretName? in
            guard let message = InboxMessage(item), message.subscription == sender.id,
                message.state == .removed || message.state == .unreadable
            else { return nil }
            return item.name
        }
        let names = [try InboxSender.name(sender.id)] + rest
        // A request to the agent has a maximum size.
        for start in stride(from: 0, to: names.count, by: 1_000) {
            let part = names[start..<min(start + 1_000, names.count)]
            try store.change(
                part.map { SecretChange($0, expecting: nil, .remove(permanently: true)) })
        }
    }
}
