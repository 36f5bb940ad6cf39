internal import Accounts
internal import CommandLine

/// `account invite`: prints a code with which somebody makes an account.
enum InviteCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        var rules = AccountRules(context.sources)
        if let text = context.invocation.text(of: .expires) {
            rules.invitationLifetime = try lifetime(text)
        }
        let now = context.now
        let issued = try context.withAccounts(creating: true, rules: rules) {
            (accounts) throws(AccountServiceError) in try accounts.invite(email, at: now)
        }
        let expires = issued.invitation.expires.text
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("email", issued.invitation.email.text)
                try json.member("code", issued.code)
                try json.member("expires", expires)
                try json.endObject()
            }
        }
        try context.printLine(issued.code)
        context.notices.remark("for \(issued.invitation.email.text), once, until \(expires)")
    }

    private static func lifetime(_ text: String) throws -> Duration {
        do throws(InvalidValue) {
            return try SettingTable.invitationLifetime.type.read(text)
        } catch {
            throw CommandFailure.usage(
                "option '\(OptionDescription.expires.spelling)' \(error.reason)")
        }
    }
}
