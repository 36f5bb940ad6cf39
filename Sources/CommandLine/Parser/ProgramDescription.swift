/// What the documents say of a program as a whole.
package struct ProgramDescription: Sendable {
    /// The name, as it is typed.
    package let name: String
    /// What it is in a few words, for the manual page.
    package let summary: String
    /// The heading of the reference.
    package let referenceTitle: String
    /// Paragraphs that explain the whole on the manual page.
    package let paragraphs: [String]
    /// The environment variables that count, on the manual page.
    package let environment: [Definition]
    /// Names and versions of the system's libraries that the program stands on, for `--version`.
    package let libraries: [String]
    /// What else the documents explain.
    package let chapters: [Chapter]

    /// A word and what it means.
    package struct Definition: Sendable, Hashable {
        /// The word.
        package let name: String
        /// What it means, beginning in lower case and without full stop.
        package let meaning: String

        /// Makes a definition.
        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// A part of manual page and reference that is about no command.
    package struct Chapter: Sendable, Hashable {
        /// The heading.
        package let title: String
        /// Whole sentences that come first.
        package let paragraphs: [String]
        /// What one of the definitions is, such as `setting`.
        package let subject: String
        /// Definitions.
        package let definitions: [Definition]

        /// Makes a chapter.
        package init(
            title: String, paragraphs: [String], subject: String, definitions: [Definition]
        ) {
            self.title = title
            self.paragraphs = paragraphs
            self.subject = subject
            self.definitions = definitions
        }
    }

    /// Describes a program.
    package init(
        name: String, summary: String, referenceTitle: String, paragraphs: [String],
        environment: [Definition], libraries: [String], chapters: [Chapter] = []
    ) {
        self.name = name
        self.summary = summary
        self.referenceTitle = referenceTitle
        self.paragraphs = paragraphs
        self.environment = environment
        self.libraries = libraries
        self.chapters = chapters
    }
}
