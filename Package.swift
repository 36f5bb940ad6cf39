// swift-tools-version: 6.2
import PackageDescription

/// One list for every target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Debian's file names a preprocessor flag that the package manager warns about, and nothing that is needed there.
#if os(macOS)
    let utf8ProcPackage: String? = "libutf8proc"
#else
    let utf8ProcPackage: String? = nil
#endif

// Loading the runtime's libraries takes longer than all that a command does (Docs/Decisions/0017). Every name is resolved at the start, and
// the table of them is read-only then. What is not used is left out: no symbols, and none exported. Functions with the same code are one
// (icf); nothing here compares the addresses of functions. C++ comes from Sources/System/Linking.
// Tests/executables looks at the result.
let released: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-L\(Context.packageDirectory)/Sources/System/Linking",
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z",
            "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
            "--gc-sections", "-Xlinker", "--icf=all", "-Xlinker", "--no-export-dynamic", "-Xlinker",
            "--strip-all",
        ], .when(platforms: [.linux], configuration: .release))
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func systemLibrary(_ name: String, _ package: String?, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: package,
        providers: [.apt([apt]), .brew([brew])])
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

func tests(
    of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "TestSupport"]
            + (name == "Platform" ? [] : ["Platform"]) + dependencies,
        exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "TaskVault",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "SecureStorage", targets: ["SecureStorage"]),
        .library(name: "VaultCore", targets: ["VaultCore"]),
    ],
    targets: [
        // C libraries of the operating system, and what Swift cannot call of the system's headers.
        systemLibrary("CSodium", "libsodium", apt: "libsodium-dev", brew: "libsodium"),
        systemLibrary("CSQLite", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        systemLibrary("CUTF8Proc", utf8ProcPackage, apt: "libutf8proc-dev", brew: "utf8proc"),
        systemLibrary(
            "CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
        .target(name: "CPlatform", path: "Sources/System/CPlatform"),
        .target(name: "CPostgreSQL", path: "Sources/System/CPostgreSQL"),
        .target(name: "CCurl", path: "Sources/System/CCurl"),
        .target(name: "CSystemd", path: "Sources/System/CSystemd"),
        .target(name: "CCrypto", path: "Sources/System/CCrypto"),
        .target(name: "CFido2", path: "Sources/System/CFido2"),
        .target(name: "CQREncode", path: "Sources/System/CQREncode"),
        .target(name: "CAppFiles", path: "Sources/System/CAppFiles", exclude: ["Page", "list"]),

        // The system, secrets, and text.
        module("Platform", ["CPlatform"]),
        module("SecretMemory", ["CSodium", "Platform"]),
        module("TextCoding", ["SecretMemory", "CUTF8Proc", "Platform"]),
        module("Sealing", ["SecretMemory", "CSodium", "CUTF8Proc", "Platform"]),
        module("SecureStorage", ["TextCoding", "SecretMemory", "Platform"]),
        module(
            "Secrets",
            [
                "TextCoding", "SecretMemory", "SecureStorage", "Sealing", "CSodium", "CCrypto",
                "Platform",
            ]),

        // Storage.
        module("Database", ["CSQLite", "CPostgreSQL", "Platform"]),
        module("VaultStorage", ["Database", "Platform"]),

        // The vault, and its agent.
        module(
            "VaultCore",
            ["SecureStorage", "SecretMemory", "TextCoding", "Sealing", "VaultStorage", "Platform"]),
        module(
            "Passkeys", ["TextCoding", "Sealing", "SecretMemory", "CSodium", "CCrypto"]),
        module(
            "VaultAgent",
            [
                "Passkeys", "VaultCore", "SecureStorage", "SecretMemory", "TextCoding", "Sealing",
                "VaultStorage", "Platform",
            ]),

        // Security keys.
        module("SecurityKeys", ["CFido2", "Sealing", "SecretMemory", "Platform"]),

        // Tasks.
        module(
            "Tasks",
            [
                "TextCoding", "SecureStorage", "SecretMemory", "Database", "Platform",
            ]),

        // What runs beside the desktop, over D-Bus. Empty elsewhere than on Linux.
        module(
            "Services",
            [
                "CSystemd", "CCrypto", "CSodium", "Tasks", "Database", "SecureStorage",
                "SecretMemory", "Sealing", "TextCoding", "Platform",
            ]),

        // The command lines.
        module(
            "CommandLine", ["Database", "TextCoding", "SecretMemory", "CUTF8Proc", "Platform"]),

        // The auth server.
        module("Accounts", ["TextCoding", "SecretMemory", "Sealing", "CUTF8Proc", "Platform"]),
        module("AccountStorage", ["Accounts", "TextCoding", "Database", "Platform"]),
        module("HTTPServer", ["CMicroHTTPD", "CSodium", "Platform"]),
        module(
            "AuthServer",
            [
                "AccountStorage", "Accounts", "HTTPServer", "Database", "Passkeys", "Sealing",
                "SecretMemory", "CommandLine", "TextCoding", "CCrypto", "CSodium", "Platform",
            ]),

        // Asking servers, and signing in.
        module("HTTPClient", ["CCurl", "SecretMemory", "Platform"]),
        module(
            "SignIn", ["HTTPClient", "SecureStorage", "SecretMemory", "TextCoding", "Platform"]),

        // Messages from others, and checklists.
        module(
            "Inbox",
            [
                "CCrypto", "CQREncode", "CSodium", "SignIn", "HTTPClient", "VaultCore", "Sealing",
                "SecureStorage", "SecretMemory", "TextCoding", "Platform",
            ]),

        // The programs.
        module(
            "TaskVaultCommands",
            [
                "Inbox", "Passkeys",
                "VaultAgent", "VaultCore", "SecureStorage", "Sealing", "VaultStorage",
                "SecretMemory", "SecurityKeys", "Secrets", "Tasks", "Services", "Database",
                "SignIn",
                "HTTPClient", "Accounts", "TextCoding", "CommandLine", "Platform",
            ]),
        // The page of the local app, and what serves it.
        module(
            "LocalApp",
            [
                "CAppFiles", "CSodium", "TaskVaultCommands", "HTTPServer", "CommandLine",
                "Database",
                "Sealing", "TextCoding", "SecretMemory", "Platform",
            ]),
        .executableTarget(
            name: "taskvault-app",
            dependencies: [
                "LocalApp", "TaskVaultCommands", "CommandLine", "SecretMemory", "Platform",
            ],
            swiftSettings: settings, linkerSettings: released),
        .executableTarget(
            name: "taskvault-authd",
            dependencies: ["AuthServer", "CommandLine", "Database", "SecretMemory", "Platform"],
            swiftSettings: settings, linkerSettings: released),
        .executableTarget(
            name: "taskvault-services",
            dependencies: ["TaskVaultCommands", "CommandLine", "SecretMemory", "Platform"],
            swiftSettings: settings, linkerSettings: released),
        .executableTarget(
            name: "taskvault",
            dependencies: ["TaskVaultCommands", "CommandLine", "SecretMemory", "Platform"],
            swiftSettings: settings, linkerSettings: released),

        // Tests, and what is run on purpose.
        .target(name: "CTestPlatform", path: "Tests/CTestPlatform"),
        .target(
            name: "CPostgreSQLCheck", dependencies: ["CPostgreSQL"], path: "Tests/CPostgreSQLCheck"),
        .target(name: "CCurlCheck", dependencies: ["CCurl"], path: "Tests/CCurlCheck"),
        .target(name: "CSystemdCheck", dependencies: ["CSystemd"], path: "Tests/CSystemdCheck"),
        .target(name: "CCryptoCheck", dependencies: ["CCrypto"], path: "Tests/CCryptoCheck"),
        .target(name: "CFido2Check", dependencies: ["CFido2"], path: "Tests/CFido2Check"),
        .target(
            name: "CQREncodeCheck", dependencies: ["CQREncode"], path: "Tests/CQREncodeCheck"),
        .target(
            name: "CSoftwareAuthenticator", path: "Tests/CSoftwareAuthenticator",
            linkerSettings: [.linkedLibrary("crypto", .when(platforms: [.linux]))]),
        .target(
            name: "SoftwareAuthenticator",
            dependencies: [
                "SecurityKeys", "SecretMemory", "CFido2", "CSoftwareAuthenticator", "CSodium",
                "Platform",
            ],
            path: "Tests/SoftwareAuthenticator", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                "SecureStorage", "SecretMemory", "Sealing", "VaultStorage", "VaultCore", "Tasks",
                "Passkeys", "Database", "CommandLine", "Accounts", "TextCoding", "Platform",
                "CSodium",
                "CTestPlatform",
            ],
            path: "Tests/TestSupport", swiftSettings: settings),
        program(
            "VaultWriter",
            [
                "TestSupport", "SecureStorage", "SecretMemory", "Sealing", "VaultStorage",
                "VaultCore", "Platform",
            ]),
        program("ClockProbe", ["VaultAgent"]),
        program("CalendarProbe", ["Tasks"]),
        program(
            "MemoryProbe",
            [
                "TestSupport", "SecureStorage", "SecretMemory", "Sealing", "VaultStorage",
                "VaultCore", "CSodium", "Platform",
            ]),
        program(
            "KeyProbe",
            [
                "TaskVaultCommands", "SecurityKeys", "SoftwareAuthenticator", "CommandLine",
                "SecretMemory", "Platform",
            ]),
        program("HTTPProbe", ["HTTPClient", "TestSupport", "SecretMemory", "Platform"]),
        program("SignInProbe", ["SignIn", "HTTPClient", "SecureStorage", "SecretMemory"]),
        tests(of: "Platform"),
        tests(of: "TextCoding"),
        tests(of: "SecretMemory"),
        tests(of: "Sealing", ["SecretMemory", "CSodium"]),
        tests(of: "SecureStorage"),
        tests(of: "Secrets", ["SecretMemory", "SecureStorage"]),
        tests(of: "Database", ["CPostgreSQL", "CPostgreSQLCheck"]),
        tests(of: "VaultStorage", ["Database"]),
        tests(
            of: "VaultCore",
            [
                "SecureStorage", "SecretMemory", "Sealing", "VaultStorage", "Database", "CSodium",
                "VaultWriter", "MemoryProbe",
            ]),
        tests(
            of: "Passkeys",
            ["CCrypto", "CCryptoCheck", "CSodium", "Sealing", "SecretMemory", "TextCoding"]),
        tests(
            of: "VaultAgent",
            [
                "Passkeys",
                "VaultCore", "SecureStorage", "SecretMemory", "Sealing", "VaultStorage",
                "CTestPlatform", "ClockProbe",
            ]),
        tests(
            of: "SecurityKeys",
            [
                "SoftwareAuthenticator", "CFido2", "CFido2Check", "Sealing", "SecretMemory",
                "taskvault",
            ]),
        tests(
            of: "Tasks",
            [
                "CalendarProbe", "SecureStorage", "SecretMemory", "TextCoding", "Database",
                "VaultStorage",
            ]),
        tests(
            of: "Services",
            [
                "Tasks", "SecureStorage", "SecretMemory", "Database", "TextCoding", "CSystemd",
                "CSystemdCheck",
                "CTestPlatform", "taskvault", "taskvault-services",
            ]),
        tests(of: "CommandLine", ["SecretMemory"]),
        tests(
            of: "Accounts", ["AccountStorage", "Database", "TextCoding", "SecretMemory", "Sealing"]),
        tests(of: "AccountStorage", ["Accounts", "TextCoding", "Sealing", "Database"]),
        tests(of: "HTTPServer"),
        tests(
            of: "AuthServer",
            [
                "AccountStorage", "Accounts", "HTTPServer", "Database", "SecretMemory",
                "TextCoding", "Sealing", "CommandLine", "taskvault-authd",
            ]),
        tests(
            of: "HTTPClient", ["CCurl", "CCurlCheck", "HTTPServer", "SecretMemory", "HTTPProbe"]),
        tests(
            of: "SignIn",
            ["HTTPClient", "HTTPServer", "SecureStorage", "SecretMemory", "TextCoding"]),
        tests(
            of: "Inbox",
            [
                "CCrypto", "CQREncodeCheck", "HTTPClient", "SecureStorage", "SecretMemory",
                "TextCoding",
            ]),
        tests(
            of: "TaskVaultCommands",
            [
                "CommandLine", "Inbox", "VaultAgent", "VaultCore", "SecureStorage", "VaultStorage",
                "Sealing", "SecretMemory", "Tasks", "SignIn", "HTTPClient", "HTTPServer",
                "taskvault",
                "SecurityKeys", "Passkeys", "taskvault-authd", "taskvault-services", "VaultWriter",
                "KeyProbe", "SoftwareAuthenticator",
            ]),
        tests(
            of: "LocalApp",
            [
                "TaskVaultCommands", "HTTPServer", "Passkeys", "CommandLine", "TextCoding",
                "SecretMemory", "taskvault", "taskvault-app",
            ], exclude: ["Browser"]),

        // Run on purpose: swift run -c release Benchmarks
        .target(
            name: "CBareHTTPServer", dependencies: ["CMicroHTTPD", "CSQLite"],
            path: "Tests/CBareHTTPServer"),
        program(
            "Benchmarks",
            [
                "taskvault", "VaultAgent", "VaultCore", "SecureStorage", "Sealing", "VaultStorage",
                "SecretMemory", "Tasks", "TextCoding", "CSodium", "CSQLite", "taskvault-authd",
                "taskvault-services", "taskvault-app", "Accounts", "AccountStorage", "Database",
                "TestSupport", "CBareHTTPServer",
                "Platform",
            ]),
    ]
)

// Names of test targets, with `|` between them: what these do not need is not built. To build all the rest takes longer than most tests.
if let kept = Context.environment["TASKVAULT_TESTS"] {
    var needed = Set(package.products.flatMap { ($0 as? Product.Library)?.targets ?? [] })
    var waiting = needed.union(kept.split(separator: "|").map(String.init))
    while let name = waiting.popFirst() {
        needed.insert(name)
        for target in package.targets where target.name == name {
            for dependency in target.dependencies {
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _):
                    if !needed.contains(name) { waiting.insert(name) }
                default: break
                }
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
}
