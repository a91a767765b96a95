import CUV

/// Writes a line to the standard error.
///
/// If the standard error takes no more, the rest is lost: a loop mustn't hang because of this.
@usableFromInline
package func printToStandardError(_ text: String) {
  var line = "\(text)\n"
  line.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = CUV.write(2, rest.baseAddress, rest.count)
      if count <= 0 { return }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }
}
