// A process of its own for the tests of HTTPClient, whose environment they choose.
//
// HTTPProbe get URL AUTHORITIES [RESOLUTION]   prints status and content, or the error
// HTTPProbe memory URL AUTHORITIES             prints where secrets are found after an exchange

import HTTPClient
import SecretMemory

let arguments = CommandLine.arguments
var options = HTTPClientOptions()
if arguments.count > 3, arguments[3] != "-" { options.authorities = .file(arguments[3]) }
if arguments.count > 4 { options.resolutions = [arguments[4]] }
do {
    let url = try WebURL(arguments[2])
    if arguments[1] == "memory" {
        try MemoryCheck(options).run(url)
    } else {
        let response = try HTTPClient(options).send(ClientRequest(get: url))
        let content = response.content.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        print(response.status, content)
    }
} catch {
    print(error)
}
