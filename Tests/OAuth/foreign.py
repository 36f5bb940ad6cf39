"""An OAuth server that nobody here wrote, django-oauth-toolkit, which asks on its own pages, on loopback with TLS.

    foreign.py FOLDER CERTIFICATE KEY [openid]

As pages.py; its tables are in FOLDER. The issuer has a path; with `openid` it has OpenID's description and ID tokens, and the third word of the first
line is the account that those name.
"""

import logging
import os
import ssl
import subprocess
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from socketserver import ThreadingMixIn

import django
import person
from django.conf import settings

folder, certificate, key = sys.argv[1:4]
is_openid = sys.argv[4:] == ["openid"]
password = sys.stdin.readline().rstrip("\n")
private = subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True, text=True).stdout
form = '<form method="post">{% csrf_token %}{{ form }}<input type="hidden" name="next" value="{{ next }}"><input type="submit" value="Sign in"></form>'

settings.configure(
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["localhost", "127.0.0.1"],
    USE_TZ=True,
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "foreign.db"),
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20}}},
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {
        "context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"],
        "loaders": [
            ("django.template.loaders.locmem.Loader", {"registration/login.html": form}),
            "django.template.loaders.app_directories.Loader"]}}],
    LOGIN_URL="/login/",
    OAUTH2_PROVIDER={
        "SCOPES": {"account": "the account", **({"openid": "who you are"} if is_openid else {})}, "ACCESS_TOKEN_EXPIRE_SECONDS": 900,
        "REFRESH_TOKEN_REUSE_PROTECTION": True, "OIDC_ENABLED": is_openid, "OIDC_RSA_PRIVATE_KEY": private, "PKCE_REQUIRED": True},
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import AccessToken, Application, RefreshToken  # noqa: E402
from oauth2_provider.urls import metadata_urlpatterns  # noqa: E402

urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")), path("login/", LoginView.as_view())]
if not is_openid:
    urlpatterns.append(path("", include((metadata_urlpatterns, "oauth2_provider"), namespace="metadata")))

logging.disable(logging.CRITICAL)
call_command("migrate", verbosity=0)
user = User.objects.create_user("ada@example.org", password=password)
Application.objects.create(
    name="taskvault", client_id="taskvault", client_type=Application.CLIENT_PUBLIC, redirect_uris="http://127.0.0.1/callback",
    authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, user=user, algorithm=Application.RS256_ALGORITHM if is_openid else "")


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


def end(_):
    AccessToken.objects.all().delete()
    RefreshToken.objects.all().delete()


person.serve(f"https://localhost:{server.server_port}/o any {user.pk if is_openid else ''}", {
    "BROWSE": lambda address: person.with_forms(address, certificate, password), "END": end})
