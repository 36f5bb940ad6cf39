internal import HTTPClient

extension AuthClientError {
    /// What a failed exchange means.
    init(_ error: HTTPClientError) {
        switch error {
        case .certificate(let problem): self = .untrusted(detail: problem.sentence)
        case .notLoopback:
            self = .untrusted(detail: "localhost is another machine here")
        case .plainHTTP:
            self = .untrusted(detail: "plain HTTP is for this machine only")
        case .redirected(_, let host):
            self = .broken(
                detail: "it sends clients elsewhere" + (host.map { ", to \($0)" } ?? ""))
        case .answerMalformed, .headTooLarge, .contentTooLarge:
            self = .broken(detail: "its answer is not one of HTTP, or far too large")
        case .outOfMemory: self = .outOfMemory
        default:
            self = .unreachable(detail: error.sentence, mayHaveArrived: error.mayHaveArrived)
        }
    }
}

extension HTTPClientError {
    fileprivate var sentence: String {
        switch self {
        case .libraryMissing: "libcurl is not installed (package \(HTTPClient.libraryPackage))"
        case .libraryFailed(let code): "libcurl failed with code \(code)"
        case .authoritiesUnreadable, .authoritiesMalformed:
            "the additional authorities are no certificates"
        case .hostNotFound: "there is no such host"
        case .connectionRefused: "nobody listens there"
        case .unreachable: "the host cannot be reached"
        case .proxyFailed(let status):
            "the proxy failed" + (status.map { " with status \($0)" } ?? "")
        case .connectingTimedOut: "there was no connection in time"
        case .timedOut: "there was no answer in time"
        // A server that is going down ends connections at this point, too.
        case .handshakeFailed:
            "the server ends connections without TLS, or speaks none that is new enough"
        case .connectionLost: "the connection ended before there was an answer"
        case .answerIncomplete: "the answer ended in the middle"
        default: "the request could not be sent"
        }
    }
}

extension HTTPClientError.CertificateProblem {
    fileprivate var sentence: String {
        switch self {
        case .expired: "the server's certificate has expired"
        case .notYetValid: "the server's certificate is not valid yet"
        case .otherName: "the server's certificate is for another name"
        case .unknownAuthority: "nobody whom this machine trusts signed the server's certificate"
        case .keyNotPinned: "the server's key is not the one that was set"
        case .other(let code): "the server's certificate is not accepted (code \(code))"
        }
    }
}
