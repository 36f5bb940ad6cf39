enum TourCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
    }
}
