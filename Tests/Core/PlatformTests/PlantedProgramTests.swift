import Platform
import Testing
import TestSupport

/// Row G5: a program that precedes the real one in `PATH` gets no secret.
struct PlantedProgramTests {
    @Test("helpers are found in fixed folders, whatever PATH says", .endsProcess)
    func notInPath() async throws {
        try await withTemporaryFolder { folder in
            let names = ["env", "taskvault-planted-helper"]
            for name in names { try TestFile.write([], to: "\(folder)/\(name)") }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                #expect(unsafe setenv("PATH", folder, 1) == 0)
                let found = Executable.path(of: "env")
                #expect(found?.hasPrefix("/") == true && found?.hasPrefix(folder) == false)
                #expect(Executable.path(of: "taskvault-planted-helper") == nil)
            }
        }
    }
}
