internal import TextCoding

/// What happened to an account, as TaskVault's own server lists it for the owner.
public struct RemoteEvent: Sendable, Hashable {
    /// The time, in the server's format.
    public let time: String
    /// The server's name of it, such as `device_added`.
    public let action: String
    /// The network; may be empty.
    public let network: String
    /// The device's own name; may be empty.
    public let device: String

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
}
