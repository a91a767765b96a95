/// Something that `doctor --check NAME` finds out about a measurement, in place of what it says of the machine.
public struct DoctorCheck: Sendable {
  /// What the command line says beside the name.
  public struct Options: Sendable {
    /// Seconds to measure; nil for what is usual.
    public var seconds: Double?
    /// The workload to look at; nil for the usual one.
    public var workload: String?
  }

  public var name: String
  /// What is asked, in a line.
  public var question: String
  /// Prints what it finds. False if that is not as it must be.
  public var run: @Sendable (Options) throws -> Bool

  public init(_ name: String, _ question: String, run: @escaping @Sendable (Options) throws -> Bool) {
    self.name = name
    self.question = question
    self.run = run
  }
}
