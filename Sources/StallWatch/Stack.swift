import CStallWatch

/// A copy of a thread's stack, and the walk through it.
///
/// The calls are found by the tables that exception handling uses (DWARF's call frame information): C
/// libraries have no frame pointers, and the function that calls into one would be missing otherwise. Where
/// there is no table, the frame pointer is followed. Nothing is read from the thread's own stack, which has
/// changed since.
struct Stack {
  private static let longest = 128

  private let capture: UnsafePointer<stall_capture>

  /// - Parameter capture: What the thread has copied; it is used only until the next thread is interrupted.
  init(_ capture: UnsafePointer<stall_capture>) { self.capture = capture }

  /// Where the task was spawned that the thread was running.
  var spawnedAt: String? {
    guard let start = capture.pointee.file, capture.pointee.length > 0 else { return nil }
    let name = UnsafeBufferPointer(
      start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: Int(capture.pointee.length))
    let (file, line) = (String(decoding: name, as: UTF8.self), capture.pointee.line)
    return line == 0 ? file : "\(file):\(line)"
  }

  /// The addresses that are being executed, and those that calls return to, the innermost first.
  func addresses() -> [UInt] {
    var registers = Registers(capture)
    var found: [UInt] = []
    while registers.pc != 0, found.count < Self.longest {
      found.append(registers.pc)
      let sp = registers.sp
      let isKnown = step(&registers, isInnermost: found.count == 1)
      // The stack grows down, so that callers are further up. A function that has none of its own may have
      // the same.
      guard isKnown, registers.sp > sp || (found.count == 1 && registers.sp == sp) else { break }
    }
    return found
  }

  /// Goes from a function to its caller.
  private func step(_ registers: inout Registers, isInnermost: Bool) -> Bool {
    let address = isInnermost ? registers.pc : registers.pc - 1
    if let rules = UnwindRules(at: address) { return apply(rules, to: &registers) }
    // Without a table: the frame pointer points at the caller's, and the return address is beside it.
    let frame = registers[Registers.framePointer]
    guard let next = word(at: frame), let pc = word(at: frame &+ 8) else { return false }
    registers[Registers.framePointer] = next
    registers.sp = frame &+ 16
    registers.pc = Registers.strip(pc)
    return true
  }

  private func apply(_ rules: UnwindRules, to registers: inout Registers) -> Bool {
    guard let base = rules.base, base.register < Registers.count else { return false }
    let frame = registers[base.register] &+ UInt(bitPattern: base.offset)
    var caller = registers
    for (register, rule) in rules.registers where register < Registers.count {
      switch rule {
      case .saved(let offset):
        guard let value = word(at: frame &+ UInt(bitPattern: offset)) else { return false }
        caller[register] = value
      case .value(let offset): caller[register] = frame &+ UInt(bitPattern: offset)
      case .register(let other): caller[register] = other < Registers.count ? registers[other] : 0
      case .undefined: caller[register] = 0
      }
    }
    // The return address is a register as well.
    caller.pc = Registers.strip(caller[rules.returnAddress])
    caller.sp = frame
    registers = caller
    return true
  }

  /// A word of the copy, by its address in the thread's stack.
  private func word(at address: UInt) -> UInt? {
    let low = capture.pointee.sp
    guard address >= low, address % 8 == 0 else { return nil }
    let index = Int((address - low) / 8)
    return index < capture.pointee.count ? UInt(stall_words(capture)[index]) : nil
  }
}

/// A thread's registers, by their DWARF numbers.
struct Registers {
  #if arch(x86_64)
  static let framePointer = 6
  private static let stackPointer = 7
  /// One more than the machine has: the return address.
  static let count = 17
  static func strip(_ address: UInt) -> UInt { address }
  #else
  static let framePointer = 29
  private static let stackPointer = 31
  static let count = 32
  /// Takes away the signature that a return address may carry.
  static func strip(_ address: UInt) -> UInt { address & 0x0000_FFFF_FFFF_FFFF }
  #endif

  private var values: [UInt]
  var pc: UInt

  init(_ capture: UnsafePointer<stall_capture>) {
    values = (0..<Self.count).map { UInt(stall_registers(capture)[$0]) }
    pc = UInt(capture.pointee.pc)
  }

  subscript(number: Int) -> UInt {
    get { values[number] }
    set { values[number] = newValue }
  }

  var sp: UInt {
    get { self[Self.stackPointer] }
    set { self[Self.stackPointer] = newValue }
  }
}
