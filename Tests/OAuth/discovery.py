"""Gives the auth server a description at OpenID's address, for clients that look for it nowhere else, over TLS on loopback.

    discovery.py URL PORT CERTIFICATE KEY     passes every other request on to URL
"""

import http.server
import ssl
import sys
import urllib.error
import urllib.request

target, port, certificate, key = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        size = int(self.headers.get("Content-Length") or 0)
        path = self.path
        if path == "/.well-known/openid-configuration":
            path = "/.well-known/oauth-authorization-server"
        fields = {name: self.headers[name] for name in ("Content-Type", "Authorization") if name in self.headers}
        request = urllib.request.Request(target + path, self.rfile.read(size) if size else None, fields, method=self.command)
        try:
            response = urllib.request.urlopen(request, context=trust)
        except urllib.error.HTTPError as error:
            response = error
        content = response.read()
        if path.startswith("/.well-known"):
            content = content.replace(target.encode(), f"https://localhost:{port}".encode())
        self.send_response(response.status)
        self.send_header("Content-Type", response.headers.get("Content-Type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


trust = ssl.create_default_context(cafile=certificate)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
