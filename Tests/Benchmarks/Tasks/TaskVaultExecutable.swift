/// `taskvault`, of the same build.
enum TaskVaultExecutable {
    static var path: String {
        let own = CommandLine.arguments[0]
        let build = own.split(separator: "/").dropLast().joined(separator: "/")
        return (own.hasPrefix("/") ? "/" : "") + build + "/taskvault"
    }
}
