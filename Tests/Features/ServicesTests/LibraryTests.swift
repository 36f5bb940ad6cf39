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

        @Test("is not loaded where there is none, or something else")
        func missing() {
            #expect(SystemdLibrary(names: ["libnothing.so.0"]) == nil)
            #expect(SystemdLibrary(names: ["libsqlite3.so.0"]) == nil)
        }
    }
#endif
