import NIOCore
import NIOWebSocket
import UVNIO

/// Sends each message of a WebSocket back, frame by frame, and answers pings and the close.
///
/// It is a task with `NIOAsyncChannel`, unlike ``RequestHandler``. The task is on the channel's loop, so that a frame comes and goes
/// without a change of threads.
enum WebSocketEcho {
  typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  /// Takes over a channel, on the thread of its loop.
  static func start(on channel: any Channel) throws {
    // A peer may end what it sends while its frames are still being answered.
    try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    let socket = try Socket(wrappingChannelSynchronously: channel)
    let loop = channel.eventLoop as! UVEventLoop
    // A connection that is lost ends its task, and nobody else needs to know.
    Task(executorPreference: loop.taskExecutor) { try? await echo(socket) }
  }

  private static func echo(_ socket: Socket) async throws {
    try await socket.executeThenClose { frames, output in
      for try await frame in frames {
        switch frame.opcode {
        case .text, .binary, .continuation: try await output.write(answer(frame.opcode, frame))
        case .ping: try await output.write(answer(.pong, frame))
        case .connectionClose:
          // Closing drops what the system has no room for yet. So this and the end below wait until all has been sent.
          return try await socket.channel.writeAndFlush(answer(.connectionClose, frame)).get()
        default: break
        }
      }
      try await socket.channel.close(mode: .output).get()
    }
  }

  private static func answer(_ opcode: WebSocketOpcode, _ frame: WebSocketFrame) -> WebSocketFrame {
    WebSocketFrame(fin: frame.fin, opcode: opcode, data: frame.unmaskedData)
  }
}
