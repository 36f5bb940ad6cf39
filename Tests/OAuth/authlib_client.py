"""Signs in with an OAuth library that knows nothing of this server: Authlib.

    authlib_client.py URL CA-FILE EMAIL CLIENT SECRET     the password on standard input; CLIENT is confidential
"""

import sys

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session

url, authority, email, client, secret = sys.argv[1:6]
password = sys.stdin.readline().rstrip("\n")


def session(**options):
    made = OAuth2Session(**{"client_id": "taskvault", "token_endpoint_auth_method": "none"} | options)
    made.verify = authority
    # An authority of the environment would take its place.
    made.trust_env = False
    return made


public = session(token_endpoint=url + "/oauth/token")
metadata = public.get(url + "/.well-known/oauth-authorization-server", withhold_token=True).json()
endpoint = metadata["token_endpoint"]

for name, typed in ((email, "not " + password), ("nobody@example.org", password)):
    try:
        session().fetch_token(endpoint, username=name, password=typed, grant_type="password")
    except OAuthError as error:
        assert error.error == "invalid_grant", error
    else:
        raise SystemExit(f"{name} signs in with {typed}")

first = public.fetch_token(endpoint, username=email, password=password, grant_type="password", scope="account")
account = public.get(url + "/account")
assert account.status_code == 200 and account.json()["email"] == email, account.text
second = public.refresh_token(endpoint, refresh_token=first["refresh_token"])
assert second["refresh_token"] != first["refresh_token"], "a refresh token is used once"

service = session(client_id=client, client_secret=secret, token_endpoint_auth_method="client_secret_basic")


def is_active(token):
    answer = service.introspect_token(metadata["introspection_endpoint"], token=token)
    assert answer.status_code == 200, answer.text
    return answer.json()["active"]


assert is_active(second["access_token"])
answer = public.revoke_token(
    metadata["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token")
assert answer.status_code == 200, answer.text
assert not is_active(second["access_token"])
assert public.get(url + "/account").status_code == 401
print("signed in, refreshed, introspected and revoked by Authlib")
