internal import SecretMemory
internal import SignIn

extension SignInAccess {
    /// Answers the server's request for a second factor after a right password, and signs in again.
    ///
    /// The password is sent again, and nothing is locked while a person types the code.
    ///
    /// - Parameters:
    ///   - outcome: The outcome without a second factor.
    ///   - place: The vault and the server.
    ///   - passwords: Provides the second factor.
    ///   - signIn: Signs in with the same password.
    /// - Returns: The last outcome.
    /// - Throws: The reason why no second factor could be read, or the error of `signIn`.
    func answeringSecondFactor(
        _ outcome: LoginFlow.Outcome, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, _ signIn: () throws -> LoginFlow.Outcome
    ) throws -> LoginFlow.Outcome {
        defer { place.client.answer(secondFactor: nil) }
        var outcome = outcome
        for _ in 0..<LoginFlow.maximumQuestions {
            guard case .noVerdict(.secondFactor(let request)) = outcome,
                let answer = try passwords.answer(request, place.server)
            else { break }
            try requireSameSettings(place)
            place.client.answer(secondFactor: answer)
            outcome = try signIn()
        }
        return outcome
    }
}

/// The password that a person typed last, for a second sign-in with it. Not thread-safe.
final class RepeatedPassword {
    private var password: SecretBytes?
    /// Whether the next question has this answer.
    var repeats = false

    /// Keeps a password.
    ///
    /// - Returns: A copy.
    func keep(_ password: consuming SecretBytes) throws -> SecretBytes {
        let copy = try password.copy()
        self.password = .some(password)
        return copy
    }

    /// Takes the kept password, if it is to be repeated.
    func take() -> SecretBytes? {
        guard repeats else { return nil }
        repeats = false
        return password.take()
    }
}
