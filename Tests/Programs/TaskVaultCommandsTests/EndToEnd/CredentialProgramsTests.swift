#if os(Linux)
    import Foundation
    import Testing
    import TestSupport

    /// Git and programs of containers at a server that wants a password, which the vault keeps for them.
    @Suite(.waitsForProcesses) struct CredentialProgramsTests {
        /// Its client needs no engine to log in.
        private static let docker = [
            "/usr/bin/docker", "/usr/local/bin/docker",
            Checkout.path(".build/docker/usr/bin/docker"),
        ].first(where: Files.exists)

        private let home: TestHome
        private let server: LineProcess
        private let place: String

        init() throws {
            home = try TestHome()
            let folder = home.folder + "/bin"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            for name in ["taskvault", "git-credential-taskvault", "docker-credential-taskvault"] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/\(name)", withDestinationPath: Executable.path)
            }
            home.environment["PATH"] = folder + ":/usr/bin:/bin:/usr/local/bin"
            home.environment["GIT_CONFIG_NOSYSTEM"] = "1"
            home.environment["GIT_TERMINAL_PROMPT"] = "0"
            server = try LineProcess(
                Checkout.path("Tests/Support/PasswordServer/password-server"),
                ["ada", "sesame", home.folder])
            place = "127.0.0.1:" + (try #require(try server.readLine()))
            try home.unlock()
        }

        /// Runs a script of the shell.
        private func shell(_ script: String) throws -> RunResult {
            home.program = "/bin/sh"
            defer { home.program = Executable.path }
            return try home.runBare(["-ec", script], beneath: ["/usr/bin/env"])
        }

        /// The services of the stored secrets.
        private func services() throws -> [String] {
            let listed = try home.runBare(["secret", "list", "--json"])
            return (listed.json as? [[String: Any]] ?? []).compactMap { $0["service"] as? String }
        }

        @Test(.enabled(if: Files.exists("/usr/bin/git"), "git is not installed"))
        func gitPushesAndClonesOverHTTP() throws {
            try Files.write(
                "#!/bin/sh\ncase $1 in User*) echo ada;; *) echo sesame;; esac\n",
                to: home.folder + "/ask", mode: 0o700)
            let done = try shell(
                """
                git config --global credential.helper taskvault
                git config --global user.email ada@example.org
                git config --global user.name ada
                git config --global init.defaultBranch main
                git init -q --bare r.git
                git -C r.git config http.receivepack true
                git init -q first && cd first
                echo content >file && git add file && git commit -qm file
                GIT_ASKPASS='\(home.folder)/ask' git push -q http://\(place)/r.git HEAD:main
                cd .. && GIT_ASKPASS=/bin/false git clone -q http://\(place)/r.git second
                cat second/file
                """)
            #expect(done.outputText == "content\n", "\(done.errorText)")
            #expect(try services() == ["git:http://\(place)"])
        }

        @Test(.enabled(if: docker != nil, "needs docker"))
        func dockerLogsInAndOut() throws {
            let docker = try #require(Self.docker)
            try Files.write("", to: home.folder + "/config.json")
            home.environment["DOCKER_CONFIG"] = home.folder
            let done = try shell(
                """
                taskvault setup docker --yes
                printf sesame | '\(docker)' login -u ada --password-stdin \(place)
                """)
            #expect(done.exitCode == 0, "\(done.errorText)")
            #expect(try services() == ["docker:" + place])
            let file = String(decoding: try Files.read(home.folder + "/config.json"), as: UTF8.self)
            #expect(file.contains(place) && !file.contains("\"auth\""))
            #expect(try shell("'\(docker)' logout \(place)").exitCode == 0)
            #expect(try services().isEmpty)
        }

        @Test(
            .enabled(
                if: ["podman", "skopeo"].allSatisfy { Files.exists("/usr/bin/" + $0) },
                "needs podman and skopeo"),
            arguments: ["podman", "skopeo"])
        func podmanAndSkopeoLogInAndOut(program: String) throws {
            let folder = home.folder + "/.config/containers"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Files.write(
                "credential-helpers = [\"taskvault\"]\n", to: folder + "/registries.conf")
            home.environment["XDG_RUNTIME_DIR"] = home.folder
            let done = try shell(
                """
                printf sesame | \(program) login --tls-verify=false -u ada --password-stdin \(place)
                \(program) login --get-login \(place)
                """)
            #expect(done.outputLines.last == "ada", "\(done.errorText)")
            #expect(try services() == ["docker:" + place])
            #expect(try shell("\(program) logout \(place)").exitCode == 0)
            #expect(try services().isEmpty)
        }

        /// As in a build that logs in several times at once.
        @Test func helpersAtTheSameTimeTryAgain() throws {
            let done = try shell(
                """
                store() {
                    printf 'protocol=https\\nhost=git.example\\nusername=ada\\npassword=%s\\noauth_refresh_token=%s\\n\\n' $1 $1 |
                        git-credential-taskvault store || echo store $?
                    printf '{"ServerURL":"ghcr.io","Username":"user%s","Secret":"%s"}' $(($1 % 3)) $1 |
                        docker-credential-taskvault store || echo docker store $?
                }
                erase() {
                    printf 'protocol=https\\nhost=git.example\\nusername=ada\\n\\n' | git-credential-taskvault erase || echo erase $?
                    echo ghcr.io | docker-credential-taskvault erase || echo docker erase $?
                }
                for number in 1 2 3 4 5 6 7 8; do store $number & done
                wait
                for number in 1 2 3 4 5 6; do store $number & erase & done
                wait
                """)
            expect(done, ends: 0)
            #expect(done.output.isEmpty, "\(done.outputText)")
        }
    }
#endif
