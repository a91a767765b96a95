#if Everything
import Synchronization
import UVTLS

/// Two ends of a TLS connection, and a middleman that changes what they say: nobody reads what the
/// other hasn't written, and each ends with a clear error, or with all that was written.
struct FuzzedTLS {
  private let loop: EventLoop
  private let directory: String
  private let input: [UInt8]

  /// The versions' contexts, made once: TLS 1.2 and 1.3.
  private static let contexts = Mutex<[(server: TLSContext, client: TLSContext)]>([])
  private static let message = Bytes((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })

  init(_ loop: EventLoop, _ directory: String, _ input: [UInt8]) {
    self.loop = loop
    self.directory = directory
    self.input = Array(input.prefix(512))
  }

  private func contexts() async throws -> [(server: TLSContext, client: TLSContext)] {
    let made = Self.contexts.withLock { $0 }
    if !made.isEmpty { return made }
    let (key, certificate) = ("\(directory)/fuzz.key", "\(directory)/fuzz.pem")
    let openssl = try loop.processes.spawn(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
        "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days",
        "2",
      ], stdio: [.ignore, .ignore, .ignore])
    _ = try await openssl.exit().value
    let identity = try TLSIdentity(certificateChain: certificate, privateKey: key)
    let new = try [TLSOptions.Version.tls12, .tls13].map { version in
      var options = TLSOptions()
      options.maximumVersion = version
      return (
        server: try TLSContext.server(identity, options: options),
        client: try TLSContext.client(trust: .certificates(certificate), options: options)
      )
    }
    Self.contexts.withLock { $0 = new }
    return new
  }

  func problem() async throws -> String? {
    let mode = input.first ?? 0
    let context = try await contexts()[Int(mode & 1)]
    let (near, proxyNear) = try loop.pipes.socketPair()
    let (far, proxyFar) = try loop.pipes.socketPair()
    let tampering = Tampering(Array(input.dropFirst()))
    let quiet = Quiet()
    forward(proxyNear, proxyFar, mode & 2 == 0 ? tampering : nil, quiet)
    forward(proxyFar, proxyNear, mode & 2 == 0 ? nil : tampering, quiet)
    let server = loop.spawn { await Self.talk(loop.tls.secure(near, context.server)) }
    let client = loop.spawn { await Self.talk(loop.tls.secure(far, context.client, host: "localhost")) }
    // What waits for bytes that never come ends with an end.
    let done = loop.spawn { () async -> [Talk] in [await server.value, await client.value] }
    loop.spawn {
      while quiet.turns < 100 {
        quiet.turns += 1
        try? await loop.sleep(for: quiet.turns < 95 ? .zero : .milliseconds(1)).value
      }
      proxyNear.close()
      proxyFar.close()
    }
    let talks = await done.value
    quiet.turns = 100
    for (name, talk) in zip(["server", "client"], talks) {
      guard talk.read == Self.message.prefix(talk.read.count).map({ $0 }) else {
        return "the \(name) has read what nobody wrote"
      }
      if let code = talk.error?.code {
        guard [.tls, .tlsTruncated, .brokenPipe, .connectionReset, .endOfFile].contains(code) else {
          return "the \(name) ended with \(talk.error!)"
        }
        if !tampering.hasTampered { return "the \(name) ended with \(talk.error!) although nobody tampered" }
      } else if talk.read.count != Self.message.count {
        return "the \(name) ended cleanly after \(talk.read.count) bytes"
      }
    }
    return nil
  }

  private struct Talk {
    var read: [UInt8] = []
    var error: UVError?
  }

  /// Says the message, and reads to the end.
  private static func talk(_ connecting: Request<TLSConnection>) async -> Talk {
    var talk = Talk()
    do throws(UVError) {
      let connection = try await connecting.value
      defer { connection.close() }
      connection.write(message) { _ in }
      connection.shutdown { _ in }
      for try await chunk in connection { talk.read += chunk }
    } catch { talk.error = error }
    return talk
  }

  private func forward(_ from: PipeConnection, _ to: PipeConnection, _ tampering: Tampering?, _ quiet: Quiet)
  {
    from.start { result in
      quiet.turns = 0
      guard case .success(let bytes?) = result else {
        if case .success = result { to.shutdown { _ in } }
        return
      }
      guard let tampering else { return _ = to.write(bytes) { _ in } }
      to.write(Bytes(tampering.changed(bytes))) { _ in
        if tampering.isCut {
          from.close()
          to.close()
        }
      }
    }
  }
}

/// For how many turns nothing has passed.
private final class Quiet {
  var turns = 0
}

/// Changes bytes as its program says: so many pass, then one is changed or dropped, some are added, or all is
/// cut.
private final class Tampering {
  private var program: ArraySlice<UInt8>
  private var passing = 0
  private(set) var hasTampered = false
  private(set) var isCut = false

  init(_ program: [UInt8]) { self.program = program[...] }

  func changed(_ bytes: Bytes) -> [UInt8] {
    var out: [UInt8] = []
    for byte in bytes where !isCut {
      if passing > 0 || program.isEmpty {
        passing -= 1
        out.append(byte)
      } else {
        obey(program.removeFirst(), byte, &out)
      }
    }
    return out
  }

  /// Obeys one command of the program, at one byte.
  private func obey(_ command: UInt8, _ byte: UInt8, _ out: inout [UInt8]) {
    let argument = Int(command >> 3)
    switch command & 7 {
    case 0, 1:
      passing = argument
      return out.append(byte)
    case 2:
      passing = argument * 64
      return out.append(byte)
    case 3: out.append(byte ^ (1 << UInt8(argument & 7)))
    case 4: break
    case 5, 6:
      out += program.prefix(argument)
      program = program.dropFirst(argument)
      out.append(byte)
    default: isCut = true
    }
    hasTampered = true
  }
}
#endif
