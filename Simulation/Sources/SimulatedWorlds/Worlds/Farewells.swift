import UV
import UVSimulation
import UVTLS

/// Encrypted connections whose last references go, without a close. The peer is notified of the end, if the
/// system has room for that.
func farewells(_ world: World, _ ledger: Ledger) throws {
  let hasRoom = world.weather.cut == 0 && world.weather.refusal == 0
  Transport.tls.build(world, clients: 2) { loop, stream, _ in
    guard let line = try await stream.readLine(limit: 100).value else { throw Violation("no question") }
    try await stream.write([line, Bytes("\n")]).value
    // The task ends, and the stream goes with it.
  } client: { loop, number in
    let stream = try await Transport.tls.connect(loop)
    stream.write(Bytes("question \(number)\n"), ledger.ask("write"))
    try expect(try await stream.readLine(limit: 100).value == Bytes("question \(number)"), "another answer")
    do throws(UVError) {
      let more = try await stream.next().value
      if more != nil { throw UVError(.invalidArgument, operation: "more bytes") }
    } catch {
      if hasRoom || error.code != .tlsTruncated { throw error }
    }
  }
}
