internal import CSodium

/// Requests as they are sent.
enum HTTPText {
    static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }

    /// The form of a sign-in.
    static func signIn(
        _ email: String, _ password: String = SampleAccounts.password, device: String? = nil
    ) -> [UInt8] {
        form(
            "/oauth/token",
            "grant_type=password&client_id=\(OAuthClientName.taskvault)&username=\(escaped(email))"
                + "&password=\(escaped(password))" + (device.map { "&device_token=" + $0 } ?? ""))
    }

    static func refresh(_ token: String) -> [UInt8] {
        form(
            "/oauth/token",
            "grant_type=refresh_token&client_id=\(OAuthClientName.taskvault)&refresh_token=\(token)"
        )
    }

    static func introspect(
        _ token: String, at path: String = "/oauth/introspect", as client: String = basic
    ) -> [UInt8] {
        form(path, "token=\(token)", "Authorization: \(client)\r\n")
    }

    /// The confidential client's credentials.
    static var basic: String {
        let text = "\(SampleAccounts.clientName):\(SampleAccounts.clientSecret)"
        var encoded = [CChar](repeating: 0, count: 4 * text.utf8.count)
        unsafe sodium_bin2base64(
            &encoded, encoded.count, text, text.utf8.count, sodium_base64_VARIANT_ORIGINAL)
        return "Basic "
            + String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    /// A message of 300 bytes, as a short task has when it is encrypted.
    static func push(_ endpoint: String) -> [UInt8] {
        let head = """
            POST /push/\(endpoint) HTTP/1.1\r
            Host: localhost\r
            TTL: 3600\r
            Content-Encoding: aes128gcm\r
            Content-Length: 300\r
            \r

            """
        return Array(head.utf8) + [UInt8](repeating: 0x5A, count: 300)
    }

    /// Waits for messages.
    static func poll(_ token: String) -> [UInt8] {
        Array(
            """
            GET /messages?wait=300 HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(token)\r
            \r

            """.utf8)
    }

    private static func form(_ path: String, _ body: String, _ fields: String = "") -> [UInt8] {
        Array(
            """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            \(fields)Content-Type: application/x-www-form-urlencoded\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """.utf8)
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == " " ? "+" : $0 == "@" ? "%40" : String($0) }.joined()
    }
}
