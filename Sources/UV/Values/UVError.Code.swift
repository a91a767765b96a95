import CUV

extension UVError {
  /// A libuv error code, or one of this library's own codes for a wrong use of a loop.
  ///
  /// The corresponding libuv type is `uv_errno_t`.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// libuv's value. It is negative, and on Unix it is the negated `errno`. This library's own codes lie
    /// below -5000.
    public let rawValue: Int32

    /// Creates a code from libuv's value. Any value is accepted; the name of an unknown one says that it is
    /// unknown.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ code: uv_errno_t) { self.rawValue = code.rawValue }
  }
}

extension UVError.Code {
  /// `ECANCELED`: the operation was cancelled, or its handle was closed.
  public static let cancelled = Self(UV_ECANCELED)
  /// `ETIMEDOUT`: the time limit was reached.
  public static let timedOut = Self(UV_ETIMEDOUT)
  /// `ECONNREFUSED`: nobody listens at the address.
  public static let connectionRefused = Self(UV_ECONNREFUSED)
  /// `ECONNRESET`: the peer reset the connection.
  public static let connectionReset = Self(UV_ECONNRESET)
  /// `ECONNABORTED`: the connection was aborted before it was established.
  public static let connectionAborted = Self(UV_ECONNABORTED)
  /// `EPIPE`: the stream was shut down for writing, here or by the peer.
  public static let brokenPipe = Self(UV_EPIPE)
  /// `ENOTCONN`: the socket is not connected.
  public static let notConnected = Self(UV_ENOTCONN)
  /// `EISCONN`: the socket is connected already.
  public static let alreadyConnected = Self(UV_EISCONN)
  /// `EADDRINUSE`: another socket is bound to the address.
  public static let addressInUse = Self(UV_EADDRINUSE)
  /// `EADDRNOTAVAIL`: the address is not one of this machine's.
  public static let addressNotAvailable = Self(UV_EADDRNOTAVAIL)
  /// `EHOSTUNREACH`: there is no route to the host.
  public static let hostUnreachable = Self(UV_EHOSTUNREACH)
  /// `ENETUNREACH`: there is no route to the network.
  public static let networkUnreachable = Self(UV_ENETUNREACH)
  /// `EAI_NONAME`: the name is unknown, or it has no address.
  public static let unknownHost = Self(UV_EAI_NONAME)
  /// `EAI_AGAIN`: the name server didn't answer this time.
  public static let nameServerFailure = Self(UV_EAI_AGAIN)
  /// `ENOENT`: there is no such file or directory.
  public static let noSuchFile = Self(UV_ENOENT)
  /// `EEXIST`: the file exists already.
  public static let fileExists = Self(UV_EEXIST)
  /// `EISDIR`: the operation does not apply to a directory.
  public static let isDirectory = Self(UV_EISDIR)
  /// `ENOTDIR`: a part of the path is not a directory.
  public static let notDirectory = Self(UV_ENOTDIR)
  /// `ENOTEMPTY`: the directory is not empty.
  public static let directoryNotEmpty = Self(UV_ENOTEMPTY)
  /// `EFBIG`: the file is larger than allowed.
  public static let fileTooLarge = Self(UV_EFBIG)
  /// `ENOSPC`: the device is full.
  public static let noSpace = Self(UV_ENOSPC)
  /// `EACCES`: the file's permissions don't allow it, or the port needs a privilege.
  public static let permissionDenied = Self(UV_EACCES)
  /// `EPERM`: this user may not do it.
  public static let notPermitted = Self(UV_EPERM)
  /// `EBADF`: the descriptor is not open, or the handle is closed.
  public static let badDescriptor = Self(UV_EBADF)
  /// `EINVAL`: an argument is out of range.
  public static let invalidArgument = Self(UV_EINVAL)
  /// `EMFILE`: the process has no descriptor left.
  public static let tooManyOpenFiles = Self(UV_EMFILE)
  /// `ENOMEM`: the system has no memory left.
  public static let outOfMemory = Self(UV_ENOMEM)
  /// `ENOBUFS`: there is no buffer to read into.
  public static let noBuffers = Self(UV_ENOBUFS)
  /// `EAGAIN`: the operation would have to wait.
  public static let wouldBlock = Self(UV_EAGAIN)
  /// `EBUSY`: the resource is in use, or the work has begun and can't be cancelled.
  public static let busy = Self(UV_EBUSY)
  /// `EALREADY`: the operation is under way already.
  public static let alreadyInProgress = Self(UV_EALREADY)
  /// `ENAMETOOLONG`: the path or name is too long.
  public static let nameTooLong = Self(UV_ENAMETOOLONG)
  /// `ENOTSUP`: the operation isn't supported here.
  public static let notSupported = Self(UV_ENOTSUP)
  /// `EMSGSIZE`: the datagram is larger than the system sends.
  public static let messageTooLong = Self(UV_EMSGSIZE)
  /// `EPROTO`: the peer has broken its protocol.
  public static let protocolError = Self(UV_EPROTO)
  /// `EDESTADDRREQ`: the socket is not connected, so a datagram needs an address.
  public static let destinationRequired = Self(UV_EDESTADDRREQ)
  /// `ENOTSOCK`: the descriptor is not a socket.
  public static let notSocket = Self(UV_ENOTSOCK)
  /// `ENOTTY`: the descriptor is not a terminal.
  public static let notTerminal = Self(UV_ENOTTY)
  /// `ESRCH`: there is no such process.
  public static let noSuchProcess = Self(UV_ESRCH)
  /// `EOF`: the end of the file or stream.
  public static let endOfFile = Self(UV_EOF)

  /// The loop has been shut down; create a new one.
  public static let loopClosed = Self(rawValue: -5001)
  /// A loop is running on this thread already. Run the second loop on a thread of its own.
  public static let loopRunning = Self(rawValue: -5002)
  /// The source has a handler; stop it before you ask for elements one by one.
  public static let sourceStarted = Self(rawValue: -5003)
  /// The loop belongs to a host, which runs it; see `EventLoop.init(adopting:)`.
  public static let loopAdopted = Self(rawValue: -5004)
  /// The process was forked after the loop was made; make a new loop in the child.
  public static let loopForked = Self(rawValue: -5005)
  /// The loop was made by another libuv than the one that this module calls; see `EventLoop.isOwnLibuv(_:)`.
  public static let foreignLibuv = Self(rawValue: -5006)
  /// TLS has failed: a certificate was rejected, the peer sent an alert, or the two ends have nothing in
  /// common. The error's ``UVError/message`` is the reason. Only the product `UVTLS` reports it.
  public static let tls = Self(rawValue: -5007)
  /// The peer has closed the connection without TLS's sign of the end, so that something may be missing. Only
  /// the product `UVTLS` reports it.
  public static let tlsTruncated = Self(rawValue: -5008)
  /// No result can come any more: what was to deliver it has been released.
  public static let abandoned = Self(rawValue: -5009)
  /// The other side has answered, but not as the operation needs it: a proxy doesn't open a tunnel, or a server doesn't
  /// switch to WebSocket. The error's ``UVError/message`` has the status. Only the product `UVHTTP` reports it.
  public static let unexpectedAnswer = Self(rawValue: -5010)
}

extension UVError.Code: CustomStringConvertible {
  /// The symbolic name of the code, such as `"ENOENT"`, `"EOF"` or `"ELOOPCLOSED"`.
  ///
  /// The corresponding libuv function is `uv_err_name_r`.
  public var name: String {
    switch self {
    case .loopClosed: "ELOOPCLOSED"
    case .loopRunning: "ELOOPRUNNING"
    case .sourceStarted: "ESOURCESTARTED"
    case .loopAdopted: "ELOOPADOPTED"
    case .loopForked: "ELOOPFORKED"
    case .foreignLibuv: "EFOREIGNLIBUV"
    case .tls: "TLS"
    case .tlsTruncated: "ETLSTRUNCATED"
    case .abandoned: "EABANDONED"
    case .unexpectedAnswer: "EUNEXPECTEDANSWER"
    default: Self.text { uv_err_name_r(rawValue, $0, $1) }
    }
  }

  /// The meaning of the code, as a sentence without its full stop: `"no such file or directory"`.
  ///
  /// The corresponding libuv function is `uv_strerror_r`.
  public var message: String {
    switch self {
    case .loopClosed: "the event loop has been shut down; create a new one"
    case .loopRunning:
      "an event loop is running on this thread already; use that one, or run the other on a thread of its own"
    case .loopAdopted: "the event loop belongs to a host; only the host runs it"
    case .loopForked: "the process has been forked since the event loop was made; make one in the child"
    case .foreignLibuv:
      """
      the host's loop was made by another libuv than swift-uv is linked with; have both use one: build swift-uv \
      without its trait LinkLibuv, or link the host with the system's libuv
      """
    case .tls: "TLS has failed on this connection"
    case .tlsTruncated: "the peer has closed the connection without TLS's sign of the end"
    case .abandoned: "no result can come any more: what was to deliver it has been released"
    case .unexpectedAnswer: "the other side has answered otherwise than the operation needs"
    case .sourceStarted: "the source has a handler; call stop() before asking for its elements one by one"
    default: Self.text { uv_strerror_r(rawValue, $0, $1) }
    }
  }

  /// The symbolic name.
  public var description: String { name }

  /// It uses the `_r` functions, because the others leak memory for a code that they don't know.
  private static func text(_ fill: (UnsafeMutablePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?)
    -> String
  {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      _ = fill(buffer.baseAddress!, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }
}
