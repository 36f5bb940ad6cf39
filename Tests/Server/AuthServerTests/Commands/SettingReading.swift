@testable import AuthServer
import CommandLine
import Platform
import Testing
import TextCoding

/// Suites that read settings in this process.
protocol SettingReading {}

extension SettingReading {
    /// Reads settings, with the given environment variables only.
    func sources(
        _ arguments: [String] = [], file: String? = nil, _ environment: [String: String] = [:],
        mode: Int = 0o600
    ) throws -> SettingSources {
        let home = try ServerHome()
        var arguments = ["serve"] + arguments
        if let file {
            arguments += ["--configuration", try home.write("test.conf", file, mode: mode)]
        }
        guard case .run(let invocation) = try CommandParser(.server).parse(arguments) else {
            throw Failure(.failure, "not to be run")
        }
        return try SettingSources(
            invocation, EnvironmentVariables(environment), usualFile: home.folder + "/usual.conf")
    }

    func failure(_ body: () throws -> Void) -> Failure? {
        do {
            try body()
            return nil
        } catch {
            return error as? Failure
        }
    }
}
