import FoundationEssentials

/// A writer of values as bytes: little-endian integers of 8 bytes, texts and data behind their lengths.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: UInt8) { bytes.append(value) }

  mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

  mutating func write(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ value: Int) { write(UInt64(bitPattern: Int64(value))) }

  mutating func write(_ value: Double) { write(value.bitPattern) }

  mutating func write(_ value: String) {
    write(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func write(_ value: Data) {
    write(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func write(_ value: Duration) {
    write(UInt64(bitPattern: value.components.seconds))
    write(UInt64(bitPattern: value.components.attoseconds))
  }

  mutating func write<Value>(_ value: Value?, _ write: (inout WireWriter, Value) -> Void) {
    self.write(value != nil)
    if let value { write(&self, value) }
  }

  mutating func write<Value>(_ values: [Value], _ write: (inout WireWriter, Value) -> Void) {
    self.write(values.count)
    for value in values { write(&self, value) }
  }
}
