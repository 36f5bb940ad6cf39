"""An OpenID server of a library that nobody here wrote, Authlib, which asks on its own pages, on loopback with TLS.

    pages.py FOLDER CERTIFICATE KEY

Its account is ada@example.org, the password is the first line of the standard input. It has the authorization code grant with PKCE, the device
grant, and refresh tokens that rotate; its token endpoint is at another port than the issuer. Writes the issuer to the standard output. Commands
of the standard input: BROWSE ADDRESS signs in with a browser, DEVICE CODE on another device; each is answered by what the last page says.
END ends all sessions.
"""

import json
import ssl
import sys
import threading
import time
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import person
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DEVICE_CODE_GRANT_TYPE, DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oauth2.rfc9207.parameter import IssuerParameter
from authlib.oidc.core import OpenIDCode, UserInfo
from flask import Flask, request
from joserfc.jwk import RSAKey

certificate, key = sys.argv[2:4]
password = sys.stdin.readline().rstrip("\n")
signing = RSAKey.generate_key(2048)
codes, devices, tokens = {}, {}, {}


class Client(ClientMixin):
    def get_client_id(self):
        return "taskvault"

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        # Any port, and the path exactly (RFC 8252, section 7.3).
        host, _, path = redirect_uri.removeprefix("http://").partition("/")
        return redirect_uri.startswith("http://") and host.rpartition(":")[0] in ("127.0.0.1", "[::1]") and path == "callback"

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in ("authorization_code", "refresh_token", DEVICE_CODE_GRANT_TYPE)


class Code(AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, request):
        data = request.payload.data
        codes[code] = Code(
            redirect_uri=request.payload.redirect_uri, scope=request.scope, nonce=data.get("nonce"),
            code_challenge=data.get("code_challenge"), code_challenge_method=data.get("code_challenge_method"), code=code)

    def query_authorization_code(self, code, client):
        return codes.get(code)

    def delete_authorization_code(self, authorization_code):
        codes.pop(authorization_code.code)

    def authenticate_user(self, authorization_code):
        return person.NAME


class OpenID(OpenIDCode):
    def exists_nonce(self, nonce, request):
        return False

    def resolve_client_private_key(self, client):
        return signing

    def get_client_algorithm(self, client):
        return "RS256"

    def get_jwt_config(self, *arguments):
        return {"key": signing, "alg": "RS256", "iss": issuer, "exp": 3600}

    def get_client_claims(self, client):
        return {"iss": issuer}

    def generate_user_info(self, user, scope):
        return UserInfo(sub="1", email=user)


class Device(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]

    def get_verification_uri(self):
        return issuer + "/device"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            data, client_id=client_id, scope=scope, expires_at=time.time() + data["expires_in"])


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return answers.get(user_code)

    def should_slow_down(self, credential):
        now, last = time.monotonic(), credential.get("asked", 0)
        credential["asked"] = now
        return now - last < credential["interval"]


class Token:
    def __init__(self, text, scope):
        self.text, self.scope = text, scope

    def check_client(self, client):
        return True

    def get_scope(self):
        return self.scope


class Refresh(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        return Token(refresh_token, tokens[refresh_token]) if refresh_token in tokens else None

    def authenticate_user(self, refresh_token):
        return person.NAME

    def revoke_old_credential(self, refresh_token):
        tokens.pop(refresh_token.text, None)


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]

    def query_token(self, token_string, token_type_hint):
        return Token(token_string, "") if token_string in tokens else None

    def revoke_token(self, token, request):
        tokens.pop(token.text, None)


class Issuer(IssuerParameter):
    def get_issuer(self):
        return issuer


# What the person answered to a user code: the account and whether the sign-in is wanted.
answers = {}
app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(
    app, query_client=lambda name: Client() if name == "taskvault" else None,
    save_token=lambda token, request: tokens.update({token["refresh_token"]: token.get("scope", "")} if "refresh_token" in token else {}))
server.register_grant(CodeGrant, [CodeChallenge(required=True), OpenID(require_nonce=False)])
server.register_grant(DeviceGrant)
server.register_grant(Refresh)
server.register_endpoint(Device)
server.register_endpoint(Revocation)
server.register_extension(Issuer())

FORM = """<!DOCTYPE html><title>Sign in</title><form method="post"><p>{}
<input name="username"><input name="password" type="password"><input type="submit" value="Sign in"></form>"""


def knows(form):
    return (form.get("username"), form.get("password")) == (person.NAME, password)


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    if request.method == "GET":
        return FORM.format("")
    grant = server.get_consent_grant(end_user=None)
    return server.create_authorization_response(grant_user=person.NAME if knows(request.form) else None, grant=grant)


@app.route("/device", methods=["GET", "POST"])
def device():
    code = request.args.get("user_code", "")
    if request.method == "GET":
        return FORM.format(f"Code {code}")
    answers[code] = (person.NAME, knows(request.form))
    return "<p>Your device is connected"


app.post("/token", endpoint="token")(server.create_token_response)
app.post("/revoke", endpoint="revoke")(lambda: server.create_endpoint_response("revocation"))
app.post("/device_authorization", endpoint="device_authorization")(lambda: server.create_endpoint_response("device_authorization"))


@app.get("/.well-known/openid-configuration")
def described():
    return {
        "issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": elsewhere + "/token",
        "revocation_endpoint": elsewhere + "/revoke", "device_authorization_endpoint": elsewhere + "/device_authorization",
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid", "email", "profile"],
        "grant_types_supported": ["authorization_code", "refresh_token", DEVICE_CODE_GRANT_TYPE],
        "token_endpoint_auth_methods_supported": ["none"], "authorization_response_iss_parameter_supported": True}


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


def listen():
    web = make_server("127.0.0.1", 0, app, Server, Quiet)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    web.socket = context.wrap_socket(web.socket, server_side=True)
    web.base_environ["HTTPS"] = "on"
    threading.Thread(target=web.serve_forever, daemon=True).start()
    return f"https://localhost:{web.server_port}"


def browse(address):
    if person.has_chromium():
        return person.with_chromium(address, password)
    return person.with_forms(address, certificate, password)


issuer, elsewhere = listen(), listen()
person.serve(issuer, {
    "BROWSE": browse, "DEVICE": lambda code: browse(f"{issuer}/device?user_code={code}"), "END": lambda _: tokens.clear()})
