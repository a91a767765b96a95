#if Everything
extension FuzzEntry {
  /// What the fuzzers begin with.
  public var corpus: [[UInt8]] {
    switch self {
    case .address:
      [
        "127.0.0.1", "0.0.0.0", "255.255.255.255", "::", "::1", "fe80::1%lo", "::ffff:1.2.3.4", "1.2.3",
        "[::1]",
        "2001:db8::8a2e:370:7334", "", "localhost", "127.0.0.1\0x", "1.2.3.4.5", ":::", "0x7f.1", "%",
      ].map { [31, 144] + Array($0.utf8) }
    case .path:
      [
        "name", ".", "..", "a\0b", "/etc/passwd", "/proc/self/stat", "../x", "å", "a b", "\n",
        String(repeating: "x", count: 255), String(repeating: "y", count: 256),
      ].map { Array($0.utf8) } + [[0xff], [0x61, 0xff, 0x62], [0xc3, 0x28]]
    case .stream:
      [
        [], [0x0f], [0x0f, 0x0f, 0x0f, 0x0f], [0x00, 0x01, 0x02], Array(0x00...0x5f), Array(0x60...0xcf),
        Array(repeating: 0x5f, count: 64), [0x9f, 0xaf, 0xbf, 0xc0], [0x3, 0x13, 0x23, 0xd0, 0x6f, 0xc0],
      ]
    case .http:
      [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b?c=%20 HTTP/1.1\r\nHost: b\r\nX: y\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET http://c:80/ HTTP/1.1\nHost: a\n\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\nnot HTTP",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n b: c\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 1500),
      ].map { [5, 30] + Array($0.utf8) }
    case .answer:
      [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.0 200\r\n\r\nto the end",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a\r\nhello\r\n0\r\nT: u\r\n\r\nmore",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      ].map { [3, 17] + Array($0.utf8) }
    case .webSocket:
      // Masked by zeros, so that what is said can be read here.
      [
        [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69], [0x82, 0x80, 0, 0, 0, 0],
        [0x01, 0x81, 0, 0, 0, 0, 0xc3, 0x89, 0x80, 0, 0, 0, 0, 0x80, 0x81, 0, 0, 0, 0, 0xa5],
        [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8], [0x88, 0x80, 0, 0, 0, 0], [0x8a, 0x80, 1, 2, 3, 4],
        [0x82, 0xfe, 0, 126, 0, 0, 0, 0] + Array(repeating: 9, count: 126),
        [0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array(repeating: 9, count: 100),
        [0x81, 0x81, 9, 9, 9, 9, 0x80], [0xc1, 0x80, 0, 0, 0, 0], [0x81, 0x00],
      ].map { [0, 6] + $0 }
    case .tls:
      // The first byte chooses the version and the direction; see `Tampering` for the others.
      (0..<4).flatMap { (mode: UInt8) -> [[UInt8]] in
        [
          [mode], [mode, 0x03], [mode, 0x28, 0x0b], [mode, 0x8a, 0x13], [mode, 0xfa, 0xfa, 0x04],
          [mode, 0xfa, 0x07],
          [mode, 0x8a, 0x2d, 23, 3, 3, 0, 0], [mode, 0x2d, 21, 3, 3, 0, 2],
          [mode, 0xfa, 0x8a, 0x2d, 22, 3, 3, 0xff, 0xff],
        ]
      }
    }
  }
}
#endif
