internal import CSodium
internal import Sealing

/// Bare `crypto_pwhash_str` and `crypto_pwhash_str_verify`.
enum BareVerification {
    static func hash(of password: String, _ cost: KeyDerivationCost) throws -> String {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        guard
            unsafe crypto_pwhash_str_alg(
                &text, password, UInt64(password.utf8.count), UInt64(cost.passes),
                Int(cost.memoryKiB) * 1_024, crypto_pwhash_ALG_ARGON2ID13) == 0
        else { throw BenchmarkFailure("no memory for the derivation") }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    static func verify(_ password: String, _ hash: String) throws {
        guard
            unsafe crypto_pwhash_str_verify(hash, password, UInt64(password.utf8.count)) == 0
        else { throw BenchmarkFailure("the password is refused") }
    }
}
