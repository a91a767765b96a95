#!/usr/bin/env python3
"""Runs the cases of autobahntestsuite against a WebSocket server that echoes at /ws, as its fuzzing client does, or against a
client that echoes what a server says, as its fuzzing server does.

  Tests/WebSocket/cases.py PORT [--environment FOLDER] [--cases PATTERN…]
  Tests/WebSocket/cases.py --client PROGRAM …          it is called with a URL and how often to connect there

`Tests/run protocols autobahn` does it with HTTPServer, and `Tests/run websocket` with WebSocketEcho. autobahntestsuite is written for Python 2. So this script takes only its cases, and rewrites the few lines that Python 3 reads
otherwise. Under the cases is autobahn, the library that the suite uses too. The class Fuzzer does what
FuzzingProtocol does in the suite's fuzzing.py. Cases 12 and 13 are about compression, and are left out.

The packages come from PyPI and stay in FOLDER. Exit codes: 0 no case failed, 1 some did, 4 the packages can't be had.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

SUITE = "autobahntestsuite==25.10.1"
CLIENT = ["autobahn==23.1.2", "twisted==26.10.0"]
LIMIT = 60  # Seconds for one case; the longest takes 5.
LIMIT_OF_ALL = 900  # Seconds for one run; what hasn't run by then has failed.
GOOD = ("OK", "NON-STRICT", "INFORMATIONAL")
PATIENCE = 10  # The suite waits a second for an answer, and a machine that builds beside it once needed more than 3.
TIMEOUTS = ["openHandshakeTimeout", "closeHandshakeTimeout", "serverConnectionDropTimeout"]

# In Python 2 a string is a row of bytes. Read as Latin-1, each string of the cases is one in Python 3 too, and can stay as it is.
REWRITES = [
    (r"^(\s*)print\b.*", r"\1pass"),
    (r"\bxrange\(", "range("),
    (r"binascii\.b2a_hex\(", "repr("),
    (r"\(object, Case, ?\)", "(Case,)"),
    (r"v\.validate\((vss\[:i\])\)", r"v.validate(\1.encode('latin-1'))"),
    # An integer in Python 2.
    (r"len\(self\.payload\) / ", "len(self.payload) // "),
    # Equal lists may have different pickles.
    (r"pickle\.dumps\(obj1\) == pickle\.dumps\(obj2\)", "obj1 == obj2"),
    # Compression, and a case that the suite leaves out itself.
    (r"^.*(case12_x_x|Case1[23]_X_X|case9_9_1).*", ""),
]


def environment(folder):
    """The Python of a virtual environment that has what the cases need, and the folder of the rewritten cases."""
    folder = pathlib.Path(folder).resolve()
    python, cases = folder / "bin" / "python", folder / "autobahn-cases"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=300)
    if not (cases / "every_case.py").exists():
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for packages in (CLIENT, ["--no-deps", "--no-compile", SUITE]):
            subprocess.run([*pip, *packages], check=True, timeout=600)
        rewrite(next(folder.glob("lib/python3*/site-packages/autobahntestsuite/case")), cases)
    return python, cases


def rewrite(source, target):
    target.mkdir(exist_ok=True)
    # The list of cases comes last: that it is there says that all are.
    for file in sorted(source.glob("*.py"), key=lambda file: file.stem == "__init__"):
        if file.stem in ("case12_x_x", "case9_9_1"):
            continue
        text = file.read_bytes().decode("latin-1")
        for pattern, replacement in REWRITES:
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        (target / f"{'every_case' if file.stem == '__init__' else file.stem}.py").write_text(text, encoding="utf-8")


def judge(peer, folder, patterns=("*",)):
    """What each case says: its verdict on the answers, its verdict on the close, and why. The peer is the port of a server or the
    path of a client."""
    python, cases = environment(folder)
    role = [str(peer)] if isinstance(peer, int) else ["--client", peer]
    command = [python, "-B", pathlib.Path(__file__).resolve(), *role, "--drive", cases, "--cases", *patterns]
    # The run ends by itself, at most one case after its limit. This timeout is for a run that can't.
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=LIMIT_OF_ALL + 2 * LIMIT)
    return json.loads(done.stdout)


def word(verdicts):
    """One word for a case: the verdict on the answers, or if that is good, a bad one on the close."""
    behavior, close, _ = verdicts
    return behavior if behavior not in GOOD or close in GOOD else close


def run(port, python_venv_dir):
    """How many cases there are, how many of them are OK, and of each that failed why."""
    verdicts = judge(port, python_venv_dir)
    return len(verdicts), sum(word(case) == "OK" for case in verdicts.values()), failures(verdicts)


def failures(verdicts):
    return {name: f"{word(case)}: {case[2]}" for name, case in verdicts.items() if word(case) not in GOOD}


def drive(port, program, cases, patterns):
    """Runs the cases one after another. It is for the Python of the environment."""
    sys.path.insert(0, str(cases))
    import every_case
    import txaio
    txaio.use_twisted()
    from autobahn.exception import Disconnected
    from autobahn.twisted.websocket import WebSocketClientFactory, WebSocketClientProtocol
    from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
    from autobahn.websocket import protocol as library
    from twisted.internet import reactor, task

    def number(case):
        return case.__name__[len("Case"):].replace("_", ".")

    waiting = collections.deque(
        case for case in every_case.Cases if any(fnmatch.fnmatchcase(number(case), pattern) for pattern in patterns))
    running = set(waiting)
    verdicts = {number(case): ("FAILED", "FAILED", "the time for all cases was over") for case in waiting}

    def octets(payload):
        # The library sends too, and then it is bytes, or for no reason None.
        return payload.encode("latin-1") if isinstance(payload, str) else payload

    class Mask(library.XorMaskerNull):
        """Does what the library's maskers do, at the speed that 16 MiB need."""

        def __init__(self, mask):
            super().__init__()
            self.mask = bytes(mask)

        def process(self, data):
            start, data = self._ptr % 4, bytes(super().process(data))
            key = ((self.mask + self.mask) * (len(data) // 4 + 1))[start:start + len(data)]
            return (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(len(data), "big")

    library.create_xor_masker = lambda mask, length=None: Mask(mask)

    class Fuzzer:
        """What a case calls, and what calls a case."""

        def connectionMade(self):
            self.connectionWasOpen, self.error, self.txFrameStats = False, None, collections.Counter()
            self.kind = self.factory.following()
            self.case = self.kind(self)
            self.limit = reactor.callLater(LIMIT, self.endAtLimit)
            super().connectionMade()

        def connectionLost(self, reason):
            super().connectionLost(reason)
            self.limit.active() and self.limit.cancel()
            self.ask(self.case.onConnectionLost, self.failedByMe)
            close = "" if self.case.behaviorClose == "OK" else f" {self.case.resultClose} (code {self.remoteCloseCode})."
            verdicts[number(self.kind)] = (
                ("FAILED", "FAILED", self.error) if self.error else
                (self.case.behavior, self.case.behaviorClose, self.case.result + close))
            running.discard(self.kind)
            self.factory.isServer and not running and stop()

        def endAtLimit(self):
            self.error = f"it took more than {LIMIT} s"
            self.transport.abortConnection()

        def ask(self, method, *arguments):
            try:
                method(*arguments)
            except Exception as error:
                self.error = f"{type(error).__name__} in the case: {error}"
                self.transport.abortConnection()

        def onOpen(self):
            self.connectionWasOpen = True
            self.ask(self.case.onOpen)

        def onMessage(self, payload, isBinary):
            self.ask(self.case.onMessage, payload.decode("latin-1"), isBinary)

        def onPong(self, payload):
            self.ask(self.case.onPong, payload.decode("latin-1"))

        def sendFrame(self, opcode, payload=b"", **options):
            super().sendFrame(opcode, octets(payload), **options)

        def sendMessage(self, payload, isBinary=False, **options):
            try:
                super().sendMessage(octets(payload), isBinary, **options)
            except Disconnected:
                pass  # The suite's version of the library says nothing here.

        def sendMessageFrameData(self, payload, sync=False):
            return super().sendMessageFrameData(octets(payload), sync)

        def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
            super().sendCloseFrame(code, octets(reasonUtf8), isReply)

        def continueLater(self, delay, action, tag=None):
            reactor.callLater(delay, lambda: self.state == self.STATE_CLOSED or self.ask(action))

        def killAfter(self, delay):
            self.continueLater(delay * PATIENCE, self._fail_connection)

        def closeAfter(self, delay):
            self.continueLater(delay * PATIENCE, self.sendClose)

        def logTxFrame(self, header, *how):
            self.txFrameStats[header.opcode] += 1

        def enableWirelog(self, *what):
            pass

        logRxFrame = enableWirelog

    class Client(Fuzzer, WebSocketClientProtocol):
        pass

    class Server(Fuzzer, WebSocketServerProtocol):
        pass

    class ClientFactory(WebSocketClientFactory):
        protocol, noisy = Client, False

        def following(self):
            return self.case

        def clientConnectionLost(self, connector, reason):
            connect()

        def clientConnectionFailed(self, connector, reason):
            verdicts[number(self.case)] = ("FAILED", "FAILED", f"no connection: {reason.getErrorMessage()}")
            connect()

    class ServerFactory(WebSocketServerFactory):
        protocol, noisy = Server, False

        def following(self):
            # One more than there are cases would be a client that counts wrongly.
            return waiting.popleft()

    def prepared(factory):
        timeouts = [name for name in TIMEOUTS if hasattr(factory, name)]
        factory.setProtocolOptions(failByDrop=False, **dict.fromkeys(timeouts, PATIENCE))
        factory.logOctets, factory.logFrames = False, True
        return factory

    def stop():
        reactor.running and reactor.stop()

    def connect():
        if not waiting:
            return stop()
        factory = prepared(ClientFactory(f"ws://127.0.0.1:{port}/ws"))
        factory.case = waiting.popleft()
        reactor.connectTCP("127.0.0.1", port, factory, timeout=10)

    def listen():
        listener = reactor.listenTCP(0, prepared(ServerFactory()), interface="127.0.0.1")
        url = f"ws://127.0.0.1:{listener.getHost().port}/ws"
        client = subprocess.Popen([program, url, str(len(waiting))], stdout=subprocess.DEVNULL)
        # Cases that nobody connects for have failed. The last one may just be ending.
        task.LoopingCall(lambda: client.poll() is None or reactor.callLater(PATIENCE, stop)).start(1)

    reactor.callWhenRunning(listen if program else connect)
    reactor.callLater(LIMIT_OF_ALL, stop if program else waiting.clear)
    reactor.run()
    print(json.dumps(verdicts))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("port", type=int, nargs="?")
    arguments.add_argument("--client", metavar="PROGRAM")
    arguments.add_argument("--environment", default=".build/protocols", metavar="FOLDER")
    arguments.add_argument("--cases", nargs="+", default=["*"], metavar="PATTERN")
    arguments.add_argument("--drive", type=pathlib.Path, help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if (asked.port is None) == (asked.client is None):
        arguments.error("give the port of a server, or --client with a program")
    if asked.drive:
        return drive(asked.port, asked.client, asked.drive, asked.cases)
    try:
        environment(asked.environment)
    except (subprocess.SubprocessError, OSError) as error:
        arguments.exit(4, f"{arguments.prog}: {error}\n")
    verdicts = judge(asked.client or asked.port, asked.environment, asked.cases)
    counts = collections.Counter(map(word, verdicts.values()))
    for name, why in failures(verdicts).items():
        print(f"{name:<8} {why}")
    print(f"{len(verdicts)} cases: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    sys.exit(0 if verdicts and not failures(verdicts) else 1)


if __name__ == "__main__":
    main()
