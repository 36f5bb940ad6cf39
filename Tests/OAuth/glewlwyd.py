"""Glewlwyd, an OpenID server that nobody here wrote, set up without a person, on loopback with TLS.

    glewlwyd.py FOLDER CERTIFICATE KEY ROOT [benchmark]

ROOT is the folder with Debian's package. As pages.py; Glewlwyd compares the redirect exactly, so the second word of the first line is the one that
is registered. An invalid refresh token gets the status 400 without content. With `benchmark` it listens without TLS, until the next line of the
standard input, and the first line is its port, an access token, and the credentials of the client that may introspect it, for HTTP's Basic.
"""

import base64
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import person

folder, certificate, key, root = sys.argv[1:5]
is_measured = sys.argv[5:] == ["benchmark"]
password = sys.stdin.readline().rstrip("\n")
database = f"{folder}/glewlwyd.db"


def free_port():
    # Below the ports of outgoing connections, one of which could take it before the server does.
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port := random.randrange(20000, 32000))) != 0:
                return port


port, redirect = free_port(), f"http://127.0.0.1:{free_port()}/callback"
url = f"{'http' if is_measured else 'https'}://localhost:{port}"
documents = f"{root}/usr/share/doc/glewlwyd"
settings = gzip.open(f"{documents}/glewlwyd.conf.sample.gz", "rt").read()
for name, value in {
        "port": port, "bind_address": '"127.0.0.1"', "external_url": f'"{url}"', "use_secure_connection": str(not is_measured).lower(),
        "cookie_secure": int(not is_measured),
        "secure_connection_key_file": f'"{key}"', "secure_connection_pem_file": f'"{certificate}"', "log_level": '"WARNING"'}.items():
    settings = re.sub(rf"(?m)^#?{name} *=.*$", f"{name}={value}", settings)
settings = re.sub("(?m)^secure_connection_ca_file.*$", "", settings)
for old, new in {
        "/usr/lib/glewlwyd/": f"{root}/usr/lib/glewlwyd/", "/usr/share/glewlwyd/webapp/": f"{folder}/webapp/",
        "/var/cache/glewlwyd/glewlwyd.db": database}.items():
    settings = settings.replace(old, new)
pathlib.Path(f"{folder}/glewlwyd.conf").write_text(settings)
# The pages have links into other packages, which are below ROOT or installed.
pages = pathlib.Path(root, "usr/share/glewlwyd/webapp")
for page in sorted(pages.rglob("*")):
    copy = pathlib.Path(folder, "webapp", page.relative_to(pages))
    copy.parent.mkdir(parents=True, exist_ok=True)
    place = os.path.normpath(os.path.join("/", page.parent.relative_to(root), os.readlink(page))) if page.is_symlink() else None
    source = page if place is None else pathlib.Path(root + place) if os.path.exists(root + place) else pathlib.Path(place)
    if page.name == "config.json":
        source = pathlib.Path(root, "usr/share/glewlwyd/templates/config.json")
    if source.is_file():
        shutil.copyfile(source, copy)
with sqlite3.connect(database) as made:
    made.executescript(gzip.open(f"{documents}/database/init.sqlite3.sql.gz", "rt").read())
libraries = [str(path) for path in pathlib.Path(root, "usr/lib").glob("*-linux-gnu")]
log = open(f"{folder}/log", "w")
process = subprocess.Popen(
    [f"{root}/usr/bin/glewlwyd", f"--config-file={folder}/glewlwyd.conf"], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
    env={**os.environ, "LD_LIBRARY_PATH": ":".join(libraries + [os.environ.get("LD_LIBRARY_PATH", "")])})


def ask(browser, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return person.fetch(browser, url + path, data, method, {"Content-Type": "application/json"})


def set_up():
    """What an administrator does on the pages: a plugin for OpenID, a user, and this program as a client."""
    admin = person.opener(certificate or None)
    for _ in range(600):
        try:
            ask(admin, "GET", "/config/")
            break
        except OSError:
            time.sleep(0.1)
    ask(admin, "POST", "/api/auth/", {"username": "admin", "password": "password"})
    private = subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True, text=True).stdout
    public = subprocess.run(["openssl", "rsa", "-pubout"], input=private, check=True, capture_output=True, text=True).stdout
    problems = [ask(admin, "POST", path, body)[1] for path, body in (
        ("/api/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "OpenID", "parameters": {
            "iss": f"{url}/api/oidc", "jwt-type": "rsa", "jwt-key-size": "256", "key": private, "cert": public,
            "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600, "refresh-token-rolling": True,
            "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-token-enabled": False, "auth-type-id-token-enabled": True,
            "auth-type-none-enabled": False, "auth-type-password-enabled": False, "auth-type-client-enabled": False,
            "auth-type-device-enabled": True, "auth-type-refresh-enabled": True, "scope": [], "additional-parameters": [], "claims": [],
            "email-claim": "mandatory", "scope-claim": "no", "name-claim": "no", "jwks-show": True, "pkce-allowed": True,
            "pkce-method-plain-allowed": False, "pkce-required": True, "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True,
            "introspection-revocation-auth-scope": [], "device-authorization-expiration": 600, "device-authorization-interval": 1,
            "oauth-par-allowed": False, "subject-type": "public", "session-management-allowed": False, "request-parameter-allow": False}}),
        ("/api/user/", {
            "username": "ada", "name": "Ada", "email": person.NAME, "password": password, "scope": ["g_profile", "openid"], "enabled": True}),
        ("/api/client/", {
            "client_id": "taskvault", "name": "TaskVault", "confidential": False, "enabled": True, "redirect_uri": [redirect],
            "authorization_type": ["code", "refresh_token", "device_authorization", "delete_token"], "token_endpoint_auth_method": ["none"]}),
        ("/api/client/", {
            "client_id": "benchmark", "name": "Benchmark", "confidential": True, "enabled": True, "client_secret": password,
            "redirect_uri": [redirect], "authorization_type": ["device_authorization"], "token_endpoint_auth_method": ["client_secret_basic"]}))]
    known = ask(admin, "GET", "/api/client/taskvault")[1]
    if any(problems) or redirect not in known:
        raise SystemExit(f"glewlwyd refuses its settings: {problems} {known}")


def consented(client="taskvault"):
    """A browser of Ada, who has signed in and trusts a client."""
    browser = person.opener(certificate or None)
    ask(browser, "POST", "/api/auth/", {"username": "ada", "password": password})
    ask(browser, "PUT", f"/api/auth/grant/{client}", {"scope": "openid"})
    return browser


def browse(address):
    if person.has_chromium():
        return person.with_chromium(address, password, "ada")
    # Its pages need scripts: this does what they do.
    browser = consented()
    page, _ = person.fetch(browser, address)
    callback = urllib.parse.parse_qs(urllib.parse.urlparse(page).query)["callback_url"][0]
    return re.sub("<[^>]*>", " ", person.fetch(browser, callback + "&g_continue")[1])


def device(code, client="taskvault"):
    browser = consented(client)
    person.fetch(browser, f"{url}/api/oidc/device?" + urllib.parse.urlencode({"code": code, "g_continue": ""}))
    return "done"


def end(_):
    with sqlite3.connect(database, timeout=20) as tables:
        tables.execute("UPDATE gpo_refresh_token SET gpor_enabled = 0")


def access():
    """An access token of the confidential client, and the client's credentials."""
    credentials = base64.b64encode(f"benchmark:{password}".encode()).decode()

    def post(path, **fields):
        body = urllib.parse.urlencode(fields).encode()
        return json.loads(person.fetch(person.opener(None), f"{url}/api/oidc/{path}", body, headers={"Authorization": "Basic " + credentials})[1])
    granted = post("device_authorization", client_id="benchmark", scope="openid")
    device(granted["user_code"], "benchmark")
    tokens = post("token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=granted["device_code"])
    return tokens["access_token"], credentials


try:
    set_up()
    if is_measured:
        print(port, *access(), flush=True)
        sys.stdin.readline()
        sys.exit()
    person.serve(f"{url}/api/oidc {redirect}", {"BROWSE": browse, "DEVICE": device, "END": end})
finally:
    process.terminate()
    process.wait()
