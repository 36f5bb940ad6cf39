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

// Loading the runtime's libraries takes longer than all that a command does (Docs/Decisions/0017).
let startQuickly: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings)
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
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CUTF8Proc", pkgConfig: utf8ProcPackage,
            providers: [.apt(["libutf8proc-dev"]), .brew(["utf8proc"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .target(name: "CPlatform"),
        .target(name: "CPostgreSQL"),
        .target(name: "CCurl"),

        // Secrets, and text.
        module("SecretMemory", ["CSodium", "CPlatform"]),
        module("TextCoding", ["SecretMemory"]),
        module("VaultSealing", ["SecretMemory", "CSodium", "CUTF8Proc", "CPlatform"]),
        module("SecureStorage", ["SecretMemory"]),
        module("SecretExchange", ["TextCoding", "SecretMemory", "SecureStorage", "CSodium"]),

        // Storage.
        module("SQLiteDatabase", ["CSQLite"]),
        module("PostgreSQLDatabase", ["CPostgreSQL"]),
        module("VaultStorage", ["SQLiteDatabase", "PostgreSQLDatabase", "CPlatform"]),

        // The vault.
        module(
            "VaultCore",
            [
                "SecureStorage", "SecretMemory", "TextCoding", "VaultSealing", "VaultStorage",
                "CPlatform",
            ]),

        // The agent.
        module(
            "VaultAgent",
            [
                "VaultCore", "SecureStorage", "SecretMemory", "TextCoding", "VaultSealing",
                "VaultStorage", "CPlatform",
            ]),

        // Tasks.
        module(
            "TodoTasks",
            ["TextCoding", "SecureStorage", "SecretMemory", "CUTF8Proc"]),
        module("TaskExchange", ["TodoTasks", "TextCoding"]),
        module(
            "TodoTaskStorage",
            ["TodoTasks", "SQLiteDatabase", "PostgreSQLDatabase", "VaultStorage"]),

        // The auth server.
        module(
            "Accounts",
            ["TextCoding", "SecretMemory", "VaultSealing", "CUTF8Proc"]),
        module(
            "AccountStorage",
            [
                "Accounts", "TextCoding", "VaultSealing", "SQLiteDatabase", "PostgreSQLDatabase",
                "VaultStorage",
            ]),
        module("HTTPServer", ["CMicroHTTPD", "CSodium", "CPlatform"]),
        module(
            "AuthServer",
            [
                "Accounts", "HTTPServer", "TextCoding", "VaultSealing", "SecretMemory", "CSodium",
            ]),

        // Asking servers, and signing in.
        module("HTTPClient", ["CCurl", "SecretMemory", "CPlatform"]),
        module(
            "SignIn", ["HTTPClient", "SecureStorage", "SecretMemory", "TextCoding", "CPlatform"]),

        // The command line.
        module("Terminal", ["TextCoding", "SecretMemory", "CPlatform", "CUTF8Proc"]),
        module("CommandSyntax", ["Terminal", "SecretMemory", "CPlatform"]),
        module(
            "TaskVaultCommands",
            [
                "VaultAgent", "VaultCore", "SecureStorage", "VaultSealing", "VaultStorage",
                "SecretMemory", "SecretExchange", "TodoTasks", "TodoTaskStorage", "TaskExchange",
                "SQLiteDatabase", "PostgreSQLDatabase", "SignIn", "HTTPClient", "Accounts",
                "TextCoding", "CommandSyntax", "Terminal", "CPlatform",
            ]),
        module(
            "AuthServerCommands",
            [
                "AuthServer", "AccountStorage", "Accounts", "HTTPServer", "VaultStorage",
                "VaultSealing", "SecretMemory", "SQLiteDatabase", "PostgreSQLDatabase",
                "CommandSyntax", "Terminal", "TextCoding",
            ]),
        .executableTarget(
            name: "taskvault-authd",
            dependencies: [
                "AuthServerCommands", "CommandSyntax", "SQLiteDatabase", "Terminal",
                "SecretMemory",
            ],
            swiftSettings: settings, linkerSettings: startQuickly),
        .executableTarget(
            name: "taskvault",
            dependencies: ["TaskVaultCommands", "CommandSyntax", "Terminal", "SecretMemory"],
            swiftSettings: settings, linkerSettings: startQuickly),

        // Tests, and what is run on purpose.
        .target(name: "CTestPlatform", path: "Tests/CTestPlatform"),
        .target(
            name: "CPostgreSQLCheck", dependencies: ["CPostgreSQL"], path: "Tests/CPostgreSQLCheck"),
        .target(name: "CCurlCheck", dependencies: ["CCurl"], path: "Tests/CCurlCheck"),
        .target(
            name: "TestSupport",
            dependencies: [
                "SecureStorage", "SecretMemory", "VaultSealing", "VaultStorage", "VaultCore",
                "TodoTasks", "PostgreSQLDatabase", "CommandSyntax", "Terminal", "Accounts",
                "TextCoding", "CPlatform",
                "CSodium", "CTestPlatform",
            ],
            path: "Tests/TestSupport", swiftSettings: settings),
        .executableTarget(
            name: "VaultWriter",
            dependencies: [
                "TestSupport", "SecureStorage", "SecretMemory", "VaultSealing", "VaultStorage",
                "VaultCore",
            ],
            path: "Tests/VaultWriter", swiftSettings: settings),
        .executableTarget(
            name: "ClockProbe", dependencies: ["VaultAgent"], path: "Tests/ClockProbe",
            swiftSettings: settings),
        .executableTarget(
            name: "CalendarProbe", dependencies: ["TodoTasks"], path: "Tests/CalendarProbe",
            swiftSettings: settings),
        .executableTarget(
            name: "MemoryProbe",
            dependencies: [
                "TestSupport", "SecureStorage", "SecretMemory", "VaultSealing", "VaultStorage",
                "VaultCore", "CSodium",
            ],
            path: "Tests/MemoryProbe", swiftSettings: settings),
        .executableTarget(
            name: "HTTPProbe", dependencies: ["HTTPClient", "TestSupport", "SecretMemory"],
            path: "Tests/HTTPProbe", swiftSettings: settings),
        .executableTarget(
            name: "SignInProbe",
            dependencies: ["SignIn", "HTTPClient", "SecureStorage", "SecretMemory"],
            path: "Tests/SignInProbe", swiftSettings: settings),
        tests(of: "TextCoding"),
        tests(of: "SecretMemory"),
        tests(of: "VaultSealing", ["SecretMemory", "CSodium", "CPlatform"]),
        tests(of: "SecureStorage"),
        tests(of: "SecretExchange", ["SecretMemory", "SecureStorage"]),
        tests(of: "SQLiteDatabase"),
        tests(of: "PostgreSQLDatabase", ["CPostgreSQL", "CPostgreSQLCheck"]),
        tests(of: "VaultStorage", ["SQLiteDatabase", "PostgreSQLDatabase", "CPlatform"]),
        tests(
            of: "VaultCore",
            [
                "SecureStorage", "SecretMemory", "VaultSealing", "VaultStorage",
                "PostgreSQLDatabase", "VaultWriter", "MemoryProbe",
            ]),
        tests(
            of: "VaultAgent",
            [
                "VaultCore", "SecureStorage", "SecretMemory", "VaultSealing", "VaultStorage",
                "CPlatform", "CTestPlatform", "ClockProbe",
            ]),
        tests(of: "TodoTasks", ["CalendarProbe", "SecureStorage", "SecretMemory"]),
        tests(of: "TaskExchange", ["TodoTasks", "TextCoding"]),
        tests(
            of: "TodoTaskStorage",
            ["TodoTasks", "SQLiteDatabase", "PostgreSQLDatabase", "VaultStorage"]),
        tests(of: "Accounts", ["TextCoding", "SecretMemory", "VaultSealing"]),
        tests(
            of: "AccountStorage",
            [
                "Accounts", "TextCoding", "VaultSealing", "SQLiteDatabase", "PostgreSQLDatabase",
                "VaultStorage",
            ]),
        tests(of: "HTTPServer", ["CPlatform"]),
        tests(
            of: "AuthServer",
            ["Accounts", "HTTPServer", "SecretMemory", "TextCoding", "VaultSealing"]),
        tests(
            of: "HTTPClient",
            ["CCurl", "CCurlCheck", "HTTPServer", "SecretMemory", "CPlatform", "HTTPProbe"]),
        tests(
            of: "SignIn",
            ["HTTPClient", "HTTPServer", "SecureStorage", "SecretMemory", "TextCoding"]),
        tests(of: "Terminal", ["SecretMemory", "CPlatform"]),
        tests(of: "CommandSyntax", ["Terminal"]),
        .testTarget(
            name: "AuthServerCommandTests",
            dependencies: [
                "AuthServerCommands", "AccountStorage", "Accounts", "AuthServer", "HTTPServer",
                "CommandSyntax", "Terminal", "VaultSealing", "TextCoding", "TestSupport",
                "CPlatform", "taskvault-authd",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "TaskVaultCommands", "CommandSyntax", "Terminal", "VaultAgent", "VaultCore",
                "SecureStorage",
                "VaultStorage", "VaultSealing", "SecretMemory", "TodoTasks", "SignIn",
                "HTTPClient", "TestSupport", "CPlatform", "taskvault", "taskvault-authd",
                "VaultWriter",
            ],
            swiftSettings: settings),
        // Run on purpose: swift run -c release Benchmarks
        .target(
            name: "CBareHTTPServer", dependencies: ["CMicroHTTPD"], path: "Tests/CBareHTTPServer"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "taskvault", "VaultAgent", "VaultCore", "SecureStorage", "VaultSealing",
                "VaultStorage", "SecretMemory", "TodoTasks", "TodoTaskStorage", "TaskExchange",
                "TextCoding", "CSodium", "CSQLite", "taskvault-authd", "Accounts", "AccountStorage",
                "PostgreSQLDatabase", "TestSupport", "CBareHTTPServer", "CPlatform",
            ],
            path: "Tests/Benchmarks", swiftSettings: settings),
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
