"""An OAuth server that nobody here wrote, django-oauth-toolkit, on loopback with TLS.

    foreign.py FOLDER CERTIFICATE KEY [openid]

Its tables are in FOLDER, its account is ada@example.org, the password is the first line of the standard input. Writes the issuer to the
standard output and serves until the input ends. The issuer has a path; with `openid` it has OpenID's description only. `CHANGE PASSWORD` on
the standard input sets another password, `END` ends all sessions; each is answered by a line.
"""

import logging
import os
import ssl
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from socketserver import ThreadingMixIn

import django
from django.conf import settings

folder, certificate, key = sys.argv[1:4]
is_openid = sys.argv[4:] == ["openid"]
password = sys.stdin.readline().rstrip("\n")

settings.configure(
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["localhost", "127.0.0.1"],
    USE_TZ=True,
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "foreign.db"),
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20}}},
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    OAUTH2_PROVIDER={
        "SCOPES": {"account": "the account"}, "ACCESS_TOKEN_EXPIRE_SECONDS": 900,
        "REFRESH_TOKEN_REUSE_PROTECTION": True, "OIDC_ENABLED": is_openid},
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import AccessToken, Application, RefreshToken  # noqa: E402
from oauth2_provider.urls import metadata_urlpatterns  # noqa: E402

urlpatterns = [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]
if not is_openid:
    urlpatterns.append(path("", include((metadata_urlpatterns, "oauth2_provider"), namespace="metadata")))

logging.disable(logging.CRITICAL)
call_command("migrate", verbosity=0)
user = User.objects.create_user("ada@example.org", password=password)
Application.objects.create(
    name="taskvault", client_id="taskvault", client_type=Application.CLIENT_PUBLIC,
    authorization_grant_type=Application.GRANT_PASSWORD, user=user)


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


server = make_server("127.0.0.1", 0, get_wsgi_application(), Server, Quiet)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.base_environ["HTTPS"] = "on"
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"https://localhost:{server.server_port}/o", flush=True)

for line in sys.stdin:
    command, _, argument = line.rstrip("\n").partition(" ")
    if command == "CHANGE":
        user.set_password(argument)
        user.save()
    elif command == "END":
        AccessToken.objects.all().delete()
        RefreshToken.objects.all().delete()
    print("done", flush=True)
