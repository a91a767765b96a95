import GRPCCore

/// The service `echo.Echo`. Its messages are plain bytes, so that nothing has to be generated from a `.proto`
/// file.
struct EchoService: RegistrableRPCService {
  static let service = ServiceDescriptor(fullyQualifiedService: "echo.Echo")
  /// One message there, and the same one back.
  static let get = MethodDescriptor(service: service, method: "Get")
  /// One message there, and its words back.
  static let expand = MethodDescriptor(service: service, method: "Expand")
  /// Any number of messages there, and all of them back as one.
  static let collect = MethodDescriptor(service: service, method: "Collect")
  /// Any number of messages there, each of them back when it has come.
  static let update = MethodDescriptor(service: service, method: "Update")

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    for method in [Self.get, Self.update] {
      register(method, in: &router) { request, answer in
        for try await message in request { try await answer.write(message) }
      }
    }
    register(Self.expand, in: &router) { request, answer in
      for try await message in request {
        for word in message.split(separator: UInt8(ascii: " ")) { try await answer.write(Array(word)) }
      }
    }
    register(Self.collect, in: &router) { request, answer in
      var all: [UInt8] = []
      for try await message in request { all += message }
      try await answer.write(all)
    }
  }

  private typealias Messages = RPCAsyncSequence<[UInt8], any Error>

  private func register<Transport: ServerTransport>(
    _ method: MethodDescriptor, in router: inout RPCRouter<Transport>,
    _ body: @escaping @Sendable (Messages, RPCWriter<[UInt8]>) async throws -> Void
  ) {
    router.registerHandler(forMethod: method, deserializer: RawBytes(), serializer: RawBytes()) {
      request, _ in
      StreamingServerResponse { answer in
        try await body(request.messages, answer)
        return [:]
      }
    }
  }
}

/// A message as it is.
struct RawBytes: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes { Bytes(message) }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}
