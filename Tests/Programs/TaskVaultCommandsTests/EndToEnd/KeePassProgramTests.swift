import Testing
import TestSupport

@Suite(.waitsForProcesses) struct KeePassProgramTests {
    private static let hasKeePassXC = Tool.isPresent("keepassxc-cli")
    private static let hasPyKeePass =
        hasKeePassXC && (try? Tool.run("/usr/bin/python3", ["-c", "import pykeepass"])) != nil

    private static let left =
        "warning: left out: values that are not text (1): bytes b; --format json exports them"

    /// Runs `keepassxc-cli`, with a home of its own.
    @discardableResult
    private func keePassXC(
        _ command: String, _ words: String..., answers: Int = 1, in home: TestHome
    ) throws -> String {
        try Tool.run(
            "env",
            [
                "HOME=" + home.folder, "XDG_CONFIG_HOME=" + home.folder,
                "QT_QPA_PLATFORM=offscreen",
                "keepassxc-cli", command, "-q",
            ] + words, input: String(repeating: "the password\n", count: answers))
    }

    /// A vault and KeePassXC's database of its export, `all.kdbx`.
    private func exportedHome() throws -> TestHome {
        let home = try TestHome()
        try home.run(
            [
                "secret", "set", "mail.example", "ada", "--label", "Mail at home", "--tag", "home",
                "--tag", "work", "--class", "after-verification",
            ], input: Array(" p<&>\"']]>\tä😀 ".utf8))
        for (field, value) in [
            ("notes", "two\n\nlines"), ("totp", "JBSWY3DPEHPK3PXP"), ("PIN", "1234"),
            ("Title", "x"), ("url", "https://mail.example/?a&b\nhttps://m.example/"),
        ] {
            try home.run("secret set mail.example ada --field \(field)", input: value)
        }
        try home.run("secret set router password", input: "second")
        try home.run(["secret", "set", "bytes", "b"], input: [0, 255])
        expect(
            try home.run("secret export --format keepassxc --output all.xml"), ends: 0,
            "warning: the export is not encrypted: anyone who can read it has all secrets; remove it after use",
            Self.left)
        let folder = home.folder
        try keePassXC(
            "import", "-t", "100", "-p", folder + "/all.xml", folder + "/all.kdbx", answers: 2,
            in: home)
        return home
    }

    @Test(.enabled(if: hasKeePassXC, "needs keepassxc")) func keePassXCOpensAnExport() throws {
        let home = try exportedHome()
        let database = home.folder + "/all.kdbx"
        #expect(try keePassXC("ls", "-f", database, in: home) == "mail.example\nrouter\n")
        func shown(_ attribute: String) throws -> String {
            try keePassXC("show", "-s", "-a", attribute, database, "mail.example", in: home)
        }
        #expect(try shown("Password") == " p<&>\"']]>\tä😀 \n")
        #expect(try shown("UserName") == "ada\n")
        #expect(try shown("Notes") == "two\n\nlines\n")
        #expect(try shown("URL") == "https://mail.example/?a&b\n")
        #expect(try shown("KP2A_URL") == "https://m.example/\n")
        #expect(try shown("PIN") == "1234\n")

        // What it exports comes back, beside the times.
        let other = try TestHome()
        try Files.write(
            try keePassXC("export", "-f", "xml", database, in: home), to: other.folder + "/all.xml")
        let imported = try other.run("secret import all.xml")
        expect(imported, ends: 0)
        #expect(imported.outputText == "imported 6 secrets from KeePass XML: 2 logins\n")
        func entry(_ home: TestHome) throws -> [String: String] {
            let entry = try home.run("secret show mail.example ada --json").object
            return Dictionary(
                uniqueKeysWithValues: ["label", "class", "tags", "urls"].map {
                    ($0, String(describing: entry[$0]))
                })
        }
        #expect(try entry(other) == entry(home))
        #expect(try other.value() == " p<&>\"']]>\tä😀 ")
        #expect(try other.value("router", "password") == "second")
    }

    @Test(.enabled(if: hasKeePassXC, "needs keepassxc")) func keePassXCShowsTheCodes() throws {
        let home = try TestHome()
        try home.run("secret set mail.example ada --field totp", input: "JBSWY3DPEHPK3PXP")
        try home.run("secret export --format keepassxc --output all.xml")
        let folder = home.folder
        try keePassXC(
            "import", "-t", "100", "-p", folder + "/all.xml", folder + "/all.kdbx", answers: 2,
            in: home)
        func ours() throws -> String { try home.run("secret code mail.example ada").outputText }
        // A period may end between two of them.
        let codes = [
            try ours(), try keePassXC("show", "-t", folder + "/all.kdbx", "mail.example", in: home),
            try ours(),
        ].map { $0.filter(\.isNumber) }
        #expect(codes[1] == codes[0] || codes[1] == codes[2])
    }

    @Test(.enabled(if: hasPyKeePass, "needs python3-pykeepass")) func pykeepassOpensAnExport()
        throws
    {
        let home = try exportedHome()
        let program = """
            import pykeepass, sys
            for entry in pykeepass.PyKeePass(sys.argv[1], password="the password").entries:
                print([entry.title, entry.username, entry.password, entry.url, entry.notes, entry.otp, sorted(entry.custom_properties)])
            """
        let printed = try Tool.run("/usr/bin/python3", ["-c", program, home.folder + "/all.kdbx"])
        #expect(
            printed == #"""
                ['mail.example', 'ada', ' p<&>"\']]>\tä😀 ', 'https://mail.example/?a&b', 'two\n\nlines', 'otpauth://totp/mail.example:ada?secret=JBSWY3DPEHPK3PXP&issuer=mail.example', ['KP2A_URL', 'PIN', 'Title-2']]
                ['router', None, 'second', None, None, None, []]

                """#)
    }
}
