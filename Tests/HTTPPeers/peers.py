"""The servers and clients that are compared, and what each has understood of a message."""
import collections
import http.client
import pathlib
import shutil
import socket
import socketserver
import subprocess
import threading

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 10

# What was understood: the first line's two parts, the host, the fields, the body, the trailer. A field is a name and a value.
Understood = collections.namedtuple("Understood", "first target host fields body trailers")
# What a peer made of a message: what it has taken, in order, and how it refused the next: a status, and a reason if it gives one. Without
# a status it has ended the connection without a word, as after a message that isn't complete.
Outcome = collections.namedtuple("Outcome", "taken status reason")


def understood(report):
    first, target, host, fields, body, trailers = (part for part in report.split(";"))

    def pairs(text):
        items = [item.split(":") for item in text.split(",") if item]
        return tuple((bytes.fromhex(name), bytes.fromhex(value)) for name, value in items if bytes.fromhex(name).startswith(b"x-"))

    return Understood(*(bytes.fromhex(part) for part in (first, target, host)), pairs(fields), bytes.fromhex(body), pairs(trailers))


def exchange(port, data, cuts=()):
    """Sends bytes, ends, and returns all that comes."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server has refused the beginning already.
        try:
            while part := connection.recv(65536):
                received += part
        except ConnectionResetError:
            pass
        except TimeoutError:
            return None
    return received


def outcome(received):
    """What a server has answered."""
    if received is None:
        return Outcome((), -1, "hangs")
    taken = []
    while received:
        head, separator, rest = received.partition(b"\r\n\r\n")
        line, *fields = head.split(b"\r\n")
        words = line.split(b" ", 2)
        if not separator or len(words) < 2 or not words[1].isdigit():
            return Outcome(tuple(taken), 0, "bytes that aren't an answer")
        fields = {name.lower(): value.strip() for name, _, value in (field.partition(b":") for field in fields)}
        if words[1].startswith(b"1"):
            received = rest
        elif b"x-report" in fields:
            taken.append(understood(fields[b"x-report"].decode()))
            received = rest
        else:
            reason = rest.decode("latin-1").strip() if fields.get(b"content-type", b"").startswith(b"text/plain") else words[-1].decode("latin-1")
            return Outcome(tuple(taken), int(words[1]), reason)
    return Outcome(tuple(taken), None, "")


class Backend(socketserver.StreamRequestHandler):
    """The server behind nginx. nginx has read the message; so a head and a length are all that comes."""

    def handle(self):
        line = self.rfile.readline()
        if not line:
            return
        method, target, _ = line.rstrip(b"\r\n").split(b" ", 2)
        fields = []
        while (line := self.rfile.readline().rstrip(b"\r\n")):
            name, _, value = line.partition(b":")
            fields.append((name.lower(), value.strip(b" \t")))
        known = dict(fields)
        assert b"transfer-encoding" not in known
        body = self.rfile.read(int(known.get(b"content-length", b"0")))
        listed = ",".join(name.hex() + ":" + value.hex() for name, value in fields)
        report = f"{method.hex()};{target.hex()};{known.get(b'host', b'').hex()};{listed};{body.hex()};"
        self.wfile.write(f"HTTP/1.1 200 OK\r\nx-report: {report}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())


class Script(socketserver.BaseRequestHandler):
    """A server that answers each request with the bytes of its number."""

    def handle(self):
        request = b""
        while b"\r\n\r\n" not in request and (part := self.request.recv(65536)):
            request += part
        words = request.split(b" ", 2)
        if len(words) == 3:
            try:
                self.request.sendall(self.server.answer(int(words[1].rpartition(b"/")[2])))
                self.request.shutdown(socket.SHUT_WR)
                while self.request.recv(65536):
                    pass
            except OSError:
                pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # nginx sees that the connection ends.


NGINX = """daemon off; master_process off; pid nginx.pid; error_log error.log crit;
events {{ worker_connections 512; }}
http {{
  access_log off; underscores_in_headers on;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  proxy_http_version 1.1; proxy_ignore_client_abort on;
  proxy_buffer_size 64k; proxy_buffers 8 64k; proxy_busy_buffers_size 64k;
  server {{ listen 127.0.0.1:{port}; keepalive_timeout {patience}; proxy_set_header Host $http_host; location / {{ proxy_pass http://127.0.0.1:{backend}; }} }}
}}
"""


class Peers:
    """The programs, which end with this."""

    def __init__(self, program, folder, answer):
        self.processes = []
        self.ports = {}
        (folder / "nginx").mkdir(parents=True, exist_ok=True)
        self.backend = Server(Backend)
        self.script = Server(Script)
        self.script.answer = answer
        self.node = [shutil.which("node"), str(HERE / "node.mjs")]
        self.program = str(program)
        self.ports["UVHTTP"] = self.start_server([self.program, "uv-server"])
        self.ports["NIOHTTP1"] = self.start_server([self.program, "nio-server"])
        self.ports["Node"] = self.start_server([*self.node, "server"])
        self.ports["nginx"] = self.start_nginx(folder / "nginx", "server", self.backend.port, 60)
        # nginx as a client: behind it is the script.
        self.relay = self.start_nginx(folder / "nginx", "client", self.script.port, 0)

    def start(self, command, **options):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
        self.processes.append(process)
        return process

    def start_server(self, command):
        return int(self.start(command).stdout.readline())

    def start_nginx(self, folder, name, backend, patience):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        folder = folder / name
        folder.mkdir(exist_ok=True)
        (folder / "nginx.conf").write_text(NGINX.format(port=port, backend=backend, patience=patience))
        process = self.start([shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(folder), "-c", "nginx.conf"])
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
                return port
            except ConnectionRefusedError:
                threading.Event().wait(0.02)
        raise RuntimeError("nginx doesn't begin")

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()

    # Each message goes to all servers, and each answer to all clients.

    def ask_servers(self, data):
        return {name: outcome(exchange(port, data)) for name, port in self.ports.items()}

    def start_clients(self):
        lines = {"UVHTTP": [self.program, "uv-client"], "Node": [*self.node, "client"]}
        self.clients = {name: self.start(command, stdin=subprocess.PIPE) for name, command in lines.items()}

    def ask_clients(self, method, number):
        url = f"http://127.0.0.1:{self.script.port}/{number}"
        results = {}
        for client in self.clients.values():
            client.stdin.write(f"{method} {url}\n")
            client.stdin.flush()
        for name, client in self.clients.items():
            line = client.stdout.readline().rstrip("\n")
            results[name] = Outcome((), 0, line[8:]) if line.startswith("refused ") else Outcome((understood(line),), None, "")
        results["Python"] = self.ask_python(self.script.port, method, number)
        results["nginx"] = self.ask_python(self.relay, method, number, isRelayed=True)
        return results

    def ask_python(self, port, method, number, isRelayed=False):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request(method, f"/{number}")
            answer = connection.getresponse()
            body = answer.read()
            fields = tuple((name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.getheaders())
            if isRelayed and answer.status == 502:
                return Outcome((), 502, "bad gateway")
            fields = tuple(field for field in fields if field[0].startswith(b"x-"))
            return Outcome((Understood(b"%d" % answer.status, b"", b"", fields, body, ()),), None, "")
        except (http.client.HTTPException, OSError, ValueError, OverflowError) as error:
            return Outcome((), 0, type(error).__name__ + " " + str(error))
        finally:
            connection.close()
