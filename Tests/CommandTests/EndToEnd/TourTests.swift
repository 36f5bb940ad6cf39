import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct TourTests {
    @Test func theTourDoesTheMainJobAndLeavesNothing() throws {
        let home = try TestHome(withVault: false)
        let temporary = home.folder + "/tmp"
        try #require(unsafe mkdir(temporary, 0o700) == 0)
        home.environment["TMPDIR"] = temporary
        let tour = try home.runBare(["tour"])
        expect(tour, ends: 0)
        for text in [
            "$ taskvault init", "$ printf %s swordfish-42 | taskvault secret set",
            "taskvault: error: wrong passphrase", "(exit code 4)", "   swordfish-42\n",
            "   Told nobody yet: the cake is in the attic.\n", "diary         today",
            "damaged or was tampered with", "(exit code 7)", "problem: value_seal",
            "restored 2 secrets",
        ] {
            #expect(tour.outputText.contains(text), "\(text)")
        }
        #expect(Files.names(in: temporary).isEmpty)
        // Nothing of the person's was touched.
        #expect(
            Files.names(in: home.folder).filter { !$0.hasPrefix(".") } == ["passphrase", "tmp"])
    }

    @Test func anInterruptedTourLeavesNothing() throws {
        let home = try TestHome(withVault: false)
        let temporary = home.folder + "/tmp"
        try #require(unsafe mkdir(temporary, 0o700) == 0)
        home.environment["TMPDIR"] = temporary
        let session = try TerminalSession(home, ["tour"])
        try session.waitFor("saved mail.example ada")
        try session.type("\u{3}")
        #expect(try session.finish() == 130)
        #expect(Files.names(in: temporary).isEmpty)
    }
}
