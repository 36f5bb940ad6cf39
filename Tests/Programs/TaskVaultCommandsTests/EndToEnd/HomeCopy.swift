import Foundation

/// Vault, rollback records and files of a home, to restore the beginning.
struct HomeCopy {
    private let home: TestHome
    private let copy: String

    init(of home: TestHome) throws {
        self.home = home
        copy = home.folder + "/copy"
        let names = Files.names(in: home.folder)
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false)
        for name in names {
            try FileManager.default.copyItem(
                atPath: home.folder + "/" + name, toPath: copy + "/" + name)
        }
    }

    func restore() throws {
        for name in Files.names(in: home.folder) where name != "copy" {
            try FileManager.default.removeItem(atPath: home.folder + "/" + name)
        }
        for name in Files.names(in: copy) {
            try FileManager.default.copyItem(
                atPath: copy + "/" + name, toPath: home.folder + "/" + name)
        }
    }
}
