public import SecretMemory

/// An answer that arrived whole.
public struct ClientResponse: ~Copyable, Sendable {
    /// The status code: 200 to 299, or 400 and more.
    public let status: Int
    /// The type of the content in small letters without parameters, such as `application/json`; nil unless there is exactly one.
    public let contentType: String?
    /// After how many seconds the server wants to be asked again. A date, the other way to say it, is left out: one would have to believe both
    /// clocks.
    public let retryAfter: Int?
    /// The content.
    public let content: SecretBytes
}
