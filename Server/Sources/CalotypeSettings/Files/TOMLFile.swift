/// A TOML file, as far as settings need it: tables, dotted keys, inline tables, strings of all four kinds, numbers, Booleans, times
/// and arrays of them.
///
/// Arrays of tables and arrays of arrays are refused, because no setting has them. All faults are collected.
struct TOMLFile: Sendable {
  /// A value with its place.
  struct Entry: Hashable, Sendable {
    /// The keys of the tables and the last key.
    let path: [String]
    /// A text, or the texts of an array.
    let input: SettingInput
    /// The line of the key, counted from 1.
    let line: Int
  }

  /// Most entries.
  static let maxEntries = 4096
  /// Most keys of a path.
  static let maxDepth = 8
  /// Most faults that are collected.
  static let maxFaults = 32

  private(set) var entries: [Entry] = []
  private(set) var faults: [FileFault] = []
  /// The line of each path that has a value.
  private var values: [[String]: Int] = [:]
  /// The line of each path that is a table by itself or by a longer path.
  private var tables: [[String]: Int] = [:]
  /// The line of each header.
  private var headers: [[String]: Int] = [:]

  /// Reads the bytes of a file.
  init(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      faults = [FileFault(line: 1, rule: "the file is UTF-8", remedy: "convert it")]
      return
    }
    var scanner = TOMLScanner(bytes)
    var table: [String]? = []
    while scanner.skipToContent() {
      guard faults.count < Self.maxFaults, entries.count < Self.maxEntries else { break }
      do throws(FileFault) {
        if scanner.peek() == UInt8(ascii: "[") {
          // Entries behind a header that cannot be read belong to no table.
          table = nil
          table = try header(&scanner)
        } else {
          let line = scanner.line
          let path = try scanner.keyPath()
          try scanner.expect(UInt8(ascii: "="), "an equals sign stands behind a key")
          try value(&scanner, table.map { $0 + path }, line)
        }
        try scanner.endOfLine()
      } catch {
        faults.append(error)
        scanner.skipLine()
      }
    }
    if entries.count >= Self.maxEntries {
      faults.append(
        FileFault(
          line: scanner.line, rule: "a file has fewer than \(Self.maxEntries) entries", remedy: "remove some")
      )
    }
  }

  private mutating func header(_ scanner: inout TOMLScanner) throws(FileFault) -> [String] {
    let line = scanner.line
    try scanner.expect(UInt8(ascii: "["), "a header begins with a bracket")
    guard scanner.peek() != UInt8(ascii: "[") else {
      throw FileFault(line: line, rule: "no setting is an array of tables", remedy: "write [table]")
    }
    let path = try scanner.keyPath()
    try scanner.expect(UInt8(ascii: "]"), "a header ends with a bracket")
    if let first = headers[path] ?? values[path] {
      throw FileFault(
        line: line, rule: "a table has one header", remedy: "move its entries to line \(first)")
    }
    headers[path] = line
    return path
  }

  /// Reads the value of a path, or passes over it if the path is `nil`.
  private mutating func value(
    _ scanner: inout TOMLScanner, _ path: [String]?, _ line: Int
  ) throws(FileFault) {
    guard (path?.count ?? 1) <= Self.maxDepth else {
      throw FileFault(line: line, rule: "a key has at most \(Self.maxDepth) parts", remedy: "shorten it")
    }
    scanner.skipSpaces()
    if scanner.peek() == UInt8(ascii: "{") {
      if let path { try claim(path, line) }
      try scanner.expect(UInt8(ascii: "{"), "")
      scanner.skipSpaces()
      guard !scanner.take(UInt8(ascii: "}")) else { return }
      repeat {
        let line = scanner.line
        let keys = try scanner.keyPath()
        try scanner.expect(UInt8(ascii: "="), "an equals sign stands behind a key")
        guard scanner.nesting < Self.maxDepth else {
          throw FileFault(
            line: line, rule: "tables are at most \(Self.maxDepth) deep", remedy: "flatten them")
        }
        scanner.nesting += 1
        defer { scanner.nesting -= 1 }
        try value(&scanner, path.map { $0 + keys }, line)
        scanner.skipSpaces()
      } while scanner.take(UInt8(ascii: ","))
      try scanner.expect(UInt8(ascii: "}"), "an inline table ends with a brace in the same line")
      return
    }
    let input: SettingInput =
      scanner.peek() == UInt8(ascii: "[") ? .items(try scanner.array()) : .text(try scanner.scalar())
    guard let path else { return }
    try claim(path, line)
    if let table = tables[path] ?? headers[path] {
      throw FileFault(
        line: line, rule: "a key is a table or has a value, not both",
        remedy: "remove it, or the one in line \(table)")
    }
    values[path] = line
    entries.append(Entry(path: path, input: input, line: line))
  }

  /// Refuses a path that has a value, or whose beginning has one, and makes tables of its beginnings.
  private mutating func claim(_ path: [String], _ line: Int) throws(FileFault) {
    for count in 1...max(1, path.count) {
      if let first = values[Array(path.prefix(count))] {
        throw FileFault(
          line: line, rule: "a key has one value", remedy: "remove it, or the one in line \(first)")
      }
      if count < path.count { tables[Array(path.prefix(count))] = line }
    }
  }
}
