import BenchKit

extension Peer {
  /// The peers in a folder, whether or not this machine can start them.
  public static func all(in folder: String) throws -> [Peer] {
    guard let text = try TextFile.text(of: folder + "/peers.json") else {
      throw UsageError("there is no \(folder)/peers.json; say where the peers are with --folder")
    }
    return try list(text)
  }
}
