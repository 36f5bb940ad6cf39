internal import Application
internal import CommandLine
internal import SignIn
internal import TextCoding

// The account: commands read it from the operand EMAIL, and print it as their result.
extension CommandContext {
    /// The account that the operand names. Without an operand, it is the last one that signed in, or the person's answer.
    func accountName(_ place: SignInPlace) throws -> AccountName {
        try signIn.accountName(invocation.texts(of: .email).first, place)
    }

    /// Prints the account that is signed in now.
    func report(_ account: AccountName, _ place: SignInPlace, _ done: String) throws {
        guard console.isJSON else {
            return try console.printLine("\(done) as \(account.text) at \(place.server)")
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("account", account.text)
            try json.member("server", place.server)
            try json.member("state", "signed_in")
            try json.endObject()
        }
    }

    /// Prints the state at the server: `line`, or `state` in JSON.
    func report(_ state: String, _ line: String, _ place: SignInPlace) throws {
        guard console.isJSON else { return try console.printLine(line) }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("server", place.server)
            try json.member("state", state)
            try json.endObject()
        }
    }
}
