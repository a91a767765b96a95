/// Seals writes right before the system is offered them.
extension PendingWrites {
  /// How many bytes are sealed before the system is asked for room again. A large write isn't held twice.
  static let bytesPerOffer = 65536
  /// How many bytes one record of TLS carries.
  static let bytesPerRecord = 16384

  /// Notes that bytes were sealed, and that the system hasn't taken all that they have become.
  mutating func standForSealedBytes() {
    beginWrite()
    inFlight = [PendingWrite(bytes: Bytes(), waiter: .none, generation: generation)]
  }

  /// Moves the first writes to `inFlight` and seals them. The first entry stands for all of the filter's
  /// output.
  ///
  /// - Returns: Why the filter can't seal them.
  mutating func send(sealedBy filter: any StreamFilter) -> UVError? {
    if !queued.isEmpty { moveToSeal(upTo: Self.bytesPerOffer) }
    return Self.seal(inFlight, by: filter)
  }

  /// Has the first entry stand for the rest of what all have become.
  mutating func keepSealed(_ rest: Bytes) {
    for index in inFlight.indices { inFlight[index].bytes = index == 0 ? rest : Bytes() }
    inFlightByteCount = rest.count
  }

  /// Takes out all writes that were sealed, and tells of each. An array of one, the usual case, keeps its
  /// memory.
  mutating func endInFlight(_ tell: (PendingWrite.Waiter) -> Void) {
    if inFlight.count == 1 { return tell(inFlight.removeLast().waiter) }
    for entry in takeInFlight() { tell(entry.waiter) }
  }

  /// Seals bytes in records that are as full as can be. Small writes are put together first, because OpenSSL
  /// makes a record of each call.
  private static func seal(_ entries: [PendingWrite], by filter: any StreamFilter) -> UVError? {
    if entries.count == 1 { return entries[0].bytes.withUnsafeBytes { seal($0, by: filter) } }
    return withUnsafeTemporaryAllocation(byteCount: bytesPerRecord, alignment: 16) { record in
      var count = 0
      for entry in entries {
        let error = entry.bytes.withUnsafeBytes { bytes -> UVError? in
          var rest = bytes[...]
          while !rest.isEmpty {
            // A whole record needs no copy.
            if count == 0, rest.count >= bytesPerRecord {
              let part = rest.prefix(rest.count / bytesPerRecord * bytesPerRecord)
              if let error = seal(UnsafeRawBufferPointer(rebasing: part), by: filter) { return error }
              rest = rest.dropFirst(part.count)
              continue
            }
            let part = rest.prefix(bytesPerRecord - count)
            record.baseAddress!.advanced(by: count).copyMemory(
              from: UnsafeRawBufferPointer(rebasing: part).baseAddress!, byteCount: part.count)
            count += part.count
            rest = rest.dropFirst(part.count)
            if count == bytesPerRecord {
              if let error = seal(UnsafeRawBufferPointer(record), by: filter) { return error }
              count = 0
            }
          }
          return nil
        }
        if let error { return error }
      }
      return seal(UnsafeRawBufferPointer(rebasing: record[..<count]), by: filter)
    }
  }

  private static func seal(_ bytes: UnsafeRawBufferPointer, by filter: any StreamFilter) -> UVError? {
    bytes.isEmpty ? nil : filter.seal(bytes)
  }
}
