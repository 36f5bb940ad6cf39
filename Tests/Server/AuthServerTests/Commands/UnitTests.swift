import Foundation
import Testing
import TestSupport

/// The units of `Docs`, and the program that runs commands with the environment of one.
@Suite(.waitsForProcesses) struct UnitTests {
    private static let hasAnalyzer = FileManager.default.isExecutableFile(
        atPath: "/usr/bin/systemd-analyze")

    @Test(.enabled(if: hasAnalyzer, "needs systemd-analyze"))
    func unitsAreValidAndACommandRunsWithTheirEnvironment() throws {
        let home = try ServerHome()
        home.launcher = ["/bin/bash", Checkout.path("Tests/OAuth/units")]
        home.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
        expect(try home.run([]), ends: 0, "units: checked")
    }
}
