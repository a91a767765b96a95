import Testing
import UV
import UVSimulation

@Suite struct DiskTests {
  @Test("Each host has files of its own, which a crash leaves if they were synced") func files() throws {
    let found = Log<String>()
    try Simulation(seed: 1) { world in
      let writer = world.host("writer") { loop in
        if let old = try? await loop.files.readFile("/data").value {
          found.append(String(decoding: old, as: UTF8.self))
        }
        try await loop.files.writeFile("/data", Bytes("of the writer".utf8), atomically: true).value
        try await loop.files.open("/").value.sync().value
        try await loop.sleep(for: .seconds(1000)).value
      }
      world.host("other") { loop in
        try await loop.sleep(for: .seconds(1)).value
        await #expect(throws: UVError.self) { try await loop.files.readFile("/data").value }
      }
      try world.sleep(for: .seconds(5))
      world.bounce(writer)
      try world.sleep(for: .seconds(5))
      world.crash(writer)
    }
    #expect(found.values == ["of the writer"])
  }

  @Test("Sockets of the Unix domain connect within a host") func unixSockets() throws {
    try Simulation(seed: 1, weather: .storm) { world in
      world.host("a") { loop in
        let listener = try loop.pipes.listen(path: "/tmp/socket")
        let client = try await loop.pipes.connect(path: "/tmp/socket").value
        let server = try await listener.accept().value
        try await client.write(Bytes("hello".utf8)).value
        let bytes = try await server.read(exactly: 5).value
        #expect(bytes == Bytes("hello".utf8))
        client.close()
        server.close()
        listener.close()
      }
    }
  }

  @Test("Datagrams are lost, doubled and overtaken in a storm, and none is in a calm") func datagrams() throws
  {
    func received(_ weather: Weather) throws -> [Int] {
      let numbers = Log<Int>()
      try Simulation(seed: 1, weather: weather) { world in
        let receiver = world.host("receiver") { loop in
          let socket = try loop.udp.bind(host: "0.0.0.0", port: 53)
          for try await datagram in socket { numbers.append(Int(datagram.bytes[0])) }
        }
        world.client("sender") { loop in
          let socket = try loop.udp.bind(host: "0.0.0.0", port: 0)
          let target = try SocketAddress(receiver.address, port: 53)
          for number in 0..<200 {
            try await socket.send(Bytes(repeating: UInt8(number), count: 1), to: target).value
            try await loop.sleep(for: .milliseconds(10)).value
          }
          try await loop.sleep(for: .seconds(5)).value
          socket.close()
        }
      }
      return numbers.values
    }
    #expect(try received(.calm) == Array(0..<200))
    let numbers = try received(.storm)
    #expect(Set(numbers).count < 200 && numbers.count > Set(numbers).count)
    #expect(numbers != numbers.sorted())
  }
}
