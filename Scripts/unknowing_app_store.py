#!/usr/bin/env python3
"""Simulates an App Store Server API without any purchases, for a server under test that must not call Apple.

Prints its address and serves until it is stopped.
"""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = b'{"errorCode":4040010,"errorMessage":"Transaction id not found."}'


class UnknowingAppStore(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    do_GET = do_POST = answer

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), UnknowingAppStore)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
