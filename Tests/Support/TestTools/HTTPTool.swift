import HTTPClient
import SecretMemory

/// A process of its own for the tests of HTTPClient, whose environment they choose.
///
///     TestTools http get URL AUTHORITIES                prints status and content, or the error
///     TestTools http authorized URL AUTHORITIES         likewise, and says who asks
///     TestTools http memory URL AUTHORITIES             prints where secrets are found after an exchange
enum HTTPTool {
    static func run(_ arguments: [String]) {
        var options = HTTPClientOptions()
        if arguments.count > 2, arguments[2] != "-" { options.authorities = .file(arguments[2]) }
        do {
            let url = try WebURL(arguments[1])
            if arguments[0] == "memory" {
                try HTTPMemoryCheck(options).run(url)
            } else {
                let authorization = try SecretBytes(
                    copying: unsafe "Bearer probe".utf8Span.span.bytes)
                let request =
                    arguments[0] == "authorized"
                    ? ClientRequest(get: url, authorization: authorization)
                    : ClientRequest(get: url)
                let response = try HTTPClient(options).send(request)
                let content = response.content.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
                }
                print(response.status, content)
            }
        } catch {
            print(error)
        }
    }
}
