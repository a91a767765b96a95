# A server for the tests of `run --remote`: by HTTP with an answer of each kind, or an echo. It prints its port, and ends
# with its standard input.
import http.server
import os
import socketserver
import sys
import threading


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/no":
            self.send_error(404)
            return
        self.send_response(204 if self.path == "/nothing" else 200)
        if self.path == "/chunks":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (b"abc", b"x" * 5000):
                self.wfile.write(b"%X;extension=1\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\nTrailer: 1\r\n\r\n")
        elif self.path == "/until-closed":
            self.send_header("Connection", "close")
            self.end_headers()
        elif self.path == "/nothing":
            self.end_headers()
        else:
            self.send_header("Content-Length", "2")
            if self.path == "/close":
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"hi")

    def log_message(self, *words):
        pass


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while bytes := self.request.recv(65536):
            self.request.sendall(bytes)


class Server(socketserver.ThreadingTCPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request, address):
        pass


server = Server(("127.0.0.1", 0), Echo if sys.argv[1] == "echo" else Answers)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
os._exit(0)
