internal import CNodeAPI
public import UV

/// The addon in one environment of JavaScript: the main thread's, or a worker's.
///
/// Everything of an instance is used on its environment's thread. None of it is `Sendable`, so the compiler
/// keeps it there.
public final class NodeInstance {
  /// The environment's own event loop. Work on it runs between JavaScript's callbacks, and keeps the
  /// environment running as Node's own requests do.
  public let loop: EventLoop

  let environment: napi_env
  private var context: napi_async_context?
  /// Whether JavaScript can still be called; false once Node ends the environment.
  public private(set) var isOpen = true
  /// Whether the environment is still there.
  private var exists = true

  /// How long a task may ignore its cancellation when a worker is terminated. Then the worker ends without
  /// it.
  private static let patience = Duration.milliseconds(100)

  /// Begins an instance: call this from the function that Node calls when it loads the addon.
  ///
  /// ```swift
  /// @_cdecl("napi_register_module_v1")
  /// public func register(_ environment: OpaquePointer?, _ exports: OpaquePointer?) -> OpaquePointer? {
  ///   NodeInstance.register(environment, exports) { node, exports in
  ///     try exports.asyncFunction("sleep") { (milliseconds: Int) in
  ///       try await node.loop.sleep(for: .milliseconds(milliseconds)).value
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The instance leaves the loop when its environment ends. Tasks are cancelled then, and what is open is
  /// closed.
  ///
  /// - Parameters:
  ///   - environment: What Node has passed: a `napi_env`.
  ///   - exports: What Node has passed: the `napi_value` that `require` returns.
  ///   - body: Gives `exports` its functions and values. If it throws, `require` throws the same.
  /// - Returns: What the function returns to Node. In Bun, which has only a part of libuv, `require` throws
  ///   an error that says so.
  ///
  /// The corresponding Node-API functions are `napi_get_uv_event_loop` and `napi_add_async_cleanup_hook`.
  public static func register(
    _ environment: OpaquePointer?, _ exports: OpaquePointer?,
    _ body: (NodeInstance, NodeProperties) throws -> Void
  ) -> OpaquePointer? {
    guard let environment, let exports else { return nil }
    do {
      let instance = try NodeInstance(environment)
      do { try body(instance, NodeProperties(NodeValue(instance, exports))) } catch {
        instance.throwIntoJavaScript(error)
      }
    } catch NodeError.refused(let reason) {
      napi_throw_error(environment, nil, reason)
    } catch {
      napi_throw_error(environment, (error as? UVError)?.name, String(describing: error))
    }
    return exports
  }

  private init(_ environment: napi_env) throws {
    if cnode_is_bun(environment) {
      throw NodeError.refused(
        "this addon needs the whole of libuv, and Bun has a part of it (bun#18546): run it with node")
    }
    guard let raw = cnode_loop(environment) else {
      throw NodeError.refused("napi_get_uv_event_loop gives no loop")
    }
    loop = try EventLoop(adopting: raw)
    self.environment = environment
    let name = try encode("swift-uv")
    try check(napi_async_init(environment, nil, name.raw, &context))
    // Balanced when the environment has ended.
    let retained = Unmanaged.passRetained(self)
    let code = napi_add_async_cleanup_hook(environment, environmentEnds, retained.toOpaque(), nil)
    if code != napi_ok { retained.release() }
    try check(code)
  }

  /// Leaves the loop. Node runs it until `hook` has been removed.
  fileprivate func leave(_ hook: napi_async_cleanup_hook_handle?) {
    isOpen = false
    loop.detach(leavingTasksAfter: Self.patience) { [self] _ in
      napi_async_destroy(environment, context)
      exists = false
      napi_remove_async_cleanup_hook(hook)
    }
  }

  func delete(_ reference: napi_ref) { if exists { napi_delete_reference(environment, reference) } }

  // MARK: Entering JavaScript

  /// Calls `body`, which may use JavaScript's values and call its functions, from a callback of the loop.
  /// Then the promises that it has settled, and `process.nextTick`, have their turn.
  ///
  /// - Throws: `environmentEnded`, and what `body` throws.
  func enter<T>(_ body: () throws -> T) throws -> T {
    guard isOpen else { throw NodeError.environmentEnded }
    var handles: napi_handle_scope?
    try check(napi_open_handle_scope(environment, &handles))
    defer { napi_close_handle_scope(environment, handles) }
    var scope: napi_callback_scope?
    try check(napi_open_callback_scope(environment, nil, context, &scope))
    defer { napi_close_callback_scope(environment, scope) }
    return try body()
  }
}

private func environmentEnds(_ hook: napi_async_cleanup_hook_handle?, _ data: UnsafeMutableRawPointer?) {
  Unmanaged<NodeInstance>.fromOpaque(data!).takeRetainedValue().leave(hook)
}
