#if HTTP || Everything
import HTTPTypes
import UV

/// Connects to the server of an origin: through a proxy or not, with TLS or not.
struct Connector {
  let loop: EventLoop
  let options: HTTPClientOptions
  let security: (any StreamSecurity)?

  func connect(to origin: HTTPOrigin) -> Request<ClientConnection> {
    let proxy = options.proxy(for: origin)
    return transport(to: origin, proxy).then { stream -> Request<ByteStream> in
      guard let proxy, options.forwardingProxy(for: origin) == nil else { return .value(loop, stream) }
      return Tunnel.open(stream, to: origin, proxy, options.parsing)
    }.then { stream -> Request<ByteStream> in
      guard origin.isSecure else { return .value(loop, stream) }
      guard let security else {
        stream.close()
        return .failure(
          loop,
          UVError(
            .notSupported, operation: "connect",
            message: "https needs TLS: import UVTLS, and make an HTTPClient(loop, security: loop.tls)"))
      }
      return security.secure(stream, host: origin.host)
    }.map { ClientConnection($0, writeTimeout: options.idleTimeout) }
  }

  /// Connects to the server or the proxy, or to the socket that stands for both.
  private func transport(to origin: HTTPOrigin, _ proxy: HTTPProxy?) -> Request<ByteStream> {
    if let path = options.unixSocket { return loop.pipes.connect(path: path).map { $0 } }
    let host = proxy?.host ?? origin.host
    let port = proxy?.port ?? origin.port
    return loop.tcp.connect(host: host, port: port).map { connection in
      // A request is written whole, so the system needn't wait for more of it.
      try? connection.setNoDelay()
      return connection
    }
  }
}

/// A tunnel through a proxy (RFC 9110, 9.3.6).
enum Tunnel {
  static func open(
    _ stream: ByteStream, to origin: HTTPOrigin, _ proxy: HTTPProxy, _ limits: HTTPLimits
  ) -> Request<ByteStream> {
    var bytes = BytesBuilder()
    bytes.append("CONNECT \(origin.authority) HTTP/1.1\r\nhost: \(origin.authority)\r\n")
    if let authorization = proxy.authorization {
      ResponseHead.append(HTTPField(name: .proxyAuthorization, value: authorization), to: &bytes)
    }
    bytes.append("\r\n")
    let request = bytes.takeBytes()
    return Request(of: stream.loop, operation: "CONNECT") { done in
      var pending = PendingRequest()
      var input = Bytes()
      var interimCount = 0
      var parser = ResponseParser(limits, ResponseParser.Question(isConnect: true))
      /// The head of the answer, past those that only announce it; nil if it isn't complete.
      func finalHead() throws(Refusal) -> AnswerHead? {
        while let head = try parser.parse(&input) {
          // 101 would be another protocol than the tunnel that was asked for.
          if !head.isInterim || head.status == 101 { return head }
          interimCount += 1
          if interimCount > ClientExchange.mostInterimAnswers { throw .tooManyInterimAnswers }
          input = Bytes(input[head.end...])
          parser = ResponseParser(limits, ResponseParser.Question(isConnect: true))
        }
        return nil
      }
      func fail(_ error: UVError) {
        stream.close()
        done(.failure(error))
      }
      func read() {
        pending = stream.next { result in
          switch result {
          case .failure(let error): fail(error)
          case .success(nil): fail(UVError(.endOfFile, operation: "CONNECT", subject: origin.authority))
          case .success(let bytes?):
            input = input.followed(by: bytes)
            do throws(Refusal) {
              guard let head = try finalHead() else { return read() }
              guard head.framing == .tunnel else {
                return fail(
                  UVError(
                    .unexpectedAnswer, operation: "CONNECT", subject: origin.authority,
                    message: "the proxy answered \(head.status)"))
              }
              // The bytes that follow belong to the tunnel.
              stream.unread(Bytes(input[head.end...]))
              done(.success(stream))
            } catch { fail(UVError(.protocolError, operation: "CONNECT", message: error.reason)) }
          }
        }
      }
      pending = stream.write(request) { result in
        if case .failure(let error) = result { fail(error) } else { read() }
      }
      return PendingRequest { pending.cancel() }
    }
  }
}
#endif
