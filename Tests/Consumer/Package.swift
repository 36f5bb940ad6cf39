// swift-tools-version: 6.2
import PackageDescription

// A program of somebody else, who uses the library products and nothing but them.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "TaskVault", path: "../..")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                "SQLite",
                .product(name: "SecureStorage", package: "TaskVault"),
                .product(name: "VaultCore", package: "TaskVault"),
            ]),
        // A name that many packages have: the vault's own modules must not take it.
        .target(name: "SQLite"),
    ]
)
