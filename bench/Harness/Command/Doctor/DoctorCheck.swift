/// Something that `doctor --check NAME` finds out about a measurement, in place of what it says of the
/// machine.
public struct DoctorCheck: Sendable {
  /// What the command line says beside the name.
  public struct Options: Sendable {
    public var seconds: Double?
    public var workload: String?
  }

  public var name: String
  public var question: String
  /// Prints what it finds. False if that is not as it must be.
  public var run: @Sendable (Options) throws -> Bool

  public init(_ name: String, _ question: String, run: @escaping @Sendable (Options) throws -> Bool) {
    (self.name, self.question, self.run) = (name, question, run)
  }
}
