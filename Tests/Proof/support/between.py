"""A server of HTTP that stands before a real one, and answers as it likes."""

import http.client
import http.server
import socketserver

BINARY = "application/octet-stream"
FORWARDED = ("authorization", "content-type", "accept")


class Between(http.server.BaseHTTPRequestHandler):
    """One connection of a client. Its class says what is answered."""

    protocol_version = "HTTP/1.1"
    # Head and content are two packets; without this the second one waits for 40 ms.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def respond(self, path, fields, body):
        """Status, media type and content."""
        return self.server.ask(self.command, path, fields, body)

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        fields = {key: value for key, value in self.headers.items() if key.lower() in FORWARDED}
        status, kind, content = self.respond(self.path, fields, body)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = forward


class BetweenServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    # The address of the real server.
    target = None

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.issuer = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        """A client may end an answer that is too long for it."""

    def ask(self, method, path, fields, body=b""):
        """What the real server answers."""
        server = http.client.HTTPConnection(self.target, timeout=60)
        server.request(method, path, body if method == "POST" else None, fields)
        answer = server.getresponse()
        content = answer.read()
        server.close()
        return answer.status, answer.headers.get("Content-Type", "application/json"), content


def problem(status, code):
    return status, "application/problem+json", f'{{"code":"{code}","status":{status},"title":"no"}}'.encode()
