import FoundationEssentials
import HTTPTypes

/// The head of the final response of a transfer.
struct ResponseHead: Sendable, Equatable {
  let url: URL
  let status: Int
  let headers: HTTPFields
  /// Length of the body for the consumer, in bytes; `nil` when unknown.
  let expectedLength: Int?
  /// Whether it declares contradictory or malformed lengths (RFC 9110 §8.6).
  let hasInvalidLength: Bool
  let contentType: String?
  /// The redirects that led here.
  var redirects: [LoadResponse.Redirect] = []

  /// Reads the fields once, because a search for each chunk would be slow.
  init(url: URL, status: Int, headers: HTTPFields) {
    self.url = url
    self.status = status
    self.headers = headers
    var length: Length?
    var type: String?
    // There is no body, or another field determines its end.
    var isUnknown = status == 204 || status == 304
    for field in headers {
      switch field.name {
      case .contentLength: length = Length(field.value, after: length)
      case .contentType: type = type.map { "\($0), \(field.value)" } ?? field.value
      case .transferEncoding: isUnknown = true
      // A content coding is decoded on the way, so the declared length is that of the encoded bytes.
      case .contentEncoding: isUnknown = isUnknown || field.value.lowercased() != "identity"
      default: break
      }
    }
    switch length {
    case .bytes(let count)? where !isUnknown: (expectedLength, hasInvalidLength) = (count, false)
    // An unused length may have any value.
    case .invalid?: (expectedLength, hasInvalidLength) = (nil, !isUnknown)
    default: (expectedLength, hasInvalidLength) = (nil, false)
    }
    contentType = type
  }

  /// The length that the `Content-Length` fields declare: repeated fields with one number count as that number.
  private enum Length: Equatable {
    case bytes(Int)
    case invalid

    init(_ text: String, after before: Length?) {
      var length = before
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let text = part.utf8.drop { $0 == 32 || $0 == 9 }
        let digits = text.prefix { (48...57).contains($0) }
        let rest = text.dropFirst(digits.count)
        let isNumber = !digits.isEmpty && rest.allSatisfy { $0 == 32 || $0 == 9 }
        let next = isNumber ? Int(Substring(digits)).map { Length.bytes($0) } ?? .invalid : .invalid
        length = length == nil || length == next ? next : .invalid
      }
      self = length ?? .invalid
    }
  }

  /// The target of a redirect that the loader follows (RFC 9110 §15.4).
  var redirectLocation: String? {
    guard [301, 302, 303, 307, 308].contains(status), let location = headers[.location], !location.isEmpty
    else {
      return nil
    }
    return location
  }
}

/// Collects the header lines of one request, across interim responses, until the final head is complete.
struct ResponseHeadParser {
  enum Event: Equatable {
    /// More lines are needed, or the response was an interim one.
    case none
    /// The head of the final response is complete.
    case final
    /// Too many bytes of header.
    case tooLarge
  }

  /// The byte limit for all headers of one request, interim responses and trailers included.
  static let limit = 256 << 10
  /// The overhead per line beyond its bytes, as in HTTP/2: empty fields take memory too, and `HTTPFields` ends the
  /// program at 65,535 fields.
  static let overhead = 32

  private(set) var status = 0
  private(set) var headers = HTTPFields()
  private(set) var isFinal = false
  /// libcurl may answer the challenge of a 401 itself, so the first 401 is not final.
  private var answersChallenge: Bool
  /// The head of a 401 is complete, and it is still unknown whether another response follows.
  private var isChallenged = false
  private var inHead = false
  private var byteCount = 0
  private var pending: (name: HTTPField.Name, value: String)?

  init(answersChallenge: Bool = false) {
    self.answersChallenge = answersChallenge
  }

  /// A body or the end follows a 401, so that response is final. Returns `false` if that was clear before.
  mutating func settle() -> Bool {
    guard isChallenged else { return false }
    isChallenged = false
    isFinal = true
    return true
  }

  /// Feeds one line, with or without its line end.
  mutating func line(_ bytes: UnsafeRawBufferPointer) -> Event {
    byteCount += bytes.count + Self.overhead
    if byteCount > Self.limit { return .tooLarge }
    // Lines after the final head are trailers.
    if isFinal { return .none }
    var end = bytes.count
    while end > 0, bytes[end - 1] == 10 || bytes[end - 1] == 13 { end -= 1 }
    let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    if line.isEmpty { return endOfHead() }
    if !inHead {
      beginHead(line)
    } else if line[0] == 32 || line[0] == 9 {
      // A folded line: obsolete, but still in use.
      pending?.value += " " + Self.text(line)
    } else {
      store()
      guard let colon = line.firstIndex(of: 58), let name = Self.name(line[..<colon]) else { return .none }
      pending = (name, Self.text(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])))
    }
    return .none
  }

  private mutating func beginHead(_ line: UnsafeRawBufferPointer) {
    inHead = true
    isChallenged = false
    headers = HTTPFields()
    pending = nil
    // "HTTP/1.1 200 OK", "HTTP/2 200"
    let word = line.drop { $0 != 32 }.drop { $0 == 32 }.prefix { $0 != 32 }
    let isNumber = word.count == 3 && word.allSatisfy { (48...57).contains($0) }
    status = isNumber ? word.reduce(0) { $0 * 10 + Int($1) - 48 } : 0
  }

  private mutating func endOfHead() -> Event {
    store()
    guard inHead else { return .none }
    inHead = false
    if (100..<200).contains(status) { return .none }
    if status == 401, answersChallenge {
      answersChallenge = false
      isChallenged = true
      return .none
    }
    isFinal = true
    return .final
  }

  private mutating func store() {
    guard let (name, value) = pending.take() else { return }
    headers.append(HTTPField(name: name, value: value))
  }

  /// Common field names by length, in their usual spelling: created once instead of for each field.
  private static let names: [[(bytes: [UInt8], name: HTTPField.Name)]] = {
    let spellings = [
      "Accept-Ranges", "Age", "Cache-Control", "Connection", "Content-Encoding", "Content-Length",
      "Content-Type", "Date", "ETag", "Expires", "Last-Modified", "Location", "Server", "Transfer-Encoding",
      "Vary", "Via",
    ]
    var names: [[(bytes: [UInt8], name: HTTPField.Name)]] = Array(repeating: [], count: 20)
    // HTTP/2 has lower-case names only.
    for spelling in spellings.flatMap({ [$0, $0.lowercased()] }) {
      guard let name = HTTPField.Name(spelling) else { continue }
      names[spelling.utf8.count].append((Array(spelling.utf8), name))
    }
    return names
  }()

  private static func name(_ bytes: Slice<UnsafeRawBufferPointer>) -> HTTPField.Name? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    if bytes.count < names.count,
      let known = names[bytes.count].first(where: { $0.bytes.elementsEqual(bytes) })
    {
      return known.name
    }
    return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var slice = bytes[...]
    while let first = slice.first, first == 32 || first == 9 { slice.removeFirst() }
    while let last = slice.last, last == 32 || last == 9 { slice.removeLast() }
    return String(decoding: slice, as: UTF8.self)
  }
}
