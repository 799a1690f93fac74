/// An incremental parser of RESP3: bytes in, values out. A pure value.
///
/// Its input is hostile: lengths, counts and depth are checked before anything is kept for them. Every byte is looked at
/// once, or twice at the end of a piece.
package struct RESPParser: Sendable {
  /// The bounds of a reply.
  package struct Limits: Hashable, Sendable {
    /// The longest line, such as an error or a number; bytes.
    package var line = 16 << 10
    /// The longest string; bytes.
    package var string = 1 << 20
    /// The most elements of an aggregate; the pairs of a map count twice.
    package var count = 4_096
    /// The deepest nesting.
    package var depth = 8
    /// The most elements of a reply, in all depths.
    package var elements = 16_384
    /// The most bytes of a reply.
    package var bytes = 8 << 20

    /// The default bounds.
    package init() {}
  }

  private enum Kind {
    case array, map, push
    /// Additional information, which is dropped.
    case attribute
  }

  private struct Frame {
    var kind: Kind
    var left: Int
    var values: [RESPValue] = []
  }

  /// A string whose length was read.
  private struct Body {
    var type: UInt8
    var length: Int
  }

  private let limits: Limits
  private var buffer: [UInt8] = []
  private var offset = 0
  /// Bytes of the present line that hold no end.
  private var scanned = 0
  private var frames: [Frame] = []
  private var body: Body?
  private var elements = 0
  private var consumed = 0
  private var failure: RESPError?

  /// Creates a parser at the beginning of a stream.
  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// The bytes that are kept.
  package var pending: Int { buffer.count - offset }

  /// Adds bytes of the stream.
  package mutating func append(_ bytes: some Sequence<UInt8>) {
    guard failure == nil else { return }
    if offset > 0, offset == buffer.count || offset > 64 << 10 {
      buffer.removeSubrange(..<offset)
      offset = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next complete value; `nil` when more bytes are needed. An error stays.
  package mutating func next() throws(RESPError) -> RESPValue? {
    if let failure { throw failure }
    do throws(RESPError) {
      return try parse()
    } catch {
      failure = error
      (buffer, offset, frames, body) = ([], 0, [], nil)
      throw error
    }
  }

  private mutating func parse() throws(RESPError) -> RESPValue? {
    while true {
      guard let value = try element() else { return nil }
      if let complete = close(with: value) {
        (elements, consumed) = (0, 0)
        return complete
      }
    }
  }

  /// One step: a value without elements, an empty aggregate, or the beginning of another, after which it goes on.
  private mutating func element() throws(RESPError) -> RESPValue? {
    while true {
      if let body {
        guard let bytes = try string(body.length) else { return nil }
        self.body = nil
        return try Self.text(bytes, body.type)
      }
      guard let line = try line() else { return nil }
      guard let type = line.first else { throw .malformed }
      elements += 1
      guard elements <= limits.elements else { throw .tooLarge }
      let rest = line.dropFirst()
      switch type {
      case UInt8(ascii: "+"): return .string(Array(rest))
      case UInt8(ascii: "-"): return .error(Array(rest))
      case UInt8(ascii: ":"): return .integer(try Self.integer(rest))
      case UInt8(ascii: "_"):
        guard rest.isEmpty else { throw .malformed }
        return .null
      case UInt8(ascii: "#"): return .boolean(try Self.boolean(rest))
      case UInt8(ascii: ","): return .double(try Self.double(rest))
      case UInt8(ascii: "("): return .bigNumber(try Self.digits(rest))
      case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
        guard let length = try length(rest, limits.string) else { return .null }
        body = Body(type: type, length: length)
      case UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: ">"), UInt8(ascii: "|"):
        if let value = try open(type, rest) { return value }
      default: throw .unknownType(type)
      }
    }
  }

  /// Opens an aggregate; returns it if it has no elements.
  private mutating func open(_ type: UInt8, _ rest: ArraySlice<UInt8>) throws(RESPError) -> RESPValue? {
    guard let count = try length(rest, limits.count) else { return .null }
    let kind: Kind
    switch type {
    case UInt8(ascii: "%"): kind = .map
    case UInt8(ascii: ">"):
      // Pushes stand between replies, and have a kind.
      guard frames.isEmpty, count > 0 else { throw .malformed }
      kind = .push
    case UInt8(ascii: "|"): kind = .attribute
    default: kind = .array
    }
    let isPaired = kind == .map || kind == .attribute
    let left = isPaired ? 2 * count : count
    guard left <= limits.count else { throw .tooLarge }
    if left == 0 {
      // Nothing, before the value that it describes.
      guard kind != .attribute else { return nil }
      return kind == .map ? .map([]) : .array([])
    }
    guard frames.count < limits.depth else { throw .tooDeep }
    frames.append(Frame(kind: kind, left: left))
    return nil
  }

  /// Adds a value to the open aggregates. Returns the reply once it is complete.
  private mutating func close(with value: RESPValue) -> RESPValue? {
    var value = value
    while !frames.isEmpty {
      let last = frames.count - 1
      frames[last].values.append(value)
      frames[last].left -= 1
      guard frames[last].left == 0 else { return nil }
      let frame = frames.removeLast()
      switch frame.kind {
      case .array: value = .array(frame.values)
      case .map: value = .map(frame.values)
      case .push: value = .push(frame.values)
      case .attribute: return nil
      }
    }
    return value
  }

  // MARK: Bytes

  /// Takes a line without its ending.
  private mutating func line() throws(RESPError) -> ArraySlice<UInt8>? {
    var index = offset + scanned
    while index < buffer.count, buffer[index] != 10 { index += 1 }
    guard index - offset <= limits.line else { throw .tooLarge }
    guard index < buffer.count else {
      scanned = index - offset
      return nil
    }
    guard index > offset, buffer[index - 1] == 13 else { throw .malformed }
    let line = buffer[offset..<index - 1]
    guard !line.contains(13) else { throw .malformed }
    try consume(index + 1 - offset)
    return line
  }

  /// Takes a string and its ending.
  private mutating func string(_ length: Int) throws(RESPError) -> [UInt8]? {
    guard pending >= length + 2 else { return nil }
    let end = offset + length
    guard buffer[end] == 13, buffer[end + 1] == 10 else { throw .malformed }
    let bytes = Array(buffer[offset..<end])
    try consume(length + 2)
    return bytes
  }

  private mutating func consume(_ count: Int) throws(RESPError) {
    offset += count
    scanned = 0
    consumed += count
    guard consumed <= limits.bytes else { throw .tooLarge }
  }

  /// The length of a string or an aggregate; `nil` for the null of RESP2.
  private func length(_ digits: ArraySlice<UInt8>, _ limit: Int) throws(RESPError) -> Int? {
    let value = try Self.integer(digits)
    if value == -1 { return nil }
    guard value >= 0 else { throw .malformed }
    guard value <= limit else { throw .tooLarge }
    return Int(value)
  }

  private static func text(_ bytes: [UInt8], _ type: UInt8) throws(RESPError) -> RESPValue {
    switch type {
    case UInt8(ascii: "!"): return .error(bytes)
    case UInt8(ascii: "="):
      // Three letters and a colon.
      guard bytes.count >= 4, bytes[3] == UInt8(ascii: ":") else { throw .malformed }
      return .string(Array(bytes[4...]))
    default: return .string(bytes)
    }
  }

  private static func digits(_ text: ArraySlice<UInt8>) throws(RESPError) -> [UInt8] {
    var digits = text
    if let first = digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      digits = digits.dropFirst()
    }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .malformed }
    return Array(text)
  }

  private static func integer(_ text: ArraySlice<UInt8>) throws(RESPError) -> Int64 {
    guard text.count <= 20 else { throw .malformed }
    guard let value = Int64(String(decoding: try digits(text), as: UTF8.self)) else { throw .malformed }
    return value
  }

  private static func boolean(_ text: ArraySlice<UInt8>) throws(RESPError) -> Bool {
    guard text.count == 1, let letter = text.first else { throw .malformed }
    switch letter {
    case UInt8(ascii: "t"): return true
    case UInt8(ascii: "f"): return false
    default: throw .malformed
    }
  }

  private static func double(_ text: ArraySlice<UInt8>) throws(RESPError) -> Double {
    guard !text.isEmpty, text.count <= 64, let value = Double(String(decoding: text, as: UTF8.self)) else {
      throw .malformed
    }
    return value
  }
}
