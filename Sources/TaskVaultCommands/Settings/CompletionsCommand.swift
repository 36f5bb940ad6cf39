internal import CommandLine

/// `completions`: prints what teaches a shell the commands.
enum CompletionsCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        guard let shell = Shell(rawValue: context.invocation.text(of: .shell)) else {
            preconditionFailure("the parser accepts known shells only")
        }
        try context.print { (output) throws(OutputError) in
            try output.write(shell.completions(for: .taskvault))
        }
    }
}
