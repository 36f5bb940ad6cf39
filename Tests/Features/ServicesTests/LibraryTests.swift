#if os(Linux)
    import CSystemdCheck
    import TestSupport
    import Testing

    @testable import Services

    @Suite("libsystemd")
    struct LibraryTests {
        @Test(
            "is declared as in its own header, which the compiler has compared",
            .enabled(
                if: DesktopSession.isWanted || systemd_check_had_header(), "needs libsystemd-dev"))
        func header() {
            #expect(systemd_check_had_header())
        }

        @Test("is not loaded where there is none, or something else")
        func missing() {
            #expect(SystemdLibrary(names: ["libnothing.so.0"]) == nil)
            #expect(SystemdLibrary(names: ["libsqlite3.so.0"]) == nil)
        }
    }
#endif
