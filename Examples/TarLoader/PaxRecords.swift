/// What matters to us in an extended header of pax: lines of `<length> <keyword>=<value>\n` (IEEE Std 1003.1, pax, "pax
/// Extended Header").
struct PaxRecords {
  /// The name of the entry, instead of that of its header.
  var path: [UInt8]? { sparseName ?? plainPath }
  /// Bytes of its contents, instead of those of its header.
  private(set) var size: Int?
  /// Whether its contents are a list of what is between holes.
  private(set) var isSparse = false

  private var plainPath: [UInt8]?
  /// Of a sparse file; its path is made up then.
  private var sparseName: [UInt8]?

  init(_ bytes: [UInt8]) throws(TarDamage) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0 != UInt8(ascii: " ") }
      // The length counts itself. More digits than this are more bytes than we read.
      guard digits.count <= 8, let length = Self.decimal(digits), length > digits.count + 1,
        length <= rest.count
      else { throw TarDamage("the length of a pax record is wrong") }
      let record = rest.prefix(length).dropFirst(digits.count + 1)
      rest = rest.dropFirst(length)
      guard record.last == UInt8(ascii: "\n"), let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
        throw TarDamage("a pax record is not a keyword with a value")
      }
      try take(
        keyword: String(decoding: record[..<equals], as: UTF8.self),
        value: record[(equals + 1)...].dropLast())
    }
  }

  private mutating func take(keyword: String, value: ArraySlice<UInt8>) throws(TarDamage) {
    switch keyword {
    case "path": plainPath = try Self.name(value)
    case "GNU.sparse.name": sparseName = try Self.name(value)
    case "size":
      guard let size = Self.decimal(value) else { throw TarDamage("its size in a pax record is wrong") }
      self.size = size
    default: break
    }
    if keyword.hasPrefix("GNU.sparse.") || keyword == "SCHILY.realsize" { isSparse = true }
  }

  /// `nil` without a value: the header has the last word then.
  private static func name(_ value: ArraySlice<UInt8>) throws(TarDamage) -> [UInt8]? {
    guard !value.contains(0) else { throw TarDamage("its name contains a NUL") }
    return value.isEmpty ? nil : Array(value)
  }

  /// A number of digits only; `nil` for anything else, and for one that is too large.
  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
