package import SecretMemory
internal import TextCoding

/// An event of an account, as TaskVault's own server lists it for the owner.
public struct RemoteEvent: Sendable, Hashable {
    /// The time, in the server's format.
    public let time: String
    /// The server's name of it, such as `device_added`.
    public let action: String
    /// The network; may be empty.
    public let network: String
    /// The device's own name; may be empty.
    public let device: String

    /// The event in English.
    public var summary: String {
        switch action {
        case "device_added": "new device"
        case "refresh_token_reused": "copied token"
        case "name_guessed": "wrong passwords"
        case "second_factor_guessed": "wrong second factors: another person knows the password"
        default: String(action.map { $0 == "_" ? " " : $0 })
        }
    }

    /// Reads an event; nil if a member is missing.
    init?(_ object: JSONObject, _ bytes: RawSpan) {
        guard let time = object.text("time", in: bytes),
            let action = object.text("action", in: bytes)
        else { return nil }
        self.time = time
        self.action = action
        network = object.text("network", in: bytes) ?? ""
        device = object.text("device", in: bytes) ?? ""
    }

    /// The event as a message for the inbox, in JSON. It has nothing of this machine, so that all machines of a vault save the same.
    package func message(from server: String) throws -> SecretBytes {
        let title = "\(server): \(summary)"
        let body = [time, network, device].filter { !$0.isEmpty }.joined(separator: "\n")
        var text = try SecretText(
            capacity: SecretText.size(title.utf8.count) + SecretText.size(body.utf8.count))
        title.withBytes { text.appendMember("title", $0) }
        body.withBytes { text.appendMember("body", $0) }
        text.append("}")
        return text.finish()
    }
}
