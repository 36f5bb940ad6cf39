"""Signs in with an OAuth library that knows nothing of this server: requests-oauthlib.

    client.py URL CA-FILE EMAIL       the password on standard input
"""

import sys
import threading

import requests
from oauthlib.oauth2 import InvalidClientError, InvalidGrantError, LegacyApplicationClient
from requests_oauthlib import OAuth2Session

url, authority, email = sys.argv[1:4]
password = sys.stdin.readline().rstrip("\n")


def session(client_id="taskvault", **more):
    made = OAuth2Session(client=LegacyApplicationClient(client_id=client_id), **more)
    made.verify = authority
    return made


def refused(kind, body):
    try:
        body()
    except kind:
        return
    raise SystemExit(f"expected {kind.__name__}")


# What the server says of itself is where things are.
metadata = requests.get(url + "/.well-known/oauth-authorization-server", verify=authority).json()
assert metadata["issuer"] == url, metadata
token_url = metadata["token_endpoint"]

# A wrong password, an unknown name and an unknown client.
for name, secret in ((email, "not " + password), ("nobody@example.org", password)):
    refused(
        InvalidGrantError,
        lambda: session().fetch_token(
            token_url, username=name, password=secret, include_client_id=True,
            verify=authority))
refused(
    InvalidClientError,
    lambda: session("stranger").fetch_token(
        token_url, username=email, password=password, include_client_id=True,
        verify=authority))

# Signing in, and a request with the token.
signed_in = session()
first = signed_in.fetch_token(
    token_url, username=email, password=password, include_client_id=True, scope="account",
    verify=authority)
assert first["token_type"] == "Bearer" and first["expires_in"] > 0, first
account = signed_in.get(url + "/account")
assert account.status_code == 200 and account.json()["email"] == email, account.text

# Refreshing gives new tokens; both access tokens are good until they expire.
second = signed_in.refresh_token(token_url, client_id="taskvault", verify=authority)
assert second["refresh_token"] != first["refresh_token"]
assert second["access_token"] != first["access_token"]
for token in (first, second):
    answer = requests.get(
        url + "/account", headers={"Authorization": "Bearer " + token["access_token"]},
        verify=authority)
    assert answer.status_code == 200, answer.text

# Threads that share a token and refresh at once all go on: each gets the same successor, which refreshes in turn.
def refresh(token, found):
    try:
        found.append(session(token=token).refresh_token(token_url, client_id="taskvault", verify=authority))
    except Exception as error:
        found.append(error)


for _ in range(25):
    found = []
    threads = [threading.Thread(target=refresh, args=(dict(second), found)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(isinstance(each, dict) for each in found), found
    assert len({each["refresh_token"] for each in found}) == 1, "several successors"
    assert len({each["access_token"] for each in found}) == 8, "one access token for several threads"
    assert found[0]["refresh_token"] != second["refresh_token"]
    second = found[0]
signed_in.token = second
assert signed_in.get(url + "/account").status_code == 200

# Revoking ends the session.
revoke_url, headers, body = LegacyApplicationClient(
    client_id="taskvault").prepare_token_revocation_request(
        metadata["revocation_endpoint"], second["refresh_token"], "refresh_token",
        client_id="taskvault")
answer = requests.post(revoke_url, data=body, headers=headers, verify=authority)
assert answer.status_code == 200, answer.text
assert signed_in.get(url + "/account").status_code == 401
refused(
    InvalidGrantError,
    lambda: signed_in.refresh_token(token_url, client_id="taskvault", verify=authority))

# Without the authority the certificate is not believed.
refused(requests.exceptions.SSLError, lambda: requests.get(url + "/health"))

# A token that others have replaced since is refused, and ends the session for all.
reused = session()
begun = reused.fetch_token(
    token_url, username=email, password=password, include_client_id=True, scope="account",
    verify=authority)
for _ in range(2):
    last = reused.refresh_token(token_url, client_id="taskvault", verify=authority)
for token in (begun, last):
    refused(
        InvalidGrantError,
        lambda: session(token=token).refresh_token(
            token_url, client_id="taskvault", verify=authority))

print("signed in, refreshed, in eight threads at once too, and revoked by requests-oauthlib")
