import SimulatedWorlds
import UV
import UVTLS
import WorldSupport

/// The streams between the two sides: how they begin, and how they end.
extension ProgramSide {
  /// Every connection says first which stream it is.
  func listen() throws(UVError) {
    func accept<Source: ConnectionSource>(_ source: Source) {
      listening.append { source.close() }
      accepting.append(
        loop.spawn { [self] () async throws in
          while let stream = try await source.next().value {
            loop.spawn { [self] () async in await greet(stream) }
          }
        })
    }
    accept(try loop.tcp.listen(port: world.place.port))
    do {
      accept(
        try loop.tls.listen(
          port: world.place.port + 1, Certificates.server(loop), handshakeTimeout: .seconds(3600)))
    }
    if world.isOneHost { accept(try loop.pipes.listen(path: "\(world.place.folder)/socket")) }
    world.isListening = true
  }

  private func greet(_ stream: ByteStream) async {
    let number = try? await stream.read(exactly: 1).value?.first
    if let number, number != Self.visitor {
      ends[Int(number)] = ProgramStreamEnd(stream, world.program.streams[Int(number)])
      return
    }
    if number == nil { stream.close() } else { await receive(stream) }
  }

  func connect() async throws {
    while !world.isListening { try await loop.sleep(for: .milliseconds(10)).value }
    for (index, transport) in world.program.streams.enumerated() {
      let stream: ByteStream
      if transport == .pair {
        let (here, there) = try loop.pipes.socketPair()
        stream = here
        world.sides[1]!.ends[index] = ProgramStreamEnd(there, transport)
      } else {
        stream = try await request(transport).value
        try await stream.write(Bytes([UInt8(index)])).value
      }
      ends[index] = ProgramStreamEnd(stream, transport)
    }
  }

  func request(_ transport: ProgramTransport) -> Request<ByteStream> {
    switch transport {
    case .tcp: loop.tcp.connect(host: world.place.server, port: world.place.port).map { $0 }
    case .unix, .pair: loop.pipes.connect(path: "\(world.place.folder)/socket").map { $0 }
    case .tls:
      Request<ByteStream>(loop) { [loop, place = world.place] done in
        let context: TLSContext
        do throws(UVError) { context = try Certificates.client(loop) } catch {
          loop.queueMicrotask { done(.failure(error)) }
          return PendingRequest()
        }
        let patience = Duration.seconds(3600)
        var pending = PendingRequest()
        if !place.isReal {
          return loop.tls.connect(
            host: place.server, port: place.port + 1, context, handshakeTimeout: patience
          )
          .start { done($0.map { $0 }) }
        }
        // The certificate has the name of the simulation's host.
        pending = loop.tcp.connect(host: place.server, port: place.port + 1) { result in
          switch result {
          case .failure(let error): done(.failure(error))
          case .success(let plain):
            pending = loop.tls.secure(plain, context, host: "server", handshakeTimeout: patience).start {
              done($0.map { $0 })
            }
          }
        }
        return PendingRequest { pending.cancel() }
      }
    }
  }

  /// Ends a stream as two polite sides do: each says that it has ended, and reads to the other's end.
  func finish(_ end: ProgramStreamEnd) async throws {
    let stream = end.stream
    if end.wasClosed {
      // A close that was cancelled before it began.
      if !stream.isClosing { stream.close() }
      return
    }
    end.endTimeouts()
    if end.hasHandler { stream.stop() }
    end.hasHandler = false
    // It may have been asked for, and been cancelled before it began.
    let wasShut = end.isShut
    end.isShut = true
    stream.shutdown { [world] result in
      if case .failure(let error) = result, !wasShut, !end.mayFailToWrite(error) {
        world.complain("the last shutdown: \(error)")
      }
    }
    // A task that goes on only now may read, too. So each read has a place of its own.
    while !end.sawEnd, end.readError == nil {
      let read = end.read(1)
      do throws(UVError) {
        let bytes = try await stream.next().timeout(after: .seconds(3000)).value
        read(bytes, true)
        end.sawEnd = bytes == nil
      } catch {
        read(nil, true)
        end.readError = error
        if !end.mayFailToRead(error) { world.complain("the last read: \(error)") }
      }
    }
  }
}
