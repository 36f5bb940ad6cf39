import Foundation
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct InjectCommandTests {
    private let home: TestHome

    init() throws {
        home = try TestHome()
        try home.save("{{ taskvault://other/x }}$1\\n")
        try home.save("sesame", "other", "x")
        try Files.write(
            "p={{ taskvault://mail.example/ada }}\nq={{taskvault://other/x/password}} {{ z }}\n",
            to: template)
    }

    private var template: String { home.folder + "/template" }
    private var output: String { home.folder + "/filled" }
    private let filled = "p={{ taskvault://other/x }}$1\\n\nq=sesame {{ z }}\n"

    @Test func aTemplateIsFilledOnce() throws {
        let file = try home.run("inject --in \(template)")
        expect(file, ends: 0)
        #expect(file.outputText == filled)
        let piped = try home.run(["inject"], input: try Files.read(template))
        #expect(piped.outputText == filled)
    }

    @Test func theOutputFileIsForItsOwnerAndReplacedOnlyOnRequest() throws {
        home.launcher = ["/bin/sh", "-c", "umask 0; exec \"$@\"", "sh"]
        let wrote = try home.run("inject --in \(template) --output \(output)")
        expect(wrote, ends: 0)
        #expect(wrote.outputText == "wrote \(output)\n")
        let mode = try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(String(decoding: try Files.read(output), as: UTF8.self) == filled)
        try Files.write("old", to: output)
        expect(
            try home.run("inject --in \(template) --output \(output)"), ends: 6,
            "error: \(output) already exists", "hint: --replace replaces it")
        #expect(try Files.read(output) == Array("old".utf8))
        let replaced = try home.run("inject --in \(template) --output \(output) --replace --json")
        #expect(replaced.object["path"] as? String == output)
        #expect(String(decoding: try Files.read(output), as: UTF8.self) == filled)
    }

    @Test func anUnknownReferenceWritesNothing() throws {
        try Files.write("a {{ taskvault://mail.example/eve }} b", to: template)
        try Files.write("old", to: output)
        let before = try FileManager.default.contentsOfDirectory(atPath: home.folder).count
        let failed = try home.run("inject --in \(template) --output \(output) --replace")
        expect(
            failed, ends: 5, "error: there is no secret mail.example eve",
            "hint: taskvault secret list")
        #expect(try Files.read(output) == Array("old".utf8))
        #expect(try home.run("inject --in \(template)").output.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.folder).count == before)
    }

    @Test func aMalformedReferenceIsNamedByItsLine() throws {
        try Files.write("\n{{ taskvault://mail.example }}", to: template)
        expect(
            try home.run("inject --in \(template)"), ends: 2,
            "error: line 2 of the template: invalid reference",
            "hint: such as taskvault://mail.example/ada/password, with %2F for a slash in a name")
        try Files.write("{{ taskvault://mail.example/ada \n}}", to: template)
        expect(
            try home.run("inject --in \(template)"), ends: 2,
            "error: line 1 of the template: a reference without }}",
            "hint: write {{ taskvault://SERVICE/ACCOUNT }} in one line")
        try Files.write("{{ taskvault://taskvault.tasks/x }}", to: template)
        #expect(try home.run("inject --in \(template)").exitCode == 8)
    }

    @Test func aTemplateWithoutReferencesNeedsNoVault() throws {
        let bare = try TestHome(withVault: false)
        let bytes: [UInt8] = Array("a {{ b }}\n".utf8) + [0, 0xFF]
        try Files.write(bytes, to: bare.folder + "/template")
        let found = try bare.runBare(["inject", "--in", bare.folder + "/template"])
        expect(found, ends: 0)
        #expect(found.output == bytes)
    }

    @Test func aMissingFileOrFolderIsExplained() throws {
        expect(
            try home.run("inject --in \(home.folder)/nothing"), ends: 2,
            "error: cannot read \(home.folder)/nothing: no such file or directory")
        expect(
            try home.run("inject --in \(template) --output \(home.folder)/no/file"), ends: 5,
            "error: there is no folder for \(home.folder)/no/file")
    }
}
