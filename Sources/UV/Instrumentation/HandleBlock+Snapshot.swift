import CUV

/// The part of a snapshot that is about a handle. Another thread may be dropping the handle's owner, so that
/// this touches only an owner that retains itself.
extension HandleBlock {
  /// - Parameter now: The time in milliseconds on libuv's clock.
  func snapshot(now: UInt64) -> HandleSnapshot {
    let start = header.pointee.start
    var snapshot = HandleSnapshot(type: type, age: .milliseconds(now > start ? now - start : 0))
    snapshot.isClosing = isClosing
    if isClosing { return snapshot }
    let listener = listenerPoll
    snapshot.isListener = listener != nil
    snapshot.isAccepted = header.pointee.role == .accepted
    snapshot.fileDescriptor = descriptor
    describe(&snapshot)
    snapshot.isActive = listener != nil || uv_is_active(handle) != 0
    snapshot.keepsLoopRunning = listener?.isKeepingLoop ?? (uv_has_ref(handle) != 0)
    if let owner = header.pointee.retainedOwner?.takeUnretainedValue() {
      snapshot.queuedByteCount = owner.queuedByteCount
      snapshot.isAwaited = owner.isAwaited
    }
    return snapshot
  }

  private var descriptor: Int32? {
    var descriptor: uv_os_fd_t = -1
    if uv_fileno(handle, &descriptor) == 0 { return descriptor }
    return header.pointee.closesDescriptor ? header.pointee.descriptor : nil
  }

  /// Adds the facts that a handle of its type has. A fact that the system doesn't know, such as the peer of a
  /// connection that has been reset, is left out.
  private func describe(_ snapshot: inout HandleSnapshot) {
    switch snapshot.type {
    case .tcp:
      let tcp = raw.assumingMemoryBound(to: uv_tcp_t.self)
      snapshot.localAddress = text { uv_tcp_getsockname(tcp, $0, $1) }
      if snapshot.isListener { break }
      snapshot.peerAddress = text { uv_tcp_getpeername(tcp, $0, $1) }
      var information = cuv_tcp_information()
      guard let descriptor = snapshot.fileDescriptor, cuv_tcp_information(descriptor, &information) == 0
      else { break }
      snapshot.roundTripMicroseconds = Int(information.round_trip)
      snapshot.retransmissionCount = Int(information.retransmissions)
    case .udp:
      let udp = raw.assumingMemoryBound(to: uv_udp_t.self)
      snapshot.localAddress = text { uv_udp_getsockname(udp, $0, $1) }
      snapshot.peerAddress = text { uv_udp_getpeername(udp, $0, $1) }
    case .pipe:
      let pipe = raw.assumingMemoryBound(to: uv_pipe_t.self)
      snapshot.localAddress = name { uv_pipe_getsockname(pipe, $0, $1) }
      if !snapshot.isListener { snapshot.peerAddress = name { uv_pipe_getpeername(pipe, $0, $1) } }
    case .fileEvent:
      let watch = raw.assumingMemoryBound(to: uv_fs_event_t.self)
      snapshot.subject = name { uv_fs_event_getpath(watch, $0, $1) }
    case .fileStatus:
      let watch = raw.assumingMemoryBound(to: uv_fs_poll_t.self)
      snapshot.subject = name { uv_fs_poll_getpath(watch, $0, $1) }
    case .signal:
      let number = raw.assumingMemoryBound(to: uv_signal_t.self).pointee.signum
      if number > 0 { snapshot.subject = Signal(rawValue: number).description }
    case .process:
      let identifier = raw.assumingMemoryBound(to: cuv_child.self).pointee.id
      if identifier > 0 { snapshot.subject = "process \(identifier)" }
    case .timer:
      guard uv_is_active(handle) != 0 else { break }
      snapshot.dueIn = .milliseconds(uv_timer_get_due_in(raw.assumingMemoryBound(to: uv_timer_t.self)))
    default: break
    }
  }

  private func text(
    _ get: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
  ) -> String? {
    (try? address("getsockname", get))?.description
  }

  private func name(_ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32) -> String? {
    guard let name = try? string("getname", get), !name.isEmpty else { return nil }
    return name
  }
}

extension HandleSnapshot {
  /// The text that distinguishes the handle from others of its type, with an arrow between the addresses.
  func subject(_ arrow: String) -> String? {
    switch (localAddress, peerAddress) {
    case (let local?, let peer?): "\(local) \(arrow) \(peer)"
    case (let local?, nil): local
    case (nil, let peer?): "\(arrow) \(peer)"
    case (nil, nil): subject ?? fileDescriptor.map { "descriptor \($0)" }
    }
  }
}
