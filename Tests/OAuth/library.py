"""An OAuth server of a library that nobody here wrote, Authlib or oauthlib, on loopback with TLS.

    library.py FOLDER CERTIFICATE KEY authlib|oauthlib

As foreign.py: its account is ada@example.org, the password is the first line of the standard input. Authlib answers a wrong password with
`invalid_request`. What is not decided by the library is in memory: clients, the account, and tokens.
"""

import json
import ssl
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

certificate, key, library = sys.argv[2:5]
person = {"name": "ada@example.org", "password": sys.stdin.readline().rstrip("\n")}
# Refresh tokens that are valid.
tokens = set()


def with_authlib():
    from authlib.integrations.flask_oauth2 import AuthorizationServer
    from authlib.oauth2.rfc6749 import ClientMixin
    from authlib.oauth2.rfc6749.grants import RefreshTokenGrant, ResourceOwnerPasswordCredentialsGrant
    from authlib.oauth2.rfc7009 import RevocationEndpoint
    from flask import Flask

    class Client(ClientMixin):
        def get_client_id(self):
            return "taskvault"

        def get_allowed_scope(self, scope):
            return scope or ""

        def check_endpoint_auth_method(self, method, endpoint):
            return method == "none"

        def check_grant_type(self, grant_type):
            return grant_type in ("password", "refresh_token")

    class Token:
        def __init__(self, text):
            self.text = text

        def check_client(self, client):
            return True

        def get_scope(self):
            return ""

    class Password(ResourceOwnerPasswordCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

        def authenticate_user(self, username, password):
            return person if (username, password) == (person["name"], person["password"]) else None

    class Refresh(RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, refresh_token):
            return Token(refresh_token) if refresh_token in tokens else None

        def authenticate_user(self, refresh_token):
            return person

        def revoke_old_credential(self, refresh_token):
            tokens.discard(refresh_token.text)

    class Revocation(RevocationEndpoint):
        CLIENT_AUTH_METHODS = ["none"]

        def query_token(self, token_string, token_type_hint):
            return Token(token_string) if token_string in tokens else None

        def revoke_token(self, token, request):
            tokens.discard(token.text)

    app = Flask(__name__)
    app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
    server = AuthorizationServer(
        app, query_client=lambda name: Client() if name == "taskvault" else None,
        save_token=lambda token, request: tokens.add(token["refresh_token"]))
    server.register_grant(Password)
    server.register_grant(Refresh)
    server.register_endpoint(Revocation)
    app.post("/token", endpoint="token")(server.create_token_response)
    app.post("/revoke", endpoint="revoke")(lambda: server.create_endpoint_response("revocation"))
    return app


def with_oauthlib():
    from oauthlib.oauth2 import LegacyApplicationServer, RequestValidator

    class Validator(RequestValidator):
        def client_authentication_required(self, request, *arguments):
            return False

        def authenticate_client_id(self, client_id, request, *arguments):
            request.client = type("Client", (), {"client_id": client_id})
            return client_id == "taskvault"

        def validate_grant_type(self, client_id, grant_type, client, request, *arguments):
            return grant_type in ("password", "refresh_token")

        def validate_user(self, username, password, client, request, *arguments):
            return (username, password) == (person["name"], person["password"])

        def get_default_scopes(self, client_id, request, *arguments):
            return ["account"]

        def validate_scopes(self, client_id, scopes, client, request, *arguments):
            return scopes == ["account"]

        def get_original_scopes(self, refresh_token, request, *arguments):
            return ["account"]

        def validate_refresh_token(self, refresh_token, client, request, *arguments):
            return refresh_token in tokens

        def save_bearer_token(self, token, request, *arguments):
            tokens.discard(request.refresh_token)
            tokens.add(token["refresh_token"])

        def revoke_token(self, token, token_type_hint, request, *arguments):
            tokens.discard(token)

    server = LegacyApplicationServer(Validator())

    def app(environ, start):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        answer = server.create_revocation_response if environ["PATH_INFO"] == "/revoke" else server.create_token_response
        headers, content, status = answer(
            f"https://localhost{environ['PATH_INFO']}", "POST", body, {"Content-Type": environ["CONTENT_TYPE"]})
        start(f"{status} Status", list(headers.items()))
        return [(content or "").encode()]

    return app


serve = {"authlib": with_authlib, "oauthlib": with_oauthlib}[library]()


def described(environ, start):
    """The library's answers, and a description of them (RFC 8414)."""
    if environ["PATH_INFO"] != "/.well-known/oauth-authorization-server":
        return serve(environ, start)
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({
        "issuer": issuer, "token_endpoint": issuer + "/token", "revocation_endpoint": issuer + "/revoke",
        "response_types_supported": ["none"], "token_endpoint_auth_methods_supported": ["none"]}).encode()]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


server = make_server("127.0.0.1", 0, described, Server, Quiet)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.base_environ["HTTPS"] = "on"
issuer = f"https://localhost:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
print(issuer, flush=True)

for line in sys.stdin:
    command, _, argument = line.rstrip("\n").partition(" ")
    if command == "CHANGE":
        person["password"] = argument
    elif command == "END":
        tokens.clear()
    print("done", flush=True)
