import Testing
import TestSupport

/// Two things are called a password by people; the help of each names the other.
@Suite(.waitsForProcesses) struct AccountHelpTests {
    @Test func eachChangeNamesTheOther() throws {
        let home = try TestHome(withVault: false)
        func help(_ words: String) throws -> String {
            let shown = try home.ask("help " + words)
            #expect(shown.exitCode == 0)
            // Whatever the line breaks are.
            return shown.outputText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let account = try help("account password")
        #expect(account.contains("What opens the vault is the passphrase: passphrase change."))
        let vault = try help("passphrase change")
        #expect(
            vault.contains(
                "The password that an auth server knows is changed by account password."))
    }
}
