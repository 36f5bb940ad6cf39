#if os(Linux)
    import CDeclarationChecks
    import Testing

    @testable import Services

    @Suite("libsystemd")
    struct LibraryTests {
        @Test(
            "is declared as in its own header, which the compiler has compared",
            .enabled(if: declarations_had_libsystemd(), "needs libsystemd-dev"))
        func header() {
            #expect(declarations_had_libsystemd())
        }

        @Test("an address escapes the folder of the bus")
        func address() {
            #expect(SessionBus.escape("/run/user/1000-a_b.c") == "/run/user/1000-a_b.c")
            #expect(SessionBus.escape("/a b,c;d=%\u{1}") == "/a%20b%2cc%3bd%3d%25%01")
        }

        @Test("is not loaded where there is none, or something else")
        func missing() {
            #expect(SystemdLibrary(names: ["libnothing.so.0"]) == nil)
            #expect(SystemdLibrary(names: ["libsqlite3.so.0"]) == nil)
        }
    }
#endif
