#!/usr/bin/env python3
"""Servers, by the contract in ../README.md: serve.py nginx|file-server|uvicorn|redis|redis-example WORKLOAD [key=value ...]

This process becomes the server. A child of it waits for the end of the standard input, and ends the server then.
"""
import os
import pathlib
import signal
import socket
import sys
import time

PROGRAM = sys.argv[1]
OPTIONS = dict(word.split("=", 1) for word in sys.argv[3:])
BUILT = pathlib.Path(__file__).resolve().parent.parent / ".build"
SIZE = int(OPTIONS["size"])
BODY = (b"Hello, world!" * (SIZE // 13 + 1))[:SIZE]
NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100;
  types {{}}
  default_type text/plain;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}; }}
}}
"""


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except ConnectionRefusedError:
        return False


def watch(port=None):
    """In a child: says the port when the server listens, and ends the server with the standard input."""
    server = os.getpid()
    if os.fork() != 0:
        return
    try:
        if port:
            while not accepts(port):
                time.sleep(0.01)
            print(port, flush=True)
        os.close(1)
        while os.read(0, 4096):
            pass
        os.kill(server, signal.SIGTERM)
    except ProcessLookupError:
        pass
    os._exit(0)


async def hello(scope, receive, send):
    fields = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % SIZE)]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    await send({"type": "http.response.body", "body": BODY})


def main():
    if PROGRAM == "redis-example":
        watch()
        os.execv(BUILT / "RedisServer", ["RedisServer", "--port", "0"])
    folder = pathlib.Path(OPTIONS["directory"]) / f"{PROGRAM}-{SIZE}"
    folder.mkdir(exist_ok=True)
    (folder / "hello").write_bytes(BODY)
    if PROGRAM == "file-server":
        watch()
        os.execv(BUILT / "FileServer", ["FileServer", "--port", "0", "--root", str(folder)])
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    port = listener.getsockname()[1]
    # Others bind the port themselves.
    if PROGRAM != "uvicorn":
        listener.close()
    watch(port)
    if PROGRAM == "uvicorn":
        import uvicorn

        uvicorn.Server(
            uvicorn.Config(hello, loop="uvloop", http="httptools", log_level="critical", access_log=False,
                           lifespan="off")).run([listener])
    elif PROGRAM == "redis":
        os.execvp("redis-server", ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "",
                                   "--appendonly", "no", "--dir", str(folder), "--logfile", os.devnull])
    else:
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
        os.execvp("nginx", ["nginx", "-c", str(folder / "nginx.conf"), "-e", "stderr"])


main()
