import Accounts
import Testing

extension AccountRepositoryContract {
    static let secondFactorRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("stores second factors as they are, the oldest first") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let id = AccountSamples.accountID(1)
            var app = AccountSamples.factor(1, of: 1, created: 20)
            let passkey = AccountSamples.factor(
                2, of: 1, label: "blue \u{1F511}", credential: [0, 255], created: 10)
            let other = AccountSamples.factor(3, of: 2, created: 5)
            let inside = try repository.change { writer in
                for factor in [app, passkey, other] { try writer.insert(factor) }
                return try writer.secondFactors(of: id)
            }
            #expect(inside == [passkey, app])
            #expect(throws: AccountError.alreadyExists) {
                try repository.change { try $0.insert(AccountSamples.factor(1, of: 2, created: 0)) }
            }
            app.used = AccountSamples.time(.max)
            app.spent = [UInt8](repeating: 7, count: 512)
            try repository.change { [app] in try $0.update(app) }
            #expect(try repository.read { try $0.secondFactors(of: id) } == [passkey, app])
            let unknown = AccountSamples.factor(4, of: 1, created: 0)
            #expect(throws: AccountError.missing) {
                try repository.change { try $0.update(unknown) }
            }
            try repository.change { writer in
                try writer.removeSecondFactor(passkey.id)
                try writer.removeSecondFactor(passkey.id)
            }
            #expect(try repository.read { try $0.secondFactors(of: id) } == [app])
            try repository.change { try $0.removeSecondFactors(of: id) }
            #expect(try repository.read { try $0.secondFactors(of: id) }.isEmpty)
            #expect(try repository.read { try $0.secondFactors(of: other.account) } == [other])
        },
        AccountRepositoryContract("takes each recovery code once, and of its account only") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let (id, other) = (AccountSamples.accountID(1), AccountSamples.accountID(2))
            let codes = (0..<3).map { TokenHash(of: "code \($0)") }
            try repository.change { writer in
                try writer.put(recoveryCodes: [TokenHash(of: "old")], of: id)
                try writer.put(recoveryCodes: codes, of: id)
            }
            func take(_ code: TokenHash, of account: AccountID) throws -> Bool {
                try repository.change { try $0.takeRecoveryCode(code, of: account) }
            }
            #expect(try !take(TokenHash(of: "old"), of: id))
            #expect(try !take(codes[0], of: other))
            #expect(try take(codes[0], of: id))
            #expect(try !take(codes[0], of: id))
            let left = try repository.read { reader in
                [try reader.countRecoveryCodes(of: id), try reader.countRecoveryCodes(of: other)]
            }
            #expect(left == [2, 0])
        },
        AccountRepositoryContract("removes second factors with their account") { subject in
            let repository = subject.repository
            try repository.fill(2)
            let ids = [1, 2].map(AccountSamples.accountID)
            try repository.change { writer in
                for number in 1...2 {
                    try writer.insert(AccountSamples.factor(number, of: number, created: 0))
                    try writer.put(
                        recoveryCodes: [TokenHash(of: "code \(number)")], of: ids[number - 1])
                }
                try writer.remove(ids[0])
            }
            let left = try repository.read { reader in
                try ids.map {
                    try reader.secondFactors(of: $0).count + reader.countRecoveryCodes(of: $0)
                }
            }
            #expect(left == [0, 2])
        },
    ]
}

extension AccountSamples {
    static func factor(
        _ number: Int, of account: Int, label: String = "", credential: [UInt8]? = nil,
        created: Int64
    ) -> SecondFactor {
        let digits = String(number)
        guard
            let id = SecondFactorID(
                String(repeating: "0", count: 32 - digits.utf8.count) + digits)
        else { preconditionFailure("these are digits") }
        return SecondFactor(
            id: id, account: accountID(account), label: label, credential: credential,
            key: [1, 0, 2], created: time(created))
    }
}
