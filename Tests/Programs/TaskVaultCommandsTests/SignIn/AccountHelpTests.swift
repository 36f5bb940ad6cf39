import Testing
import TestSupport

/// Two things are called a password by people; the help of each names the other.
@Suite(.waitsForProcesses) struct AccountHelpTests {
    @Test func eachChangeNamesTheOther() throws {
        let home = try TestHome(withVault: false)
        func help(_ words: String) throws -> String {
            let shown = try home.ask("help " + words)
            #expect(shown.exitCode == 0)
            // Independent of line breaks.
            return shown.outputText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let account = try help("account password")
        #expect(account.contains("The passphrase opens the vault: passphrase change."))
        let vault = try help("passphrase change")
        #expect(
            vault.contains(
                "To change the password at an auth server: account password."))
    }
}
