/// How many descriptors a worker may have open: it raises its limit as far as it can.
struct DescriptorLimit: Sendable {
  var hard: Int

  /// How many of them a workload may take; the others are for the loop, files and pipes.
  var spare: Int { max(1, hard - 64) }

  /// The limit of the processes that this one starts; nil where it is unknown.
  static var current: DescriptorLimit? {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return nil }
    return DescriptorLimit(hard: Int(clamping: limit.rlim_max))
  }
}
