/// What is counted beside the time; its name is the key in files and the line in tables.
///
/// A worker of another revision may count what this one does not know.
public struct Counter: RawRepresentable, Hashable, Comparable, Codable, CodingKeyRepresentable, Sendable,
  CustomStringConvertible
{
  public let rawValue: String
  public var description: String { rawValue }

  public init(rawValue: String) { self.rawValue = rawValue }

  public static func < (one: Counter, other: Counter) -> Bool { one.rawValue < other.rawValue }

  /// Calls of malloc and its like.
  public static let allocations = Counter(rawValue: "allocations")
  public static let allocatedBytes = Counter(rawValue: "allocated_bytes")
  /// System calls that are not counted below.
  public static let systemCalls = Counter(rawValue: "system_calls")
  /// System calls that found nothing to do, or could not write all.
  public static let vainCalls = Counter(rawValue: "vain_calls")
  /// System calls that wait for events.
  public static let waits = Counter(rawValue: "waits")
  /// Wake-ups by `uv_async_send`.
  public static let wakeups = Counter(rawValue: "wakeups")
  /// Parts of Swift tasks that the loop was given on its own thread.
  public static let jobs = Counter(rawValue: "jobs")
  /// Parts of Swift tasks that the loop was given by other threads.
  public static let jobsFromOtherThreads = Counter(rawValue: "jobs_from_other_threads")
  /// Parts of Swift tasks that any executor ran.
  public static let jobsRun = Counter(rawValue: "jobs_run")
  public static let voluntarySwitches = Counter(rawValue: "context_switches_voluntary")
  public static let involuntarySwitches = Counter(rawValue: "context_switches_involuntary")
  public static let pageFaults = Counter(rawValue: "page_faults")
  /// In user space, under valgrind.
  public static let instructions = Counter(rawValue: "instructions")
  /// Bytes that the allocator has given out for what is held while nothing is under way.
  public static let heldBytes = Counter(rawValue: "held_bytes")
  public static let residentBytes = Counter(rawValue: "resident_bytes")
  /// Bytes that are mapped of a program's file.
  public static let programBytes = Counter(rawValue: "program_bytes")
  /// Bytes that are mapped of the files that it is linked with.
  public static let linkedBytes = Counter(rawValue: "linked_bytes")
  /// Answers with work that came before they were of no use any more.
  public static let inTime = Counter(rawValue: "in_time")
  /// Answers with work that came later.
  public static let late = Counter(rawValue: "late")
  /// Answers without work: too much was under way.
  public static let busy = Counter(rawValue: "busy")
  /// Always 0: a profiler acts on it.
  public static let marks = Counter(rawValue: "marks")
}
