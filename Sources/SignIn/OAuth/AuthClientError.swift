/// Why an auth server did not do what it was asked. No case carries a password or a token.
public enum AuthClientError: Error, Sendable, Hashable {
    /// What was sent is not accepted: `invalid_grant`, or a token that is not good any more. It is the server's verdict, and final.
    case rejected
    /// The server wants to be asked later; `seconds` as it says, nil if it does not.
    case throttled(seconds: UInt32?)
    /// The server understood, and does not do it.
    case refused(RefusalReason)
    /// There is no connection. `mayHaveArrived` is whether the server may have got the request.
    case unreachable(detail: String, mayHaveArrived: Bool)
    /// The server is not who it should be: a certificate that does not prove it, another key, another issuer, no OAuth server at all. It was
    /// not asked for anything.
    case untrusted(detail: String)
    /// The server answered, and not as OAuth has it. The request arrived.
    case broken(detail: String)
    /// This server has nothing for it.
    case unsupported
    /// Memory is used up here, before the server was asked or after.
    case outOfMemory

    /// Whether the server may have done what it was asked all the same.
    public var mayBeDone: Bool {
        switch self {
        case .unreachable(_, let mayHaveArrived): mayHaveArrived
        // Memory may run out while the answer is read.
        case .broken, .outOfMemory: true
        case .rejected, .throttled, .refused, .untrusted, .unsupported: false
        }
    }

    /// Whether it is a verdict on what was sent, or only says that nobody could be asked now.
    public var isVerdict: Bool { self == .rejected }

    /// Whether the server cannot be reached: no connection, or no answer in time. A server that is there and does not do what it is asked, or
    /// that is not the right one, is no reason to count somebody as signed in without it.
    public var meansOffline: Bool {
        switch self {
        case .unreachable: true
        case .rejected, .throttled, .refused, .untrusted, .broken, .unsupported, .outOfMemory: false
        }
    }

    /// Whether the server understood, and never does it.
    var isRefusal: Bool {
        switch self {
        case .refused, .unsupported: true
        case .rejected, .throttled, .unreachable, .untrusted, .broken, .outOfMemory: false
        }
    }
}

/// What a server has against a request.
public enum RefusalReason: Sendable, Hashable {
    /// The current password is wrong.
    case password
    /// The new password cannot be one; `detail` is the server's sentence.
    case newPassword(detail: String)
    /// There is no such invitation, or it is another's.
    case invitation
    /// The name is taken.
    case name
    /// Anything else; `detail` is the server's sentence.
    case other(detail: String)
}
