internal import SecureStorage

/// Keeps the names of one import apart.
struct NameRegistry {
    private var taken: Set<SecretName> = []
    /// Where to go on counting for a name that occurred, so that a file of equal names does not take quadratic time.
    private var lastNumber: [SecretName: Int] = [:]

    /// Claims the names that `candidates` makes for the lowest number for which all of them are free.
    ///
    /// - Parameter candidates: Makes the names of a record's secrets, never none; 1 stands for the record as it is, higher numbers are
    ///   appended.
    /// - Returns: The names, and whether a number was needed.
    /// - Throws: What `candidates` throws.
    mutating func claim<Failure: Error>(
        _ candidates: (Int) throws(Failure) -> [SecretName]
    ) throws(Failure) -> (names: [SecretName], isNumbered: Bool) {
        let plain = try candidates(1)
        let first = plain[0]
        var number = lastNumber[first].map { $0 + 1 } ?? 1
        var names = number == 1 ? plain : try candidates(number)
        while names.contains(where: taken.contains) {
            number += 1
            names = try candidates(number)
        }
        lastNumber[first] = number
        taken.formUnion(names)
        return (names, number > 1)
    }

    /// What a number adds to an account: nothing, ` (2)`, ` (3)`, …
    static func suffix(_ number: Int) -> String {
        number == 1 ? "" : " (\(number))"
    }
}
