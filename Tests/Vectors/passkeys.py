#!/usr/bin/python3
"""Records answers of Chromium's virtual authenticator, as plain data: Passkeys/chromium.json.

    passkeys.py [FILE]      writes the file; needs the program chromium

Keys and outputs are new in each run and thrown away at its end, so two files differ. Challenges and inputs are the same each time.
"""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

LABEL = "abcdefghijklmnopqrstuvwxyz"
FILE = pathlib.Path(__file__).resolve().parent / "Passkeys" / "chromium.json"

# Each makes one credential, and asks it once. `wrong`: the authenticator answers without having verified its user.
CASES = [
    {"name": "ES256", "algorithm": -7},
    {"name": "EdDSA", "algorithm": -8},
    {"name": "RS256", "algorithm": -257},
    {"name": "ES256, synchronised", "algorithm": -7, "eligible": True},
    {"name": "ES256 of a security key", "algorithm": -7, "transport": "usb"},
    {"name": "ES256, user not verified", "algorithm": -7, "wrong": True},
]

CEREMONY = """
async (algorithm, user, challenges, input) => {
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)));
  const made = await navigator.credentials.create({publicKey: {
    rp: {id: "taskvault.localhost", name: "TaskVault"}, user: {id: bytes(user), name: "TaskVault", displayName: "TaskVault"},
    challenge: bytes(challenges[0]), pubKeyCredParams: [{type: "public-key", alg: algorithm}],
    authenticatorSelection: {userVerification: "required", residentKey: "discouraged"}, extensions: {prf: {}}}});
  await prepare();
  const asserted = await navigator.credentials.get({publicKey: {
    rpId: "taskvault.localhost", challenge: bytes(challenges[1]), userVerification: "required",
    allowCredentials: [{type: "public-key", id: made.rawId}], extensions: {prf: {eval: {first: bytes(input)}}}}});
  const results = asserted.getClientExtensionResults();
  return JSON.stringify({id: text(made.rawId), enabled: made.getClientExtensionResults().prf?.enabled ?? null,
    made: [made.response.clientDataJSON, made.response.attestationObject].map(text),
    asserted: [asserted.response.clientDataJSON, asserted.response.authenticatorData, asserted.response.signature].map(text),
    output: results.prf?.results?.first ? text(results.prf.results.first) : ""});
}
"""


class Browser:
    """Chromium, by the DevTools protocol over two pipes."""

    def __init__(self, folder):
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def duplicate():
            # In this order: the pipes may have the numbers 3 and 4 themselves.
            high = [os.dup(each) for each in (to_browser, from_browser)]
            for wanted, each in zip((3, 4), high):
                os.dup2(each, wanted)
                os.set_inheritable(wanted, True)
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
             "--user-data-dir=" + folder, "about:blank"],
            preexec_fn=duplicate, close_fds=False, env=dict(os.environ, HOME=folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session = b"", 0, None

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                data = os.read(self.read, 1 << 16)
                if not data:
                    sys.exit("chromium ended")
                self.rest += data
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, code):
        result = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            sys.exit(str(result["exceptionDetails"].get("exception", result)))
        return result["result"].get("value")


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>passkeys</title>")

    def log_message(self, *_):
        pass


def random(*words):
    """Bytes that look random, the same each time."""
    return hashlib.sha256(" ".join(map(str, words)).encode()).digest()


def base64_of(data): return base64.b64encode(data).decode()
def hex_of(text): return base64.b64decode(text).hex()


def run(browser, case):
    authenticator = browser.call("WebAuthn.addVirtualAuthenticator", options={
        "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": case.get("transport", "internal"), "hasResidentKey": True,
        "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True, "hasPrf": True,
        "defaultBackupEligibility": case.get("eligible", False), "defaultBackupState": case.get("eligible", False)})["authenticatorId"]
    challenges, put = [random(case["name"], number) for number in (1, 2)], random(case["name"], "input")
    arguments = json.dumps([case["algorithm"], base64_of(random(case["name"], "user")), [base64_of(each) for each in challenges], base64_of(put)])
    browser.evaluate("globalThis.ready = new Promise(done => globalThis.go = done);"
                     "globalThis.waiting = false; globalThis.prepare = () => { globalThis.waiting = true; return ready; };"
                     f"globalThis.answer = ({CEREMONY})(...{arguments}); 0")
    while not browser.evaluate("Promise.race([answer, new Promise(done => setTimeout(done, 100))]).then(() => waiting)"):
        pass
    if case.get("wrong"):
        browser.call("WebAuthn.setResponseOverrideBits", authenticatorId=authenticator, isBadUV=True)
    said = json.loads(browser.evaluate("go(), answer"))
    browser.call("WebAuthn.removeVirtualAuthenticator", authenticatorId=authenticator)
    return {
        "name": case["name"], "credential_id": hex_of(said["id"]),
        "registration": {"challenge": challenges[0].hex(), "client_data": hex_of(said["made"][0]), "attestation_object": hex_of(said["made"][1])},
        "assertion": {
            "challenge": challenges[1].hex(), "input": put.hex(), "client_data": hex_of(said["asserted"][0]),
            "authenticator_data": hex_of(said["asserted"][1]), "signature": hex_of(said["asserted"][2]), "output": hex_of(said["output"])}}


def main():
    if not shutil.which("chromium"):
        sys.exit("needs chromium")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        try:
            version = browser.call("Browser.getVersion")["product"]
            page = browser.call("Target.createTarget", url=f"http://{LABEL}.taskvault.localhost:{server.server_port}/")["targetId"]
            browser.session = browser.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            browser.call("WebAuthn.enable", enableUI=False)
            while not browser.evaluate("location.protocol == 'http:' && document.readyState == 'complete'"):
                pass
            passkeys = [run(browser, case) for case in CASES]
        finally:
            browser.process.kill()
            browser.process.wait()
    target = pathlib.Path(sys.argv[1]) if sys.argv[1:] else FILE
    target.write_text(json.dumps({"browser": version, "label": LABEL, "port": server.server_port, "passkeys": passkeys}, indent=1) + "\n")
    print(len(passkeys), "passkeys of", version)


main()
