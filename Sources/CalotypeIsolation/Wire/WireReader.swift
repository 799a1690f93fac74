import FoundationEssentials

/// A message that does not have the form of one.
struct WireError: Error {
  /// The deviation.
  let reason: String
}

/// A reader of the bytes of a ``WireWriter``, which it does not trust: every length is checked against the bytes that are
/// there.
struct WireReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The number of bytes that were not read yet.
  var remaining: Int { bytes.count - position }

  private mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else {
      throw WireError(reason: "\(count) bytes of \(remaining) at \(position)")
    }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func byte() throws(WireError) -> UInt8 {
    guard position < bytes.count else { throw WireError(reason: "no byte at \(position)") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func bool() throws(WireError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw WireError(reason: "no Boolean value at \(position)")
    }
  }

  mutating func word() throws(WireError) -> UInt64 {
    guard remaining >= 8 else { throw WireError(reason: "8 bytes of \(remaining) at \(position)") }
    defer { position += 8 }
    return UInt64(
      littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) })
  }

  mutating func int() throws(WireError) -> Int { Int(truncatingIfNeeded: try word()) }

  /// Returns a number within a range.
  mutating func int(in range: ClosedRange<Int>, _ name: String) throws(WireError) -> Int {
    let value = try int()
    guard range.contains(value) else { throw WireError(reason: "\(name) is \(value)") }
    return value
  }

  mutating func double() throws(WireError) -> Double { Double(bitPattern: try word()) }

  mutating func string() throws(WireError) -> String {
    let count = try int()
    guard let text = String(validating: try take(count), as: UTF8.self) else {
      throw WireError(reason: "a text is not UTF-8")
    }
    return text
  }

  mutating func data() throws(WireError) -> Data { Data(try take(try int())) }

  mutating func duration() throws(WireError) -> Duration {
    let seconds = Int64(bitPattern: try word())
    let attoseconds = Int64(bitPattern: try word())
    guard (-999_999_999_999_999_999...999_999_999_999_999_999).contains(attoseconds) else {
      throw WireError(reason: "a duration has \(attoseconds) attoseconds")
    }
    return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
  }

  mutating func optional<Value>(
    _ read: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) -> Value? {
    try bool() ? try read(&self) : nil
  }

  mutating func array<Value>(
    atMost limit: Int, _ read: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) -> [Value] {
    // Each element has at least one byte.
    let count = try int(in: 0...min(limit, remaining), "a number of elements")
    var values: [Value] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  /// Returns a case by its name.
  mutating func choice<Value: RawRepresentable<String>>(_: Value.Type = Value.self) throws(WireError) -> Value
  {
    let name = try string()
    guard let value = Value(rawValue: name) else { throw WireError(reason: "\(Value.self) has no such case") }
    return value
  }

  /// Ignores the rest.
  mutating func skip() { position = bytes.count }

  /// - Throws: ``WireError`` if bytes are left.
  func end() throws(WireError) {
    guard remaining == 0 else { throw WireError(reason: "\(remaining) bytes too many") }
  }
}
