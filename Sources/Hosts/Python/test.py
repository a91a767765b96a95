"""Tests of Swift on uvloop's loop: python3 test.py LIBRARY"""
import asyncio
import gc
import os
import resource
import sys
import tempfile
import unittest

import swift_uv
import uvloop

LIBRARY = sys.argv.pop()


def on_loop(body):
    def test(self):
        async def main():
            async with swift_uv.Library(LIBRARY) as swift:
                await body(self, swift)
        uvloop.run(main())
    return test


class Tests(unittest.TestCase):
    @on_loop
    async def test_a_task_is_awaited(self, swift):
        order = []

        async def sleep(n):
            await swift.sleep(n * 20)
            order.append(n)
        await asyncio.gather(*(sleep(n) for n in [3, 1, 2]))
        self.assertEqual(order, [1, 2, 3])

    @on_loop
    async def test_files_and_errors(self, swift):
        with tempfile.NamedTemporaryFile() as file:
            data = os.urandom(1 << 20)
            file.write(data)
            file.flush()
            self.assertEqual(await swift.read_file(file.name), data)
        with self.assertRaises(FileNotFoundError):
            await swift.read_file("/nowhere")

    @on_loop
    async def test_cancellation(self, swift):
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(swift.sleep(10 ** 9), 0.01)
        self.assertEqual(await swift.read_file("/dev/null"), b"")
        # What was cancelled has been answered.
        while swift.futures:
            await asyncio.sleep(0)

    @on_loop
    async def test_a_server_in_swift_and_clients_in_python(self, swift):
        port = swift.serve_echo()

        async def talk(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for number in range(count):
                writer.write(b"message %d\n" % number)
                self.assertEqual(await reader.readline(), b"message %d\n" % number)
            writer.close()
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1
        ticking = asyncio.create_task(tick())
        await asyncio.gather(*(talk(200) for _ in range(20)))
        ticking.cancel()
        self.assertGreater(ticks, 0)

    @on_loop
    async def test_memory_is_flat(self, swift):
        async def some():
            for _ in range(200):
                await asyncio.gather(*(swift.sleep(0) for _ in range(50)))
        await some()
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(4):
            await some()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4096)

    def test_many_loops(self):
        for _ in range(50):
            async def main():
                async with swift_uv.Library(LIBRARY) as swift:
                    asyncio.ensure_future(swift.sleep(10 ** 9))
                    await swift.sleep(0)
            uvloop.run(main())

    def test_another_loop_is_refused(self):
        async def main():
            with self.assertRaisesRegex(RuntimeError, "uvloop"):
                async with swift_uv.Library(LIBRARY):
                    pass
        asyncio.run(main())


unittest.main(verbosity=1)
