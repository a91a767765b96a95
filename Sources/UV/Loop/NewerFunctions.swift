import CUV

/// The functions that a loop's libuv has beyond libuv 1.44. Each function is nil if the loop's libuv doesn't
/// have it, whatever the header says that this was compiled with; see Design/0033.
struct NewerFunctions {
  /// `uv_metrics_info`, since 1.45.
  let metricsInfo: cuv_metrics_info?
  /// `uv_udp_try_send2`, since 1.50.
  let udpTrySend2: cuv_udp_try_send2?

  init(of loop: UnsafeMutablePointer<uv_loop_t>) {
    metricsInfo = cuv_find_metrics_info(loop)
    udpTrySend2 = cuv_find_udp_try_send2(loop)
  }
}
