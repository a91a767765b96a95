import CStallWatch

/// How to find a function's caller, at one place of the function: the rules of DWARF's call frame
/// information.
///
/// Only the instructions that compilers write are understood. A place with others has no rules. See the Linux
/// Standard Base, "Exception Frames", and DWARF 5, 6.4.
struct UnwindRules {
  enum Rule {
    /// The register was saved in memory, so far from the frame's base.
    case saved(Int)
    /// The register was so far from the frame's base itself.
    case value(Int)
    case register(Int)
    case undefined
  }

  /// The frame's base is what a register holds, plus an offset. It is nil if it is computed in another way.
  private(set) var base: (register: Int, offset: Int)?
  private(set) var registers: [Int: Rule] = [:]
  private(set) var returnAddress = 0

  /// The rules at an address of code, or nil if no table covers it.
  init?(at address: UInt) {
    var module = stall_module()
    guard stall_find_module(uintptr_t(address), &module), let table = module.unwind_table,
      let description = Self.findDescription(UnsafeRawPointer(table), address),
      let function = FunctionEntry(description), address >= function.start,
      address - function.start < function.size
    else { return nil }
    returnAddress = function.common.returnAddress
    var machine = Machine(function.common, location: function.start, target: address)
    guard machine.run(function.common.instructions), machine.endInitial(), machine.run(function.instructions)
    else { return nil }
    base = machine.state.base
    registers = machine.state.registers
  }

  /// Searches the sorted table of `.eh_frame_hdr`.
  private static func findDescription(_ table: UnsafeRawPointer, _ address: UInt) -> UnsafeRawPointer? {
    var reader = ByteReader(table)
    let (version, pointerKind, countKind, entryKind) = (
      reader.byte(), reader.byte(), reader.byte(), reader.byte()
    )
    // The only kinds that linkers write.
    guard version == 1, pointerKind == 0x1B, countKind == 0x03, entryKind == 0x3B else { return nil }
    _ = reader.int32()
    let count = Int(reader.int32())
    func entry(_ index: Int) -> (start: UInt, description: UnsafeRawPointer) {
      var entry = ByteReader(reader.position + index * 8)
      let (start, description) = (Int(entry.int32()), Int(entry.int32()))
      return (UInt(bitPattern: table + start), table + description)
    }
    // The last one that begins at the address or before.
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if entry(middle).start <= address { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entry(low - 1).description : nil
  }
}

/// The rules that all functions of a file have in common (a CIE).
private struct CommonEntry {
  var codeFactor = 1, dataFactor = 1, returnAddress = 0
  var pointerKind: UInt8 = 0
  var hasAugmentation = false
  var instructions: Range<UnsafeRawPointer>

  init?(_ start: UnsafeRawPointer) {
    var reader = ByteReader(start)
    let length = Int(reader.uint32())
    guard length != 0xFFFF_FFFF else { return nil }
    let end = reader.position + length
    guard reader.uint32() == 0 else { return nil }
    let version = reader.byte()
    guard version == 1 || version == 3 else { return nil }
    var letters: [UInt8] = []
    while case let letter = reader.byte(), letter != 0 { letters.append(letter) }
    codeFactor = Int(reader.unsigned())
    dataFactor = reader.signed()
    returnAddress = version == 1 ? Int(reader.byte()) : Int(reader.unsigned())
    instructions = reader.position..<end
    if letters.isEmpty { return }
    guard letters.first == UInt8(ascii: "z") else { return nil }
    hasAugmentation = true
    let rest = Int(reader.unsigned())
    let begin = reader.position + rest
    for letter in letters.dropFirst() {
      switch letter {
      case UInt8(ascii: "L"): _ = reader.byte()
      case UInt8(ascii: "P"): _ = reader.pointer(reader.byte())
      case UInt8(ascii: "R"): pointerKind = reader.byte()
      // A signal's frame, and signed return addresses.
      case UInt8(ascii: "S"), UInt8(ascii: "B"): break
      default: return nil
      }
    }
    instructions = begin..<end
  }
}

/// The description of one function (an FDE).
private struct FunctionEntry {
  let common: CommonEntry
  let start: UInt, size: UInt
  let instructions: Range<UnsafeRawPointer>

  init?(_ entry: UnsafeRawPointer) {
    var reader = ByteReader(entry)
    let length = Int(reader.uint32())
    guard length != 0, length != 0xFFFF_FFFF else { return nil }
    let end = reader.position + length
    let place = reader.position
    guard let common = CommonEntry(place - Int(reader.uint32())) else { return nil }
    self.common = common
    guard let start = reader.pointer(common.pointerKind), let size = reader.pointer(common.pointerKind & 0x0F)
    else { return nil }
    (self.start, self.size) = (start, size)
    if common.hasAugmentation {
      let rest = Int(reader.unsigned())
      instructions = (reader.position + rest)..<end
    } else {
      instructions = reader.position..<end
    }
  }
}

/// Runs the instructions up to the place that is looked for.
private struct Machine {
  struct State {
    var base: (register: Int, offset: Int)?
    var registers: [Int: UnwindRules.Rule] = [:]
  }

  private let common: CommonEntry
  private var location: UInt
  private let target: UInt
  private(set) var state = State()
  private var initial = State()
  private var remembered: [State] = []

  init(_ common: CommonEntry, location: UInt, target: UInt) {
    (self.common, self.location, self.target) = (common, location, target)
  }

  mutating func endInitial() -> Bool {
    initial = state
    return true
  }

  /// Returns false at an instruction that it doesn't know.
  mutating func run(_ instructions: Range<UnsafeRawPointer>) -> Bool {
    var reader = ByteReader(instructions.lowerBound)
    while reader.position < instructions.upperBound, location <= target {
      let byte = reader.byte()
      let low = Int(byte & 0x3F)
      switch byte >> 6 {
      case 1: advance(UInt(low))
      case 2: state.registers[low] = .saved(Int(reader.unsigned()) * common.dataFactor)
      case 3: state.registers[low] = initial.registers[low]
      default: if !runLong(byte, &reader) { return false }
      }
    }
    return true
  }

  private mutating func advance(_ count: UInt) { location += count * UInt(common.codeFactor) }

  private mutating func runLong(_ byte: UInt8, _ reader: inout ByteReader) -> Bool {
    switch byte {
    case 0x00: break
    case 0x02: advance(UInt(reader.byte()))
    case 0x03: advance(UInt(reader.uint16()))
    case 0x04: advance(UInt(reader.uint32()))
    case 0x05: state.registers[Int(reader.unsigned())] = .saved(Int(reader.unsigned()) * common.dataFactor)
    case 0x06:
      let register = Int(reader.unsigned())
      state.registers[register] = initial.registers[register]
    case 0x07: state.registers[Int(reader.unsigned())] = .undefined
    case 0x08: state.registers[Int(reader.unsigned())] = nil
    case 0x09: state.registers[Int(reader.unsigned())] = .register(Int(reader.unsigned()))
    case 0x0A: remembered.append(state)
    case 0x0B: state = remembered.popLast() ?? state
    case 0x0C: state.base = (Int(reader.unsigned()), Int(reader.unsigned()))
    case 0x0D: state.base = (Int(reader.unsigned()), state.base?.offset ?? 0)
    case 0x0E: state.base?.offset = Int(reader.unsigned())
    case 0x0F:
      state.base = nil
      reader.skip(Int(reader.unsigned()))
    case 0x10, 0x16:
      // Computed in a way of its own. No register that matters here is.
      state.registers[Int(reader.unsigned())] = .undefined
      reader.skip(Int(reader.unsigned()))
    case 0x11: state.registers[Int(reader.unsigned())] = .saved(reader.signed() * common.dataFactor)
    case 0x12: state.base = (Int(reader.unsigned()), reader.signed() * common.dataFactor)
    case 0x13: state.base?.offset = reader.signed() * common.dataFactor
    case 0x14: state.registers[Int(reader.unsigned())] = .value(Int(reader.unsigned()) * common.dataFactor)
    case 0x15: state.registers[Int(reader.unsigned())] = .value(reader.signed() * common.dataFactor)
    // How much the arguments take; whether return addresses are signed.
    case 0x2E: _ = reader.unsigned()
    case 0x2D: break
    default: return false
    }
    return true
  }
}
