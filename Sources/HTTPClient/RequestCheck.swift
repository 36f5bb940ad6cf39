internal import SecretMemory

/// What is refused before anything is connected.
enum RequestCheck {
    static func check(_ request: borrowing ClientRequest) throws(HTTPClientError) {
        guard request.url.scheme == .https || request.url.isLoopback else { throw .plainHTTP }
        guard request.fields.allSatisfy(FieldSyntax.isAllowed),
            request.method == .get || FieldSyntax.isValue(request.contentType)
        else { throw .requestMalformed }
        switch request.authorization {
        case .some(let value):
            guard value.withBytes({ FieldSyntax.isValue($0) }) else { throw .requestMalformed }
        case .none: break
        }
    }
}
