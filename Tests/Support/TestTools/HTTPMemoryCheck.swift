import HTTPClient
import SecretMemory
import TestSupport

/// Searches the memory of this process for the secrets of an exchange.
struct HTTPMemoryCheck {
    private let options: HTTPClientOptions

    init(_ options: HTTPClientOptions) {
        self.options = options
    }

    /// Prints a line for each secret: how many pieces were found while the client existed, and whether all of them are in guarded memory.
    func run(_ url: WebURL) throws {
        #if os(Linux)
            guard let scan = MemoryScan() else {
                print("no memory to see")
                return
            }
            let client = try HTTPClient(options)
            let answer = try exchange(client, url, scan)
            let findings = try scan.run() ?? [:]
            for (name, finding) in findings.sorted(by: { $0.key < $1.key }) {
                print(name, finding.found, finding.isProtected)
            }
            // The answer was there to be found until now.
            print("answer has", answer.count)
        #endif
    }

    #if os(Linux)
        private func exchange(
            _ client: HTTPClient, _ url: WebURL, _ scan: MemoryScan
        ) throws -> SecretBytes {
            let content = try letters(500)
            let authorization = try letters(60)
            scan.add(MaskedSecret("content", content))
            scan.add(MaskedSecret("authorization", authorization))
            let response = try client.send(
                ClientRequest(
                    post: url, authorization: authorization, contentType: "text/plain",
                    content: content))
            scan.add(MaskedSecret("answer", response.content))
            return try response.content.copy()
        }

        /// A secret of letters, which a header field accepts.
        private func letters(_ count: Int) throws -> SecretBytes {
            var secret = try RandomSource.system.secret(count: count)
            secret.withMutableBytes { bytes in
                for offset in 0..<bytes.byteCount {
                    let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                    bytes.storeBytes(
                        of: UInt8(ascii: "a") + byte % 26, toByteOffset: offset, as: UInt8.self)
                }
            }
            return secret
        }
    #endif
}
