#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// `http-peers uv-server`, `nio-server`: prints its port, and serves until it is ended. `uv-client`: reads lines of a method and a
// URL, and prints what has come.
func announce(_ value: some Any) {
  print(value)
  fflush(nil)
}

switch CommandLine.arguments.dropFirst().first {
case "uv-server": try UVPeer.serve()
case "nio-server": try NIOPeer.serve()
case "uv-client": UVPeer.ask()
default: exit(2)
}
