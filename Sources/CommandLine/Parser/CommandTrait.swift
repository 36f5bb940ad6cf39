/// Something that several commands of a program have in common, which the program asks for by name.
package struct CommandTrait: Sendable, Hashable {
    /// What such a command does or is, such as `is about the agent`.
    package let meaning: String
    /// Options of every command that make no sense for it.
    package let senseless: [OptionDescription]

    /// Makes a trait.
    package init(_ meaning: String, senseless: [OptionDescription] = []) {
        self.meaning = meaning
        self.senseless = senseless
    }
}
