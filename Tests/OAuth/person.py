"""The person of a server that asks on its own pages: signs in there with a browser.

Chromium is used where it is installed (page.mjs), otherwise a browser without scripts, which fills in forms.
"""

import html
import http.cookiejar
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.parse
import urllib.request

NAME = "ada@example.org"
HERE = pathlib.Path(__file__).resolve().parent


def has_chromium():
    return bool(shutil.which("chromium") and shutil.which("node"))


def with_chromium(address, password, name=NAME):
    """What the last page says."""
    done = subprocess.run(
        ["node", HERE / "page.mjs", address, name], input=password + "\n", text=True, stdout=subprocess.PIPE, timeout=120)
    return done.stdout if done.returncode == 0 else f"chromium ended with {done.returncode}"


class AnyDomain(http.cookiejar.DefaultCookiePolicy):
    """Browsers take a cookie of the domain localhost, http.cookiejar does not. Only one server is asked anyway."""

    def set_ok_domain(self, cookie, request):
        return True

    def return_ok_domain(self, cookie, request):
        return True

    def domain_return_ok(self, domain, request):
        return True


def opener(certificate):
    """Opens addresses, follows redirects and keeps cookies."""
    return urllib.request.build_opener(
        urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=certificate)),
        urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar(AnyDomain())))


def fetch(browser, address, data=None, method=None, headers=None):
    """The last address, and the page; also that of an error."""
    request = urllib.request.Request(address, data=data, method=method, headers=headers or {})
    try:
        answer = browser.open(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.geturl(), answer.read().decode()


def with_forms(address, certificate, password):
    """Fills in one form after the other, and returns what the last page says."""
    browser = opener(certificate)
    address, page = fetch(browser, address)
    for _ in range(5):
        form = re.search(r"<form[^>]*?(?:action=\"([^\"]*)\")?[^>]*>(.*?)</form>", page, re.S)
        if not form:
            break
        known = {"username": NAME, "password": password, "allow": "Authorize"}
        fields = {}
        for field in re.findall(r"<input[^>]*>", form[2]):
            name, value = (re.search(rf'{each}="([^"]*)"', field) for each in ("name", "value"))
            if name:
                fields[name[1]] = known.get(name[1], html.unescape(value[1]) if value else "")
        target = urllib.parse.urljoin(address, form[1] or address)
        address, page = fetch(browser, target, urllib.parse.urlencode(fields).encode(), headers={"Referer": address})
    return re.sub(r"<(style|title)>.*?</\1>|<[^>]*>", " ", page, flags=re.S)


def serve(ready, commands):
    """Tells the issuer, and obeys commands, each answered by a line. BROWSE and DEVICE run beside the next lines: the client waits meanwhile."""
    print(ready, flush=True)
    for line in sys.stdin:
        command, _, argument = line.rstrip("\n").partition(" ")
        action = commands[command]
        if command in ("BROWSE", "DEVICE"):
            def tell(action=action, argument=argument):
                try:
                    print(" ".join(action(argument).split())[:2000], flush=True)
                except Exception as problem:  # noqa: BLE001
                    print(f"problem: {problem}", flush=True)
            threading.Thread(target=tell, daemon=True).start()
        else:
            action(argument)
            print("done", flush=True)
