import Foundation
import HTTPClient
import SecretMemory
import SignIn
import Testing
import TextCoding

func secret(_ text: String) throws -> SecretBytes {
    let bytes = Array(text.utf8)
    return try SecretBytes(copying: unsafe bytes.span.bytes)
}

func text(_ secret: borrowing SecretBytes) -> String {
    secret.withBytes { bytes in
        String(decoding: (0..<bytes.byteCount).map { bytes[$0] }, as: UTF8.self)
    }
}

func optionalText(_ secret: consuming SecretBytes?) -> String? {
    switch secret {
    case .some(let secret): text(secret)
    case .none: nil
    }
}

func makeIssuer(_ address: String) throws -> Issuer {
    try #require(Issuer(try WebURL(address)))
}

/// Lets other threads run.
func giveWay() { sched_yield() }

extension RawSpan {
    subscript(offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
