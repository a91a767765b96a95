import CUV

/// Strings for C, with a null pointer after the last.
final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  private init(copying strings: [UnsafePointer<CChar>]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }

  /// An environment. Nil if C can't take one of the variables.
  convenience init?(variables: [String: String]) {
    guard variables.keys.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "=")) }) else {
      return nil
    }
    self.init(variables.map { "\($0)=\($1)" })
  }

  /// Nil if there is a NUL in one of the strings.
  convenience init?(_ strings: [String]) {
    if strings.contains(where: { $0.utf8.contains(0) }) { return nil }
    let copies = strings.map { strdup($0)! }
    defer { for copy in copies { free(copy) } }
    self.init(copying: copies.map { UnsafePointer($0) })
  }

  /// Nil if there is a NUL in the path.
  convenience init?(path: some PathConvertible) {
    let copy = path.withPathBytes { $0.map { strdup($0)! } }
    guard let copy else { return nil }
    defer { free(copy) }
    self.init(copying: [UnsafePointer(copy)])
  }

  convenience init(joining first: CStrings, _ second: CStrings) {
    self.init(
      copying: (0..<first.count).map { UnsafePointer(first.pointers[$0]!) }
        + (0..<second.count).map { UnsafePointer(second.pointers[$0]!) })
  }

  /// The environment of this process with its exact bytes, without some variables and with others.
  ///
  /// - Parameter added: Lines of a name, `=` and a value, without a NUL.
  convenience init(environmentWith added: [String], without isLeftOut: (String) -> Bool) throws(UVError) {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    try check(uv_os_environ(&items, &count), "os_environ")
    defer { uv_os_free_environ(items, count) }
    var lines = added.map { Array($0.utf8CString) }
    for item in UnsafeBufferPointer(start: items, count: Int(count))
    where !isLeftOut(String(cString: item.name)) {
      let (name, value) = (item.name!, item.value!)
      lines.append(
        Array(UnsafeBufferPointer(start: name, count: strlen(name))) + [CChar(UInt8(ascii: "="))]
          + Array(UnsafeBufferPointer(start: value, count: strlen(value) + 1)))
    }
    let copies = lines.map { line in line.withUnsafeBufferPointer { strdup($0.baseAddress!)! } }
    defer { for copy in copies { free(copy) } }
    self.init(copying: copies.map { UnsafePointer($0) })
  }
}
