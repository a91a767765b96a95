import CUV
/// placeholder
public class ByteStream: Handle {
  @usableFromInline nonisolated(nonsending) func writeAndWait(_ bytes: Bytes) async throws(UVError) {}
  @discardableResult public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest { PendingRequest() }
  func flush() {}
}
