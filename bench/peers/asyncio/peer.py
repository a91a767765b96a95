"""Python's event loops, by the contract in ../README.md.

    peer.py asyncio|uvloop protocol|streams WORKLOAD [key=value ...]
"""

import asyncio
import os
import socket
import ssl
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

POOL_THREADS = 4
READ_SIZE = 65536


class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(data)

    def pause_writing(self):
        self.transport.pause_reading()

    def resume_writing(self):
        self.transport.resume_reading()


class Answer(asyncio.Protocol):
    """`tls-handshake`: a connection ends with its message."""

    def __init__(self, size):
        self.missing = size

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.missing -= len(data)
        self.transport.write(data)
        if self.missing == 0:
            self.transport.close()


async def echo_stream(reader, writer):
    while data := await reader.read(READ_SIZE):
        writer.write(data)
        await writer.drain()
    writer.close()


async def answer_stream(reader, writer, size):
    while size > 0 and (data := await reader.read(READ_SIZE)):
        size -= len(data)
        writer.write(data)
        await writer.drain()
    writer.close()


def tls_context(identity):
    if identity is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity)
    return context


async def serve(style, workload, options):
    context = tls_context(options.get("identity"))
    protocol, stream = Echo, echo_stream
    if workload == "tls-handshake":
        size = options["size"]
        protocol, stream = lambda: Answer(size), lambda *ends: answer_stream(*ends, size)
    loop = asyncio.get_running_loop()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    if style == "protocol":
        await loop.create_server(protocol, sock=listener, ssl=context)
    else:
        await asyncio.start_server(stream, sock=listener, ssl=context)
    print(listener.getsockname()[1], flush=True)
    ended = loop.create_future()
    loop.add_reader(0, lambda: os.read(0, 64) or ended.done() or ended.set_result(None))
    await ended


def timer_delay(index):
    return (1 + index // 1000) / 1000


class Protocol:
    """Callbacks."""

    @staticmethod
    async def million_timers(count, options):
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        fired = 0

        def fire():
            nonlocal fired
            fired += 1
            if fired == count:
                done.set_result(fired)

        for index in range(count):
            loop.call_later(timer_delay(index), fire)
        return await done

    @staticmethod
    async def wakeup(count, options):
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        answer = threading.Semaphore(0)
        answered = 0

        def woken():
            nonlocal answered
            answered += 1
            answer.release()
            if answered == count:
                done.set_result(answered)

        def ping():
            for _ in range(count):
                loop.call_soon_threadsafe(woken)
                answer.acquire()

        threading.Thread(target=ping).start()
        return await done

    @staticmethod
    async def then_chain(count, options):
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        issued = ended = total = 0

        def begin():
            nonlocal issued
            if issued < count:
                loop.call_soon(one, issued)
                issued += 1

        def one(value):
            loop.call_soon(two, value + 1)

        def two(value):
            loop.call_soon(three, value * 2)

        def three(value):
            nonlocal ended, total
            total += value - 1
            ended += 1
            begin()
            if ended == count:
                done.set_result(total)

        for _ in range(options["in-flight"]):
            begin()
        return await done


class Streams:
    """async and await."""

    @staticmethod
    async def million_timers(count, options):
        fired = 0

        async def sleep(index):
            nonlocal fired
            await asyncio.sleep(timer_delay(index))
            fired += 1

        await asyncio.gather(*(sleep(index) for index in range(count)))
        return fired

    @staticmethod
    async def fs_read(count, options):
        loop = asyncio.get_running_loop()
        paths = [f"{options['directory']}/file-{index:02}" for index in range(64)]
        issued = total = 0

        async def work():
            nonlocal issued, total
            while issued < count:
                path = paths[issued % 64]
                issued += 1
                file = await loop.run_in_executor(None, os.open, path, os.O_RDONLY)
                status = await loop.run_in_executor(None, os.fstat, file)
                data = await loop.run_in_executor(None, os.pread, file, status.st_size, 0)
                await loop.run_in_executor(None, os.close, file)
                total += len(data)

        await asyncio.gather(*(work() for _ in range(options["in-flight"])))
        return total

    client = None

    @staticmethod
    async def http_client(count, options):
        import aiohttp

        # Its connections stay open between the lines.
        if Streams.client is None:
            Streams.client = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=options["in-flight"]))
        url = f"http://127.0.0.1:{options['port']}/hello"
        issued = ended = 0

        async def work():
            nonlocal issued, ended
            while issued < count:
                issued += 1
                async with Streams.client.get(url) as response:
                    body = await response.read()
                    if response.status == 200 and len(body) == options["size"]:
                        ended += 1

        await asyncio.gather(*(work() for _ in range(options["in-flight"])))
        return ended

    @staticmethod
    async def wakeup(count, options):
        loop = asyncio.get_running_loop()
        answer = threading.Semaphore(0)
        woken = asyncio.Event()

        def ping():
            for _ in range(count):
                loop.call_soon_threadsafe(woken.set)
                answer.acquire()

        thread = threading.Thread(target=ping)
        thread.start()
        answered = 0
        while answered < count:
            await woken.wait()
            woken.clear()
            answered += 1
            answer.release()
        thread.join()
        return answered

    @staticmethod
    async def then_chain(count, options):
        issued = total = 0

        async def one(value):
            return value + 1

        async def two(value):
            return value * 2

        async def three(value):
            return value - 1

        async def work():
            nonlocal issued, total
            while issued < count:
                issued += 1
                found = await three(await two(await one(issued - 1)))
                total += found

        await asyncio.gather(*(work() for _ in range(options["in-flight"])))
        return total


async def answer_lines(work, options):
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(POOL_THREADS))
    while line := sys.stdin.readline():
        count = int(line)
        print(count, await work(count, options), flush=True)
    if Streams.client is not None:
        await Streams.client.close()


def main():
    loop_name, style, workload = sys.argv[1:4]
    options = dict(argument.split("=", 1) for argument in sys.argv[4:])
    options = {key: int(value) if value.isdigit() else value for key, value in options.items()}
    if workload.startswith(("tcp-", "tls-")):
        body = serve(style, workload, options)
    else:
        rows = Protocol if style == "protocol" else Streams
        body = answer_lines(getattr(rows, workload.replace("-", "_")), options)
    if loop_name == "uvloop":
        import uvloop

        uvloop.install()
    asyncio.run(body)


main()
