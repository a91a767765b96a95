import BenchKit
import CLoadGenerator

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// A peer that is gone shall be an error and not the end of the process.
signal(SIGPIPE, SIG_IGN)

if CommandLine.arguments.dropFirst().first == "generate" {
  // The load generator is this program too, so that there is one file to copy about.
  exit(load_generator_main(CommandLine.argc - 1, CommandLine.unsafeArgv + 1))
}
exit(UVBench.start().rawValue)
