import CSimulation

extension World {
  /// Has a host's disk fail: calls that read, write, sync, open or make files fail with `EIO`, until
  /// ``repairDisk(of:)``.
  public func breakDisk(of host: SimulatedHost) {
    note("the disk of \(host.name) fails")
    sim_host_break_disk(host.raw, true)
  }

  /// Ends what ``breakDisk(of:)`` has begun. What a failed sync was to bring to the disk is not there after a
  /// crash, even if a later sync succeeds; Linux does so, too.
  public func repairDisk(of host: SimulatedHost) {
    note("the disk of \(host.name) works")
    sim_host_break_disk(host.raw, false)
  }

  /// Limits the size of a host's disk. A write for which there is no room takes what there is room for, and
  /// the next one fails with `noSpace`.
  ///
  /// - Parameters:
  ///   - bytes: How many bytes all its files may have; nil ends the limit.
  ///   - host: The host.
  public func limitDisk(_ bytes: Int?, of host: SimulatedHost) {
    note("the disk of \(host.name) has \(bytes.map { "\($0) bytes" } ?? "room")")
    sim_host_limit_disk(host.raw, bytes.map { UInt64(max($0, 1)) } ?? 0)
  }

  /// Has each read and write of a host's files take a few bytes only.
  ///
  /// - Parameters:
  ///   - bytes: The most that one call takes, 1 or more; nil ends the limit.
  ///   - host: The host.
  public func limitFileTransfers(_ bytes: Int?, of host: SimulatedHost) {
    note("the files of \(host.name) are read and written by \(bytes.map { "\($0) bytes" } ?? "whole calls")")
    sim_host_limit_moves(host.raw, bytes.map { UInt64(max($0, 1)) } ?? 0)
  }
}
