extension PageRoute {
    private static let entry: [Operand] = [.member("service"), .member("account")]
    private static let renaming: [Part] = [
        .text("new_service", as: "service"), .text("new_account", as: "account"),
    ]

    /// The secrets. Their names are in request bodies, so that no URL contains one.
    static let secrets: [PageRoute] = [
        .command("GET", "secrets", "secret list", [.optional("search")]),
        .command("GET", "secrets/removed", "secret list --removed"),
        .command("POST", "secrets/show", "secret show", entry, [.flag("reveal")]),
        .command("POST", "secrets/get", "secret get", entry, [.text("field"), .flag("clip")]),
        .command("POST", "secrets/code", "secret code", entry, [.flag("clip")]),
        .command(
            "POST", "secrets/generate", "secret generate", [],
            [.text("length"), .flag("digits"), .flag("no_symbols"), .text("words")]),
        .command(
            "POST", "secrets/set", "secret set", entry,
            [
                .text("field"), .text("class"), .text("label"), .texts("tags", as: "tag"),
                .flag("replace"), .flag("allow_empty"), .value,
            ]),
        .command(
            "POST", "secrets/edit", "secret edit", entry,
            renaming + [
                .text("label", none: ""), .texts("tags", as: "tag"), .texts("untags", as: "untag"),
                .text("class"),
            ]),
        .command(
            "POST", "secrets/history", "secret history", entry, [.text("field"), .flag("show")]),
        PageRoute("GET", "secrets/audit") { request in
            .report(try request.run(["secret", "audit"]))
        },
        .command(
            "POST", "secrets/restore", "secret restore", entry,
            renaming + [.text("field"), .text("revision"), .text("id")]),
        .command(
            "POST", "secrets/remove", "secret remove --yes", entry,
            [.text("field"), .flag("permanently")]),
    ]
}
