"""Speaks TLS, then sends what no peer should, and says how the other end took it.

    misbehave.py client PORT             as a client, once for each case
    misbehave.py server CERTIFICATE KEY  as a server; it says its port first
"""

import socket
import sys

from tlslite.api import HandshakeSettings, TLSConnection, X509CertChain, parsePEMKey
from tlslite.constants import AlertDescription, ContentType
from tlslite.errors import TLSAbruptCloseError, TLSRemoteAlert
from tlslite.messages import Message


def settings_of(version):
    settings = HandshakeSettings()
    settings.minVersion = settings.maxVersion = version
    return settings


def misbehave_on(connection, plain, misbehave):
    def send(kind, content):
        for _ in connection._recordLayer.sendRecord(Message(kind, bytearray(content))):
            pass

    try:
        misbehave(plain, send)
        got = connection.read(min=1, max=100)
        return "answered " + bytes(got).decode().strip() if got else "closed"
    except TLSRemoteAlert as alert:
        return AlertDescription.toStr(alert.description)
    except (TLSAbruptCloseError, ConnectionError):
        return "cut"


def as_client(version, misbehave):
    with socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as plain:
        plain.settimeout(30)
        connection = TLSConnection(plain)
        connection.handshakeClientCert(serverName="localhost", settings=settings_of(version))
        return misbehave_on(connection, plain, misbehave)


def as_server(version, misbehave):
    plain, _ = listener.accept()
    with plain:
        plain.settimeout(30)
        connection = TLSConnection(plain)
        connection.handshakeServer(certChain=chain, privateKey=key, settings=settings_of(version))
        connection.read(min=6, max=6)
        return misbehave_on(connection, plain, misbehave)


def many(count, one):
    def send_all(plain, send):
        for _ in range(count):
            one(plain, send)
    return send_all

data, handshake, alert = ContentType.application_data, ContentType.handshake, ContentType.alert
cases = {
    "as it should be": lambda plain, send: send(data, b"hello\n"),
    "plain text": lambda plain, send: plain.sendall(bytes([23, 3, 3, 0, 30]) + b"x" * 30),
    "a record that is too long": lambda plain, send: plain.sendall(bytes([23, 3, 3, 0x7f, 0xff]) + b"x" * 0x7fff),
    "a record that is too short": lambda plain, send: plain.sendall(bytes([23, 3, 3, 0, 1, 0])),
    "another version": lambda plain, send: plain.sendall(bytes([23, 9, 9, 0, 30]) + b"x" * 30),
    "an unknown type": lambda plain, send: send(99, b"x"),
    "an empty alert": lambda plain, send: send(alert, b""),
    "an unknown alert": lambda plain, send: send(alert, bytes([2, 200])),
    "a message of the handshake that is too long": lambda plain, send: send(handshake, bytes([11, 255, 255, 255]) + b"x" * 100),
    "a second greeting": lambda plain, send: send(handshake, bytes([1, 0, 0, 2, 3, 3])),
    "a finish out of turn": lambda plain, send: send(handshake, bytes([20, 0, 0, 12]) + b"x" * 12),
    "empty records for ever": many(2000, lambda plain, send: send(data, b"")),
    "warnings for ever": many(2000, lambda plain, send: send(alert, bytes([1, 90]))),
}
only_13 = {
    "a wish for keys that is none": lambda plain, send: send(handshake, bytes([24, 0, 0, 1, 7])),
    "half a wish for keys": lambda plain, send: (send(handshake, bytes([24, 0])), send(data, b"hello\n")),
}

if sys.argv[1] == "server":
    chain = X509CertChain()
    chain.parsePemList(open(sys.argv[2]).read())
    key = parsePEMKey(open(sys.argv[3]).read(), private=True)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

for version, number in (("1.3", (3, 4)), ("1.2", (3, 3))):
    for name, misbehave in (cases | (only_13 if version == "1.3" else {})).items():
        turn = as_server if sys.argv[1] == "server" else as_client
        print(f"{version} {name}: {turn(number, misbehave)}", flush=True)
