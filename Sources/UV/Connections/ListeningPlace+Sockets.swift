import CUV

extension ListeningPlace {
  init(_ address: SocketAddress) { self.init(text: address.description) }

  init(path: some PathConvertible) { self.init(text: "unix:\(path.subject)") }

  init(_ socket: PassedSocket) {
    self.init(text: socket.place, name: socket.name)
    if socket.removesFile, Self.isPath(text) { file = FilePath(String(text.dropFirst(5))) }
  }

  /// The place of a socket that another program has made; empty if it has none, or one of another kind.
  static func text(of descriptor: Int32) -> String {
    let path = try? socketPath("getsockname") { buffer, count in
      let code = cuv_socket_path(descriptor, buffer, count.pointee)
      count.pointee = code == 0 ? strlen(buffer) : 0
      return code
    }
    if let path { return "unix:\(path)" }
    let address = try? address("getsockname") { cuv_getsockname(descriptor, $0, $1) }
    return address?.description ?? ""
  }
}
