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

// A part of each executable: its soname is another one in Debian 12 than in Debian 13 and Ubuntu 24.04. On macOS its package names it.
let utf8Proc: [LinkerSetting] = [
    .linkedLibrary(":libutf8proc.a", .when(platforms: [.linux]))
]

// Loading the runtime's libraries takes longer than all that a command does (Docs/Decisions/0017). Every name is resolved at the start, and
// the table of them is read-only then. What is not used is left out: no symbols, and none exported. Functions with the same code are one
// (icf); nothing here compares the addresses of functions. C++ and the unwinder come from Sources/System/Linking.
// Tests/executables looks at the result.
let released: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-L\(Context.packageDirectory)/Sources/System/Linking",
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z",
            "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
            "--gc-sections", "-Xlinker", "--icf=all", "-Xlinker", "--no-export-dynamic", "-Xlinker",
            "--strip-all", "-Xlinker",
            "--remap-inputs=*/libsqlite3.so=\(Context.packageDirectory)/Sources/System/Linking/libsqlite3.so",
        ], .when(platforms: [.linux], configuration: .release))
]

/// The name of the target in a folder such as `Core/Platform`.
func name(_ folder: String) -> String {
    folder.split(separator: "/").last.map(String.init) ?? folder
}

func module(
    _ folder: String, _ dependencies: [Target.Dependency], linking: [LinkerSetting] = []
) -> Target {
    .target(
        name: name(folder), dependencies: dependencies, path: "Sources/\(folder)",
        swiftSettings: settings, linkerSettings: linking)
}

func executable(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name(folder), dependencies: dependencies, path: "Sources/\(folder)",
        swiftSettings: settings, linkerSettings: released)
}

func systemLibrary(_ name: String, _ package: String?, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: package,
        providers: [.apt([apt]), .brew([brew])])
}

/// A program that tests start, or a person on purpose.
func program(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name(folder), dependencies: dependencies, path: "Tests/\(folder)",
        swiftSettings: settings)
}

func tests(
    of folder: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name(folder) + "Tests",
        dependencies: [.byName(name: name(folder)), "TestSupport"]
            + (name(folder) == "Platform" ? [] : ["Platform"]) + dependencies,
        path: "Tests/\(folder)Tests", exclude: exclude, swiftSettings: settings)
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
        .target(name: "CPlatform", path: "Sources/System/CPlatform"),
        .target(name: "CWipingHeap", path: "Sources/System/CWipingHeap"),
        .target(name: "CLateSQLite", path: "Sources/System/CLateSQLite"),
        .target(name: "CMicroHTTPD", path: "Sources/System/CMicroHTTPD"),
        .target(name: "CPostgreSQL", path: "Sources/System/CPostgreSQL"),
        .target(name: "CCurl", path: "Sources/System/CCurl"),
        .target(name: "CSystemd", path: "Sources/System/CSystemd"),
        .target(name: "CCrypto", path: "Sources/System/CCrypto"),
        .target(name: "CFido2", path: "Sources/System/CFido2"),
        .target(name: "CQREncode", path: "Sources/System/CQREncode"),
        .target(name: "CAppFiles", path: "Sources/System/CAppFiles", exclude: ["Page", "list"]),

        // The system, secrets, and text.
        module("Core/Platform", ["CPlatform"]),
        module("Core/SecretMemory", ["CSodium", "Platform"]),
        module("Core/TextCoding", ["SecretMemory", "CUTF8Proc", "Platform"], linking: utf8Proc),
        module(
            "Core/Sealing", ["SecretMemory", "CSodium", "CUTF8Proc", "Platform"], linking: utf8Proc),
        module("Core/LibCrypto", ["CCrypto", "CSodium", "TextCoding", "SecretMemory", "Platform"]),
        module("Vault/SecureStorage", ["TextCoding", "SecretMemory"]),
        module(
            "Features/Secrets",
            [
                "TextCoding", "SecretMemory", "SecureStorage", "Sealing", "CSodium", "LibCrypto",
                "Platform",
            ]),

        // Storage.
        module("Core/Database", ["CSQLite", "CPostgreSQL", "TextCoding", "Platform"]),
        module("Vault/VaultStorage", ["Database", "Platform"]),

        // The vault, and its agent.
        module(
            "Vault/VaultCore",
            ["SecureStorage", "SecretMemory", "TextCoding", "Sealing", "VaultStorage", "Platform"]),
        module(
            "Vault/Passkeys",
            ["TextCoding", "Sealing", "SecretMemory", "CSodium", "LibCrypto"]),
        module(
            "Vault/VaultAgent",
            [
                "Passkeys", "VaultCore", "SecureStorage", "SecretMemory", "TextCoding", "Sealing",
                "VaultStorage", "Platform",
            ]),

        // The log of changes that homes exchange.
        module(
            "Vault/Sync",
            ["SecureStorage", "SecretMemory", "TextCoding", "Sealing"]),
        module(
            "Vault/SyncMembers",
            ["Sync", "SecureStorage", "SecretMemory", "TextCoding", "Sealing", "Platform"]),
        module(
            "Vault/SyncStorage",
            [
                "Sync", "Database", "SecureStorage", "SecretMemory", "TextCoding", "Sealing",
                "Platform",
            ]),

        // Security keys.
        module("Vault/SecurityKeys", ["CFido2", "Sealing", "SecretMemory", "Platform"]),

        // Tasks.
        module(
            "Features/Tasks",
            [
                "TextCoding", "SecureStorage", "SecretMemory", "Database", "Platform",
            ]),

        // The changes of vault and list as records, and records as changes.
        module(
            "Features/SyncMirrors",
            [
                "Sync", "SyncStorage", "Tasks", "SecureStorage", "SecretMemory", "Sealing",
                "TextCoding",
            ]),

        // What runs beside the desktop, over D-Bus. Empty elsewhere than on Linux.
        module(
            "Features/Services",
            [
                "CSystemd", "LibCrypto", "Tasks", "Database", "SecureStorage",
                "SecretMemory", "Sealing", "TextCoding", "Platform",
            ]),

        // The command lines.
        module(
            "Core/CommandLine", ["TextCoding", "SecretMemory", "CUTF8Proc", "Platform"]),

        // The auth server.
        module(
            "Server/Accounts",
            [
                "Passkeys", "Secrets", "TextCoding", "SecretMemory", "Sealing", "Database",
                "CUTF8Proc", "Platform",
            ]),
        module("Features/HTTPServer", ["CMicroHTTPD", "CSodium", "Platform"]),
        module(
            "Server/AuthServer",
            [
                "Accounts", "Passkeys", "HTTPServer", "Database", "LibCrypto", "Sealing",
                "SecretMemory", "CommandLine", "TextCoding", "Platform",
            ]),

        // Asking servers, and signing in.
        module("Features/HTTPClient", ["CCurl", "TextCoding", "SecretMemory", "Platform"]),
        module(
            "Features/SignIn",
            [
                "HTTPClient", "HTTPServer", "Sealing", "SecureStorage", "SecretMemory",
                "TextCoding", "Platform",
            ]),

        // Messages from others, and checklists.
        module(
            "Features/Inbox",
            [
                "LibCrypto", "CQREncode", "SignIn", "HTTPClient", "VaultCore", "Sealing",
                "SecureStorage", "SecretMemory", "TextCoding", "Platform",
            ]),

        // The programs.
        // The operations, without a command line.
        module(
            "Programs/Application",
            [
                "Inbox", "VaultAgent", "VaultCore", "SecureStorage", "Sealing", "LibCrypto", "Sync",
                "SyncMembers", "SyncMirrors", "SyncStorage", "VaultStorage", "SecretMemory",
                "SecurityKeys", "Secrets", "Tasks", "Services", "Database", "SignIn", "HTTPClient",
                "Accounts", "TextCoding", "Platform",
            ]),
        // The page of the local app, and what serves it.
        module(
            "Programs/LocalApp",
            [
                "CAppFiles", "CSodium", "Application", "Passkeys", "HTTPServer", "CommandLine",
                "Sealing", "TextCoding", "SecretMemory", "Platform",
            ]),
        module(
            "Programs/TaskVaultCommands",
            [
                "Application", "LocalApp", "Inbox", "Passkeys", "VaultAgent", "VaultCore",
                "SecureStorage", "Sealing", "VaultStorage", "SecretMemory", "SecurityKeys",
                "Secrets", "Tasks", "Services", "Database", "SignIn", "HTTPClient", "TextCoding",
                "CommandLine", "Platform",
            ]),
        executable(
            "Programs/taskvault-authd",
            ["AuthServer", "CommandLine", "Database", "SecretMemory", "Platform"]),
        executable(
            "Programs/taskvault",
            [
                "TaskVaultCommands", "CommandLine", "SecretMemory", "Platform", "CWipingHeap",
                "CLateSQLite",
            ]),

        // Tests, and what is run on purpose.
        .target(name: "CTestPlatform", path: "Tests/Support/CTestPlatform"),
        .target(
            name: "CDeclarationChecks",
            dependencies: [
                "CCrypto", "CCurl", "CFido2", "CMicroHTTPD", "CPostgreSQL", "CQREncode", "CSystemd",
            ],
            path: "Tests/Support/CDeclarationChecks"),
        .target(
            name: "CSoftwareAuthenticator", path: "Tests/Support/CSoftwareAuthenticator",
            linkerSettings: [.linkedLibrary("crypto", .when(platforms: [.linux]))]),
        .target(
            name: "SoftwareAuthenticator",
            dependencies: [
                "SecurityKeys", "SecretMemory", "CFido2", "CSoftwareAuthenticator", "CSodium",
                "Platform",
            ],
            path: "Tests/Support/SoftwareAuthenticator", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                "SecureStorage", "SecretMemory", "Sealing", "VaultStorage", "VaultCore", "Tasks",
                "Passkeys", "Database", "CommandLine", "Accounts", "TextCoding", "Platform",
                "CSodium",
                "CTestPlatform",
            ],
            path: "Tests/Support/TestSupport", swiftSettings: settings),
        // The programs that tests start, and the benchmark: swift run -c release TestTools benchmark
        .target(
            name: "Benchmarks",
            dependencies: [
                "VaultAgent", "VaultCore", "SecureStorage", "Sealing", "VaultStorage",
                "SecretMemory", "Tasks", "TextCoding", "CSodium", "CSQLite", "Accounts",
                "Database", "TestSupport", "CTestPlatform", "CBareHTTPServer", "Platform",
                "Services", "Sync", "SyncStorage", "SyncMirrors",
            ],
            path: "Tests/Benchmarks", swiftSettings: settings),
        .target(
            name: "CBareHTTPServer", dependencies: ["CSQLite"],
            path: "Tests/Support/CBareHTTPServer",
            linkerSettings: [.linkedLibrary("microhttpd")]),
        program(
            "Support/TestTools",
            [
                "Benchmarks", "TestSupport", "SecureStorage", "SecretMemory", "Sealing",
                "VaultStorage", "VaultCore", "VaultAgent", "Tasks", "TaskVaultCommands",
                "SecurityKeys", "SoftwareAuthenticator", "HTTPClient", "SignIn", "CSodium",
                "CommandLine", "Platform", "taskvault", "taskvault-authd",
            ]),
        tests(of: "Core/Platform"),
        tests(of: "Core/TextCoding", ["SecretMemory"]),
        tests(of: "Core/SecretMemory"),
        tests(of: "Core/Sealing", ["SecretMemory", "CSodium"]),
        tests(of: "Core/LibCrypto", ["CDeclarationChecks", "SecretMemory"]),
        tests(of: "Vault/SecureStorage"),
        tests(of: "Features/Secrets", ["SecretMemory", "SecureStorage"]),
        tests(of: "Core/Database", ["CPostgreSQL", "CDeclarationChecks"]),
        tests(of: "Vault/VaultStorage", ["Database"]),
        tests(
            of: "Vault/VaultCore",
            [
                "SecureStorage", "SecretMemory", "Sealing", "VaultStorage", "Database", "CSodium",
                "TestTools",
            ]),
        tests(
            of: "Vault/Passkeys",
            ["LibCrypto", "CSodium", "Sealing", "SecretMemory", "TextCoding"]),
        tests(
            of: "Vault/VaultAgent",
            [
                "Passkeys",
                "VaultCore", "SecureStorage", "SecretMemory", "Sealing", "VaultStorage",
                "CTestPlatform",
            ]),
        tests(
            of: "Vault/Sync",
            [
                "SyncMembers", "SyncStorage", "SecureStorage", "SecretMemory", "Sealing",
                "TextCoding",
            ]),
        tests(
            of: "Vault/SyncMembers",
            ["Sync", "SecureStorage", "SecretMemory", "Sealing", "TextCoding"]),
        tests(
            of: "Vault/SyncStorage",
            ["Sync", "Database", "SecureStorage", "SecretMemory", "Sealing", "TextCoding"]),
        tests(
            of: "Features/SyncMirrors",
            [
                "Sync", "SyncMembers", "SyncStorage", "Tasks", "SecureStorage", "SecretMemory",
                "Sealing", "TextCoding", "VaultCore", "VaultStorage", "Database",
            ]),
        tests(
            of: "Vault/SecurityKeys",
            [
                "SoftwareAuthenticator", "CFido2", "CDeclarationChecks", "Sealing", "SecretMemory",
                "taskvault",
            ]),
        tests(
            of: "Features/Tasks",
            [
                "TestTools", "SecureStorage", "SecretMemory", "TextCoding", "Database",
                "VaultStorage",
            ]),
        tests(
            of: "Features/Services",
            [
                "Tasks", "SecureStorage", "SecretMemory", "Database", "TextCoding", "CSystemd",
                "CDeclarationChecks",
                "CTestPlatform", "taskvault",
            ]),
        tests(of: "Core/CommandLine", ["SecretMemory"]),
        tests(of: "Server/Accounts", ["Database", "TextCoding", "SecretMemory", "Sealing"]),
        tests(of: "Features/HTTPServer", ["CDeclarationChecks"]),
        tests(
            of: "Server/AuthServer",
            [
                "Accounts", "Passkeys", "HTTPServer", "Database", "SecretMemory", "TextCoding",
                "Sealing", "CommandLine", "taskvault-authd",
            ]),
        tests(
            of: "Features/HTTPClient",
            ["CCurl", "CDeclarationChecks", "HTTPServer", "SecretMemory", "TestTools"]),
        tests(
            of: "Features/SignIn",
            ["HTTPClient", "HTTPServer", "SecureStorage", "SecretMemory", "TextCoding"]),
        tests(
            of: "Features/Inbox",
            [
                "LibCrypto", "CDeclarationChecks", "HTTPClient", "SecureStorage", "SecretMemory",
                "TextCoding",
            ]),
        tests(
            of: "Programs/Application",
            [
                "Sealing", "SecretMemory", "SecureStorage", "Sync", "SyncMembers", "SyncStorage",
                "Tasks",
                "TextCoding", "VaultCore", "VaultStorage",
            ]),
        tests(
            of: "Programs/TaskVaultCommands",
            [
                "Application", "CommandLine", "TextCoding", "Inbox", "Sync", "SyncMembers",
                "VaultAgent",
                "VaultCore", "SecureStorage", "VaultStorage",
                "Sealing", "SecretMemory", "Tasks", "SignIn", "HTTPClient", "HTTPServer",
                "taskvault",
                "SecurityKeys", "Passkeys", "taskvault-authd", "TestTools", "CTestPlatform",
                "SoftwareAuthenticator",
            ], exclude: ["Transcripts"]),
        tests(
            of: "Programs/LocalApp",
            [
                "Application", "TaskVaultCommands", "HTTPServer", "Passkeys", "CommandLine",
                "TextCoding", "SecretMemory", "taskvault",
            ], exclude: ["Browser"]),
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
