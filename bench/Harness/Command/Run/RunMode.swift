import ArgumentParser

/// What `run` looks for besides what things cost; it then chooses the cases and the load itself.
enum RunMode: String, EnumerableFlag {
  case targets, scale, overload

  static func help(for mode: RunMode) -> ArgumentHelp? {
    switch mode {
    case .targets:
      "Each style's target beside what is measured: the median, quartiles, whether it is met."
    case .scale:
      "Does a ratio to c grow with connections, sizes or loops? And the p99 at half of c's peak."
    case .overload:
      "What is left of a server's peak when more is asked for than it can do?"
    }
  }
}
