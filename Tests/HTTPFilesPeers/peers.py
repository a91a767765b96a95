"""The servers that are compared, and what each answers."""
import http.client
import pathlib
import re
import shutil
import socket
import subprocess
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 20
NGINX = """daemon off; master_process off; pid nginx.pid; error_log error.log crit;
events {{ worker_connections 64; }}
http {{
  include /etc/nginx/mime.types; default_type application/octet-stream; access_log off; gzip_static on; gzip_vary on;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  server {{ listen 127.0.0.1:{port}; root {root}; absolute_redirect off; }}
}}
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Peers:
    """The programs, which end with this."""

    def __init__(self, program, root, folder):
        self.processes = []
        self.ports = {}
        self.start("UVHTTPFiles", [program, "--port", "0", "--no-listing", "--precompressed", "--root", str(root)], stdout=subprocess.PIPE)
        port = free_port()
        (folder / "nginx.conf").write_text(NGINX.format(port=port, root=root))
        self.start("nginx", [shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(folder), "-c", "nginx.conf"], port)
        # Debian keeps packages of Node there.
        self.start("serve-static", ["env", "NODE_PATH=/usr/share/nodejs", shutil.which("node"), str(HERE / "serve.js"), str(root)], stdout=subprocess.PIPE)

    def start(self, name, command, port=None, **options):
        process = subprocess.Popen(command, text=True, **options)
        self.processes.append(process)
        self.ports[name] = port or int(re.search(r"\d+$", process.stdout.readline().strip())[0])
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.ports[name]), timeout=PATIENCE).close()
                return
            except ConnectionRefusedError:
                pass
        raise RuntimeError(f"{name} doesn't begin")

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def ask(self, name, request):
        """What a server answers, by the parts that matter."""
        target = request.target
        fields = {key: self.fill(name, value) for key, value in request.fields.items()}
        status, answer, body = self.send(name, request.method, target, fields)
        location = answer.get("Location")
        result = {"status": status, "location": location and urllib.parse.urlsplit(location)._replace(scheme="", netloc="").geturl()}
        if status == 200:
            result |= {"accept-ranges": answer.get("Accept-Ranges")}
        if status in (200, 206, 416):
            result |= {"content-range": answer.get("Content-Range")}
        # The text of a failure is each server's own, and so is whether a text says that it is UTF-8.
        if status in (200, 206):
            result |= {"content-type": (answer.get("Content-Type") or "").partition(";")[0], "content-encoding": answer.get("Content-Encoding"),
                       "vary": answer.get("Vary"), "body": body, "content-length": answer.get("Content-Length")}
            if (answer.get("Content-Type") or "").startswith("multipart/byteranges"):
                boundary = answer.get("Content-Type").partition("boundary=")[2].encode()
                parts = [part.partition(b"\r\n\r\n") for part in body.split(b"\r\n--" + boundary)[1:-1]]
                ranges = [(re.search(rb"content-range: ([^\r]*)", head, re.I)[1], content) for head, _, content in parts]
                result |= {"content-type": "multipart/byteranges", "content-length": None, "body": ranges}
        return result

    def fill(self, name, text):
        if "{" not in text:
            return text
        _, answer, _ = self.send(name, "GET", "/hello.txt", {})
        return text.replace("{tag}", answer.get("ETag") or '"none"').replace("{date}", answer["Last-Modified"])

    def send(self, name, method, target, fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[name], timeout=PATIENCE)
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for key, value in fields.items():
                connection.putheader(key, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()
