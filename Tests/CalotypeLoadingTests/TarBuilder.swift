import FoundationEssentials

/// Archives as no program would make them.
struct TarBuilder {
  private(set) var data = Data()

  /// Fields of 12 bytes for a size.
  enum Size {
    case octal(Int)
    case bytes([UInt8])

    var field: [UInt8] {
      switch self {
      case .octal(let value):
        let digits = String(value, radix: 8)
        return Array((String(repeating: "0", count: max(0, 11 - digits.count)) + digits).utf8) + [0]
      case .bytes(let bytes): return bytes
      }
    }

    /// GNU's binary form.
    static func binary(_ value: Int) -> Size {
      .bytes([0x80, 0, 0, 0] + withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }
  }

  /// A header with the right checksum, or `checksum`.
  mutating func header(
    _ name: String, size: Size = .octal(0), type: Character = "0", prefix: String = "",
    checksum: String? = nil
  ) {
    header([UInt8](name.utf8), size: size, type: type, prefix: prefix, checksum: checksum)
  }

  mutating func header(
    _ name: [UInt8], size: Size = .octal(0), type: Character = "0", prefix: String = "",
    checksum: String? = nil
  ) {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ bytes: some Collection<UInt8>, at offset: Int) {
      for (index, byte) in bytes.enumerated() { block[offset + index] = byte }
    }
    put(name, at: 0)
    put("0000644\0".utf8, at: 100)
    put(size.field, at: 124)
    put([type.asciiValue ?? 0], at: 156)
    put("ustar\u{0}00".utf8, at: 257)
    put(prefix.utf8, at: 345)
    Self.sign(&block[...])
    if let checksum { put(checksum.utf8, at: 148) }
    data += block
  }

  /// Puts the right checksum into a header.
  static func sign(_ block: inout ArraySlice<UInt8>) {
    let start = block.startIndex
    for offset in 148..<156 { block[start + offset] = UInt8(ascii: " ") }
    let digits = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
    let field = String(repeating: "0", count: 6 - digits.count) + digits + "\u{0} "
    for (index, byte) in field.utf8.enumerated() { block[start + 148 + index] = byte }
  }

  /// Contents, filled up to a block.
  mutating func contents(_ bytes: Data) {
    data += bytes
    data += Data(count: (512 - bytes.count % 512) % 512)
  }

  /// A file with the right size.
  mutating func file(_ name: String, _ bytes: Data, type: Character = "0") {
    header(name, size: .octal(bytes.count), type: type)
    contents(bytes)
  }

  /// Records of pax, with their lengths.
  mutating func pax(_ records: [(String, String)], type: Character = "x") {
    file("PaxHeaders/x", Data(records.map(Self.record).joined().utf8), type: type)
  }

  /// One record: its length counts the digits of the length.
  static func record(_ keyword: String, _ value: String) -> String {
    let rest = " \(keyword)=\(value)\n"
    var length = rest.utf8.count
    while "\(length)".utf8.count + rest.utf8.count != length {
      length = "\(length)".utf8.count + rest.utf8.count
    }
    return "\(length)\(rest)"
  }

  /// The end mark.
  mutating func end() {
    data += Data(count: 1_024)
  }
}
