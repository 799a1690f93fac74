/// A file of environment variables, as imgproxy reads it: `NAME=value`, `export NAME=value`, `NAME: value`, comments, literal
/// values in single quotes, values with escapes in double quotes, both over several lines, and `$NAME` or `${NAME}`.
struct EnvFile: Sendable {
  /// A variable with its place.
  struct Entry: Hashable, Sendable {
    let name: String
    let value: String
    /// The line of the name, counted from 1.
    let line: Int
  }

  /// Most variables.
  static let maxEntries = 4096
  /// Most faults that are collected.
  static let maxFaults = 32

  private(set) var entries: [Entry] = []
  private(set) var faults: [FileFault] = []
  private var values: [String: String] = [:]
  /// Bytes that may still be put in the place of names, so that a short file cannot fill the memory.
  private var allowance = SettingReader.maxBytes

  /// Reads the bytes of a file. Names in values are those of earlier lines, else of `environment`, else empty.
  init(_ bytes: [UInt8], environment: [String: String] = [:]) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      faults = [FileFault(line: 1, rule: "the file is UTF-8", remedy: "convert it")]
      return
    }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let lines = bytes.dropFirst(hasMark ? 3 : 0).split(
      separator: 0x0A, omittingEmptySubsequences: false)
    var index = 0
    while index < lines.count, faults.count < Self.maxFaults {
      let start = index
      index += 1
      guard let entry = Self.name(lines[start]) else { continue }
      guard Self.isName(entry.name) else {
        faults.append(
          FileFault(
            line: start + 1, rule: "a line is NAME=value or a comment", remedy: "begin comments with #"))
        continue
      }
      guard entries.count < Self.maxEntries else {
        faults.append(
          FileFault(
            line: start + 1, rule: "a file has at most \(Self.maxEntries) variables", remedy: "remove some"))
        break
      }
      do throws(FileFault) {
        let value = try value(entry.rest, lines, &index, start + 1, environment)
        let name = String(decoding: entry.name, as: UTF8.self)
        values[name] = value
        entries.append(Entry(name: name, value: value, line: start + 1))
      } catch {
        faults.append(error)
      }
    }
  }

  /// The name of a line and the text behind its sign, or `nil` for empty lines and comments.
  private static func name(_ line: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    var line = trimmed(line)
    guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
    if line.starts(with: "export".utf8), line.count > 6, isSpace(line[line.startIndex + 6]) {
      line = trimmed(line.dropFirst(6))
    }
    guard let sign = line.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else {
      return (line.prefix(0), line)
    }
    return (trimmed(line[..<sign]), trimmed(line[(sign + 1)...]))
  }

  private mutating func value(
    _ rest: ArraySlice<UInt8>, _ lines: [ArraySlice<UInt8>], _ index: inout Int, _ line: Int,
    _ environment: [String: String]
  ) throws(FileFault) -> String {
    guard let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      return try expanded(Self.uncommented(rest), line, environment, escapes: false)
    }
    var text = Array(rest.dropFirst())
    var scanned = 0
    while true {
      if let end = Self.end(of: text, quote, from: &scanned) {
        let behind = Self.trimmed(text[(end + 1)...])
        guard behind.isEmpty || behind.first == UInt8(ascii: "#") else {
          throw FileFault(line: line, rule: "nothing stands behind a quoted value", remedy: "quote all of it")
        }
        let inner = text[..<end]
        if quote == UInt8(ascii: "'") { return String(decoding: inner, as: UTF8.self) }
        return try expanded(inner, line, environment, escapes: true)
      }
      guard index < lines.count, text.count <= SettingReader.maxBytes else {
        throw FileFault(line: line, rule: "a quoted value ends with a quote", remedy: "add one")
      }
      text.append(0x0A)
      text += lines[index]
      index += 1
    }
  }

  /// The index of the quote that ends a text. A backslash protects a double quote.
  private static func end(of text: [UInt8], _ quote: UInt8, from position: inout Int) -> Int? {
    while position < text.count {
      if text[position] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), position + 1 < text.count {
        position += 2
      } else if text[position] == quote {
        return position
      } else {
        position += 1
      }
    }
    return nil
  }

  /// A value that is not quoted, without a comment, which a space and a number sign begin.
  private static func uncommented(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var previous: UInt8 = 0x20
    for index in text.indices {
      if text[index] == UInt8(ascii: "#"), isSpace(previous) { return trimmed(text[..<index]) }
      previous = text[index]
    }
    return text
  }

  private mutating func expanded(
    _ text: ArraySlice<UInt8>, _ line: Int, _ environment: [String: String], escapes: Bool
  ) throws(FileFault) -> String {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let next = rest.first, escapes || next == UInt8(ascii: "$") {
        rest.removeFirst()
        switch next {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        default: result.append(next)
        }
      } else if byte == UInt8(ascii: "$"), let name = Self.reference(&rest) {
        let value = values[name] ?? environment[name] ?? ""
        guard value.utf8.count <= allowance else {
          throw FileFault(line: line, rule: "names stand for at most 1 MiB in all", remedy: "use fewer")
        }
        allowance -= value.utf8.count
        result += Array(value.utf8)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Takes the name behind a dollar sign.
  private static func reference(_ rest: inout ArraySlice<UInt8>) -> String? {
    let isBraced = rest.first == UInt8(ascii: "{")
    let name = rest.dropFirst(isBraced ? 1 : 0).prefix(while: isWord)
    guard !name.isEmpty, name.count <= 256 else { return nil }
    let behind = rest[name.endIndex...]
    guard !isBraced || behind.first == UInt8(ascii: "}") else { return nil }
    rest = isBraced ? behind.dropFirst() : behind
    return String(decoding: name, as: UTF8.self)
  }

  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    (1...256).contains(name.count) && name.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || byte == 0x5F
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }
}
