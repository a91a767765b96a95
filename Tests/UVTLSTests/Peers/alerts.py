"""A peer that gives the other end a reason for an alert, and says which one has come.

alerts.py DIRECTORY client PORT CASE...   each case on a connection of its own
alerts.py DIRECTORY starttls PORT CASE... the same, behind a line in plain text and its answer
alerts.py DIRECTORY server CASE...        says its port first
"""
import re, socket, ssl, sys

directory, role = sys.argv[1:3]
is_later, role = role == "starttls", role.replace("starttls", "client")
BAD = b"\x17\x03\x03\x00\x28" + b"x" * 40


def context(version, case):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT if role == "client" else ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = made.maximum_version = getattr(ssl.TLSVersion, "TLSv1_" + version)
    made.load_verify_locations(directory + "/root.pem")
    made.set_alpn_protocols(["other" if case == "protocol" else "a"])
    names = {"stranger": "other", "nobody": None}
    name = names.get(case, "client") if role == "client" else "other" if case == "stranger" else "server"
    if name:
        made.load_cert_chain(f"{directory}/{name}.pem", f"{directory}/{name}.key")
    return made


def meet(plain, version, case):
    """What the other end answers."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    host = ("nobody.test" if case == "name" else "localhost") if role == "client" else None
    peer = context(version, case).wrap_bio(incoming, outgoing, role == "server", host)

    def until(step):
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                plain.sendall(outgoing.read())
                data = plain.recv(65536)
                incoming.write(data) if data else incoming.write_eof()

    try:
        until(peer.do_handshake)
        if case == "reply":
            peer.write(b"hello")
        plain.sendall(outgoing.read() + (BAD if case in ("record", "reply") else b""))
        return f"answer {until(lambda: peer.read(1000))!r}"
    except ssl.SSLError as error:
        # Its versions say "tlsv1 alert", "sslv3 alert" or "ssl/tls alert" before the alert's name.
        text = str(error).split("] ")[-1].split(" (_ssl")[0]
        return re.sub("^(tls|ssl)[^ ]* (alert )?", "", text)
    except OSError as error:
        return repr(error)


if role == "server":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
for case in sys.argv[4 if role == "client" else 3 :]:
    plain = (
        socket.create_connection(("127.0.0.1", int(sys.argv[3]))) if role == "client" else listener.accept()[0]
    )
    with plain:
        if is_later:
            plain.sendall(b"STARTTLS\n")
            plain.recv(100)
        version, what = case.split(":")
        print(case, meet(plain, version, what), flush=True)
