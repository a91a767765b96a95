import SimulatedWorlds
import Testing

/// Seeds that have found a bug of the library or of the simulated kernel.
@Suite struct FoundTests {
  @Test(
    "A seed that has found a bug finds none",
    arguments: [
      // A write over TLS was reported as written, when the stream closed with an earlier one still under
      // way.
      ("writes over tls", 272),
      // A writeTimeout was early by what the program had computed in its turn before the write.
      ("timeouts over tls", 1857),
      // A readTimeout was early by what a handler had computed with bytes that had come before it began.
      ("late turns over tls", 1398),
      // A disk that was full from the beginning had the simulated kernel crash.
      ("disks", 7616),
      // Two passed connections were read at once, and the second one was lost.
      ("passing", 169),
      // The last of several answers was cut off if it began when the one before it ended, and wasn't whole.
      ("http server over tcp", 143),
      // A client that had ended its side got the end of the connection without TLS' sign of it.
      ("http server over tls", 36),
      // A GET wasn't sent again whose connection had been idle since it was made, and had served nobody.
      ("http repeats", 88),
      // A timeout of a peer that had used its last chance came when the chance would have been over.
      ("punctual", 214),
    ] as [(String, UInt64)])
  func found(name: String, seed: UInt64) throws { try #require(HuntedWorld.named(name)).run(seed: seed) }
}
