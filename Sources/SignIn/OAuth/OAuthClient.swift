public import HTTPClient
public import SecretMemory
internal import Synchronization

/// A client of an OAuth 2.0 server with the password grant (RFC 6749), and of the paths for accounts where the server is TaskVault's own
/// (`Docs/AuthProtocol.md`).
///
/// The server is asked once for its description (RFC 8414; where it has none, OpenID's). Thread-safe.
public final class OAuthClient: AuthClient {
    /// The server.
    public let issuer: Issuer
    let clientID: String
    let http: HTTPClient
    let known = Mutex<ServerMetadata?>(nil)

    /// The public client that TaskVault's own server knows.
    public static let standardClientID = "taskvault"

    /// Makes a client; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - clientID: The name of this public client at the server (RFC 6749 section 2.2).
    ///   - http: What connects.
    public init(
        _ issuer: Issuer, clientID: String = OAuthClient.standardClientID, _ http: HTTPClient
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.http = http
    }

    /// See ``AuthClient/signIn(_:password:)``.
    public func signIn(
        _ account: AccountName, password: borrowing SecretBytes
    ) throws(AuthClientError) -> GrantedTokens {
        try grant("password", [("username", account.text)], "password", password)
    }

    /// See ``AuthClient/refresh(_:)``.
    public func refresh(
        _ token: borrowing SecretBytes
    ) throws(AuthClientError) -> GrantedTokens {
        var tokens = try grant("refresh_token", [], "refresh_token", token)
        // A server that names no new one lets the old one stand (RFC 6749 section 6).
        if !tokens.canBeRefreshed { tokens.refresh = .some(try Self.copy(token)) }
        return tokens
    }

    private static func copy(_ token: borrowing SecretBytes) throws(AuthClientError) -> SecretBytes
    {
        do throws(SecretMemoryError) {
            return try token.copy()
        } catch {
            throw .outOfMemory
        }
    }

    /// See ``AuthClient/revoke(_:)``.
    public func revoke(_ token: borrowing SecretBytes) throws(AuthClientError) {
        guard let endpoint = try metadata().revocation else { throw .unsupported }
        var form = try Self.text(
            SecretText.size(token.count) + SecretText.size(clientID.utf8.count))
        clientID.withBytes { form.appendField("client_id", $0) }
        token.withBytes { form.appendField("token", $0) }
        let response = try send(
            ClientRequest(
                post: endpoint, fields: Self.fields, contentType: Self.form, content: form.finish())
        )
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(token).ofOAuth
        }
    }

    /// See ``AuthClient/account(_:)``.
    public func account(
        _ accessToken: borrowing SecretBytes
    ) throws(AuthClientError) -> AccountDetails {
        let response = try send(
            ClientRequest(
                get: try accountEndpoint(), fields: Self.fields,
                authorization: try Self.bearer(accessToken)))
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(accessToken).ofAccounts
        }
        let details = response.content.withBytes { bytes -> AccountDetails? in
            guard let object = AnswerObject(bytes), let name = object.text("email", in: bytes)
            else { return nil }
            return AccountDetails(name: name, created: object.text("created", in: bytes))
        }
        guard let details else { throw Self.noAnswer }
        return details
    }

    /// See ``AuthClient/createAccount(_:password:invitation:)``.
    public func createAccount(
        _ account: AccountName, password: borrowing SecretBytes,
        invitation: borrowing SecretBytes?
    ) throws(AuthClientError) {
        let endpoint = try accountEndpoint()
        let invitationSize =
            switch invitation {
            case .some(let code): code.count
            case .none: 0
            }
        var object = try Self.text(
            SecretText.size(account.text.utf8.count) + SecretText.size(password.count)
                + SecretText.size(invitationSize))
        account.text.withBytes { object.appendMember("email", $0) }
        password.withBytes { object.appendMember("password", $0) }
        switch invitation {
        case .some(let code): code.withBytes { object.appendMember("invitation", $0) }
        case .none: break
        }
        object.append("}")
        let response = try send(
            ClientRequest(
                post: endpoint, fields: Self.fields, contentType: Self.json,
                content: object.finish()))
        guard response.status == 201 else {
            throw ServerRefusal(response).withholding(password).withholding(invitation).ofAccounts
        }
    }

    /// See ``AuthClient/changePassword(_:from:to:)``.
    public func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws(AuthClientError) -> GrantedTokens {
        var object = try Self.text(SecretText.size(current.count) + SecretText.size(new.count))
        current.withBytes { object.appendMember("current_password", $0) }
        new.withBytes { object.appendMember("new_password", $0) }
        let response = try send(object, to: "/password", by: accessToken)
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(current).withholding(new)
                .withholding(accessToken).ofAccounts
        }
        return try Self.tokens(response)
    }

    /// See ``AuthClient/removeAccount(_:password:)``.
    public func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws(AuthClientError) {
        var object = try Self.text(SecretText.size(password.count))
        password.withBytes { object.appendMember("current_password", $0) }
        let response = try send(object, to: "/remove", by: accessToken)
        guard response.status == 204 else {
            throw ServerRefusal(response).withholding(password).withholding(accessToken).ofAccounts
        }
    }
}
