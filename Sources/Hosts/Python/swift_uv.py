"""Functions in Swift, awaited in Python, on uvloop's own event loop.

    async with swift_uv.Library("libExample.so") as swift:
        await swift.sleep(100)
        data = await swift.read_file("/etc/hosts")
"""
import asyncio
import ctypes
import errno
import os

import uvloop
import uvloop.loop as uvloop_module
from ctypes import c_char_p, c_int32, c_ssize_t, c_size_t, c_uint8, c_void_p

ANSWER = ctypes.CFUNCTYPE(None, c_size_t, c_int32, ctypes.POINTER(c_uint8), c_ssize_t)

# uvloop carries a libuv of its own, whose functions the library is to find. Python has loaded it for itself alone.
ctypes.CDLL(uvloop_module.__file__, ctypes.RTLD_GLOBAL)


def loop_pointer(loop):
    """The address of the `uv_loop_t` behind a loop of uvloop."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = c_void_p
    get.argtypes = [ctypes.py_object, c_char_p]
    return get(uvloop_module.libuv_get_loop_t_ptr(loop), None)


def error(code):
    """The exception for a code of libuv's."""
    if code == -errno.ECANCELED:
        return asyncio.CancelledError()
    return OSError(-code, os.strerror(-code)) if -4096 < code < 0 else RuntimeError(f"libuv: {code}")


class Library:
    """The library of Sources/Hosts/C on the running loop, until the end of `async with`."""

    def __init__(self, path):
        # ctypes looks every function up at once. uvloop leaves out some of libuv's that it doesn't call itself, such as
        # `uv_random`; the library misses them only if it is asked for what they do.
        load = ctypes.CDLL(None).dlopen
        load.restype, load.argtypes = c_void_p, [c_char_p, ctypes.c_int]
        handle = load(os.fsencode(path), os.RTLD_LAZY | os.RTLD_LOCAL)
        if not handle:
            raise OSError(f"{path} can't be loaded")
        self.library = ctypes.CDLL(path, handle=handle)
        self.library.example_start.restype = c_void_p
        self.library.example_start.argtypes = [c_void_p, ANSWER, ctypes.POINTER(c_int32)]
        for name, types in [("stop", [c_size_t]), ("sleep", [c_size_t, c_ssize_t]), ("cancel", [c_size_t]),
                            ("read_file", [c_size_t, c_char_p]), ("serve_echo", [])]:
            getattr(self.library, f"example_{name}").argtypes = [c_void_p, *types]
        # Kept for as long as the library may call it.
        self.answer = ANSWER(self.answered)
        self.futures = {}
        self.token = 0
        self.plugin = None

    async def __aenter__(self):
        self.loop = asyncio.get_running_loop()
        if not isinstance(self.loop, uvloop.Loop):
            raise RuntimeError("not on a loop of uvloop's: use uvloop.run()")
        code = c_int32()
        self.plugin = self.library.example_start(loop_pointer(self.loop), self.answer, ctypes.byref(code))
        if not self.plugin:
            raise error(code.value)
        return self

    async def __aexit__(self, *_):
        plugin, self.plugin = self.plugin, None
        token, future = self.expect()
        self.library.example_stop(plugin, token)
        await future

    def answered(self, token, code, data, count):
        future = self.futures.pop(token)
        if future.done():
            return
        if code == 0:
            future.set_result(ctypes.string_at(data, count) if count else b"")
        else:
            reason = error(code)
            future.cancel() if isinstance(reason, asyncio.CancelledError) else future.set_exception(reason)

    def expect(self):
        self.token += 1
        self.futures[self.token] = future = self.loop.create_future()
        return self.token, future

    async def call(self, function, *arguments):
        token, future = self.expect()
        function(self.plugin, token, *arguments)
        try:
            return await future
        finally:
            # The waiting task was cancelled: then so is the one in Swift.
            if token in self.futures and self.plugin:
                self.library.example_cancel(self.plugin, token)

    async def sleep(self, milliseconds):
        await self.call(self.library.example_sleep, milliseconds)

    async def read_file(self, path):
        return await self.call(self.library.example_read_file, os.fsencode(path))

    def serve_echo(self):
        """Begins an echo server; returns its port."""
        port = self.library.example_serve_echo(self.plugin)
        if port < 0:
            raise error(port)
        return port
