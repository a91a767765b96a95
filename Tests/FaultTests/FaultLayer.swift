import CTestHooks

/// Where a fault strikes.
enum FaultLayer {
  static let libuv = Int32(TEST_FAULT_LIBUV.rawValue)
  static let allocator = Int32(TEST_FAULT_ALLOCATOR.rawValue)
  static let system = Int32(TEST_FAULT_SYSTEM.rawValue)
}
