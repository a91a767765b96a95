# A server by HTTP in Python that does a known number of additions for each request: `SpinningServer.py ADDITIONS [PORT]`.
# Its answer is what the variable BODY says. One request in a hundred waits for the milliseconds of the variable DELAY first.
import asyncio
import os
import random
import sys

ADDITIONS = int(sys.argv[1])
BODY = os.environ.get("BODY", "hi")
DELAY = float(os.environ.get("DELAY", 0)) / 1000
ANSWER = f"HTTP/1.1 200 OK\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}".encode()


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.bytes = b""

    def data_received(self, bytes):
        self.bytes += bytes
        while b"\r\n\r\n" in self.bytes:
            self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]
            total = 0
            for number in range(ADDITIONS):
                total += number
            if DELAY and random.random() < 0.01:
                asyncio.get_running_loop().call_later(DELAY, self.transport.write, ANSWER)
            else:
                self.transport.write(ANSWER)


async def main():
    port = int(sys.argv[2] if len(sys.argv) > 2 else os.environ["PORT"])
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main())
