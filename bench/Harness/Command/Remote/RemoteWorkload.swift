import CBenchSupport

/// What servers that run already are asked for; a row is a server.
struct RemoteWorkload: Workload {
  let name: String
  let summary: String
  let parameters: [Parameter]
  let styles: [Style]
  let hasOpenLoop = true

  static func all(for servers: [RemoteServer]) -> [any Workload] {
    servers.grouped(by: \.kind).map { RemoteWorkload($0[0].kind, styles: $0.map(\.style)) }
  }

  private init(_ kind: RemoteServer.Kind, styles: [Style]) {
    self.styles = styles
    name = kind.rawValue
    let connections = Parameter(
      "connections", 50, in: 1...100_000, takesDescriptors: true, help: "connections")
    let pipelined = Parameter("pipelined", 1, in: 1...16, help: "requests that are sent together")
    switch kind {
    case .http:
      summary = "a request by HTTP and its answer, which must say yes"
      parameters = [connections, pipelined]
    case .redis:
      summary = "GET or SET by Redis' protocol, of a key that redis-benchmark uses, too"
      let size = Parameter("size", 64, in: 1...Int(BENCH_RESP_VALUE), help: "bytes of a value")
      let sets = Parameter("sets", 20, in: 0...100, help: "how many of a hundred requests are SET")
      parameters = [connections, pipelined, size, sets]
    case .echo:
      summary = "so many bytes there and back"
      let size = Parameter("size", 64, in: 1...16_777_216, help: "bytes of a message")
      parameters = [connections, size]
    }
  }

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance { throw UsageError("\(style) runs already") }
}
