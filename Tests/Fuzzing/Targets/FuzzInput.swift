import FoundationEssentials
import Glibc

/// The bytes of one run: what the parser under test gets, and after it three bytes that say how it is called.
///
/// The choices stand at the end, so that a seed is a plain file with three bytes added.
public struct FuzzInput {
  /// The choices that the first of the three bytes makes.
  struct Choices: OptionSet {
    let rawValue: UInt8
    static let allowsPartial = Choices(rawValue: 1)
    static let readsMetadata = Choices(rawValue: 2)
    static let nativePixels = Choices(rawValue: 4)
    static let storedColors = Choices(rawValue: 8)
    /// The input is a slice of larger data, with indices that do not start at 0.
    static let isSlice = Choices(rawValue: 16)
    /// Checksums of the input are made right first, so that mutations get past them.
    static let repairsChecksums = Choices(rawValue: 32)
    static let shrinks = Choices(rawValue: 64)
    static let looksAround = Choices(rawValue: 128)
  }

  static let controlCount = 3

  /// What the parser gets.
  let bytes: [UInt8]
  let choices: Choices
  /// Two free numbers.
  let first: UInt8
  let second: UInt8

  /// Splits the bytes of a run.
  public init(_ input: UnsafeRawBufferPointer) {
    let count = max(0, input.count - Self.controlCount)
    bytes = Array(input[..<count])
    func control(_ index: Int) -> UInt8 { count + index < input.count ? input[count + index] : 0 }
    choices = Choices(rawValue: control(0))
    first = control(1)
    second = control(2)
  }

  /// The input as data whose memory ends where the bytes end, so that reading on is noticed.
  func data(of bytes: [UInt8]? = nil) -> Data {
    let bytes = bytes ?? self.bytes
    let before = choices.contains(.isSlice) ? 5 : 0
    guard before + bytes.count > 0, let memory = malloc(before + bytes.count) else { return Data() }
    memset(memory, 0xFF, before)
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { memcpy(memory + before, base, source.count) }
    }
    return Data(bytesNoCopy: memory, count: before + bytes.count, deallocator: .free).dropFirst(before)
  }
}

/// Reads numbers from bytes until they end; then all numbers are 0.
struct NumberReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  mutating func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value {
    var value: Value = 0
    for index in 0..<Value.bitWidth / 8 { value |= Value(truncatingIfNeeded: byte()) << (8 * index) }
    return value
  }

  mutating func element<Element>(of list: [Element]) -> Element {
    list[Int(byte()) % list.count]
  }

  mutating func rest() -> ArraySlice<UInt8> {
    defer { bytes = [] }
    return bytes
  }
}
