internal import CMicroHTTPD

extension HTTPResponse {
    /// The fields that the server writes itself.
    private static let ownFields = ["Content-Length", "Transfer-Encoding", "Connection", "Date"]

    /// The fields that are sent: those that can be written without becoming two, and that are not the server's.
    var sentFields: [HTTPHeaders.Field] {
        headers.fields.filter { field in
            HTTPSyntax.isToken(field.name.utf8) && HTTPSyntax.isFieldValue(field.value.utf8)
                && !Self.ownFields.contains { HTTPHeaders.areEqual($0, field.name) }
        }
    }

    /// Hands the answer to the library; false if there is no memory for it.
    func send(to connection: OpaquePointer, closing: Bool) -> Bool {
        precondition((200...599).contains(status), "a status that is no final answer")
        guard
            let response = unsafe body.withUnsafeBytes({ bytes in
                unsafe cmicrohttpd_response(bytes.baseAddress, bytes.count)
            })
        else { return false }
        defer { unsafe MHD_destroy_response(response) }
        for field in sentFields {
            guard unsafe MHD_add_response_header(response, field.name, field.value) == .YES else {
                return false
            }
        }
        if closing {
            guard unsafe MHD_add_response_header(response, "Connection", "close") == .YES else {
                return false
            }
        }
        return unsafe MHD_queue_response(connection, UInt32(status), response) == .YES
    }
}
