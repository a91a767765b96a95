"""Clients that ask a server at fixed times, each in a process of its own, and keep account of every answer."""
import base64
import multiprocessing
import os
import socket
import ssl
import struct
import time

PATIENCE = 20
HTTP = b"GET / HTTP/1.1\r\nhost: test\r\n\r\n"
ONCE = b"GET / HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n"


class Ended(Exception):
    """The server has ended the connection in good order, and this request was not the one it waits for."""


def read(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError(f"{len(data)} of {count} bytes came")
        data += part
    return data


def answer(connection):
    """Reads an answer. Returns which process it is from, and whether the connection stays."""
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(4096)
        if not part:
            raise EOFError(f"an answer of {len(head)} bytes")
        head += part
    head, body = head.split(b"\r\n\r\n", 1)
    lines = head.lower().split(b"\r\n")
    if lines[0] != b"http/1.1 200 ok":
        raise ValueError(lines[0])
    length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
    body += read(connection, length - len(body))
    return int(body), b"connection: close" not in lines


def open_tcp(server):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def open_unix(server):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(f"{server.folder}/socket")
    return connection


def open_tls(server, version):
    """Behind a load balancer: a header of the PROXY protocol, and then TLS."""
    plain = socket.create_connection(("127.0.0.2", server.balanced), timeout=PATIENCE)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if version == 1:
        plain.sendall(b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 443\r\n")
    else:
        addresses = bytes([192, 0, 2, 1, 192, 0, 2, 2]) + struct.pack(">HH", 1000, 443)
        plain.sendall(b"\r\n\r\n\0\r\nQUIT\n\x21\x11" + struct.pack(">H", len(addresses)) + addresses)
    context = ssl.create_default_context(cafile=f"{server.folder}/server.pem")
    return context.wrap_socket(plain, server_hostname="localhost")


def kept(opened):
    """Requests on a connection that is kept as long as the server keeps it."""
    def ask(server, state):
        if state.get("connection") is None:
            state["connection"] = opened(server)
        connection = state["connection"]
        connection.sendall(HTTP)
        process, stays = answer(connection)
        if not stays:
            connection.close()
            state["connection"] = None
        return process

    return ask


def fresh(opened):
    """Each request on a connection of its own."""
    def ask(server, _):
        with opened(server) as connection:
            connection.sendall(ONCE)
            return answer(connection)[0]

    return ask


def frame(kind, data):
    mask = os.urandom(4)
    return bytes([0x80 | kind, 0x80 | len(data)]) + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


def received(connection):
    first, length = read(connection, 2)
    return first & 15, read(connection, length)


def open_socket(server):
    connection = open_tcp(server)
    key = base64.b64encode(os.urandom(16))
    connection.sendall(b"GET / HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
                       b"sec-websocket-version: 13\r\nsec-websocket-key: " + key + b"\r\n\r\n")
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read(connection, 1)
    if not head.startswith(b"HTTP/1.1 101"):
        raise ValueError(head)
    return connection


def echo(server, state):
    """A message on a WebSocket that comes back. A server that ends says 1001; the message is sent again to its successor then."""
    while True:
        if state.get("connection") is None:
            state["connection"] = open_socket(server)
        connection = state["connection"]
        text = os.urandom(8).hex().encode()
        connection.sendall(frame(1, text))
        kind, data = received(connection)
        if kind == 1 and data == text:
            return None
        if kind != 8 or data[:2] != struct.pack(">H", 1001):
            raise ValueError(f"frame {kind}: {data}")
        connection.sendall(frame(8, data))
        if connection.recv(1) != b"":
            raise ValueError("bytes after the end of the WebSocket")
        connection.close()
        state["connection"] = None


KINDS = {
    "HTTP, kept": kept(open_tcp),
    "HTTP, a connection each": fresh(open_tcp),
    "Unix socket, kept": kept(open_unix),
    "PROXY 1 and TLS, kept": kept(lambda server: open_tls(server, 1)),
    "PROXY 2 and TLS, a connection each": fresh(lambda server: open_tls(server, 2)),
    "WebSocket": echo,
}


def client(name, server, every, isOver, results):
    """Asks at fixed times, so that a stall delays all requests that were due in it."""
    ask, state, times, lost, processes = KINDS[name], {}, [], [], set()
    due = time.monotonic()
    while not isOver.is_set():
        due += every
        time.sleep(max(0, due - time.monotonic()))
        try:
            processes.add(ask(server, state))
            times.append((due, time.monotonic() - due))
        except Exception as error:  # Whatever it is, it is a request that was lost.
            lost.append(f"{name}: {type(error).__name__}: {error}")
            state["connection"] = None
    results.put((name, times, lost, processes - {None}))


class Load:
    """One client of each kind, until the end of the block. Afterwards it has their times, by name, and what was lost."""

    def __init__(self, server, every):
        context = multiprocessing.get_context("fork")
        self.isOver, self.results = context.Event(), context.Queue()
        self.clients = [context.Process(target=client, args=(name, server, every, self.isOver, self.results)) for name in KINDS]

    def __enter__(self):
        for process in self.clients:
            process.start()
        return self

    def __exit__(self, *_):
        self.isOver.set()
        self.times, self.lost, self.processes = {}, [], set()
        for _ in self.clients:
            name, times, lost, processes = self.results.get(timeout=3 * PATIENCE)
            self.times[name], self.lost, self.processes = times, self.lost + lost, self.processes | processes
        for process in self.clients:
            process.join()
