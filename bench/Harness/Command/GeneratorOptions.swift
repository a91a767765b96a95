import ArgumentParser

struct GeneratorOptions: ParsableArguments {
  @Option(
    help: "Where `generate --listen` runs, as HOST:PORT. Only workloads with a server are measured then.")
  var generator: NetworkAddress?

  @OptionGroup var secret: TokenOption

  /// Where it comes from. The clocks of the two machines need not agree: times are taken at one or the other.
  var place: LoadGenerator.Place {
    get throws { generator.map { .there($0, token: secret.value) } ?? Executable.generator }
  }

  /// The options that say the same to a worker, which has the token from the environment.
  var arguments: [String] {
    guard let generator else { return [] }
    secret.passOn()
    return ["--generator", "\(generator)"]
  }
}

/// What a load generator wants to hear from those for whom it works.
public struct TokenOption: ParsableArguments {
  @Option(
    help: """
      What the generator wants to hear, without spaces. Others on the machine can see it in the list of processes, but not \
      in the variable UVBENCH_TOKEN. (default: what UVBENCH_TOKEN says)
      """)
  var token: String?

  private static let variable = "UVBENCH_TOKEN"

  /// The token; an empty text where none was given.
  public var value: String { token ?? getenv(Self.variable).map { String(cString: $0) } ?? "" }

  public init() {}

  /// Refuses what the conversation with a generator has no room for.
  public func validate() throws {
    guard value.utf8.count <= 200, !value.contains(where: \.isWhitespace) else {
      throw ValidationError("A token has at most 200 bytes, and no spaces.")
    }
  }

  func passOn() { setenv(Self.variable, value, 1) }
}

extension NetworkAddress: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
