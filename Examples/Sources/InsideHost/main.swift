// Inside a host: a program that has a libuv loop lends it to this library, and goes on as before:
// `InsideHost`.
//
// Plugin.swift is what you would write. Host.swift plays the program in C that it is a part of; this file is
// what that does with it.

let host = Host()

// Adopt. A pointer to `uv_loop_t` converts by itself.
let plugin = try Plugin(adopting: host.loop)
plugin.start { host.stop() }
host.run()

// Leave. libuv takes a turn of the loop to close handles, so the host runs it again.
plugin.stop()
host.run()

// Nothing is left on the loop: otherwise this is UV_EBUSY.
print(host.close() == 0 ? "host: closed" : "host: something is left on the loop")
