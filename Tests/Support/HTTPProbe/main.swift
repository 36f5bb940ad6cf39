// A process of its own for the tests of HTTPClient, whose environment they choose.
//
// HTTPProbe get URL AUTHORITIES                prints status and content, or the error
// HTTPProbe authorized URL AUTHORITIES         likewise, and says who asks
// HTTPProbe memory URL AUTHORITIES             prints where secrets are found after an exchange

import HTTPClient
import SecretMemory

let arguments = CommandLine.arguments
var options = HTTPClientOptions()
if arguments.count > 3, arguments[3] != "-" { options.authorities = .file(arguments[3]) }
do {
    let url = try WebURL(arguments[2])
    if arguments[1] == "memory" {
        try MemoryCheck(options).run(url)
    } else {
        let authorization = try SecretBytes(
            copying: unsafe "Bearer probe".utf8Span.span.bytes)
        let request =
            arguments[1] == "authorized"
            ? ClientRequest(get: url, authorization: authorization) : ClientRequest(get: url)
        let response = try HTTPClient(options).send(request)
        let content = response.content.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        print(response.status, content)
    }
} catch {
    print(error)
}
