import HTTPTypes

/// The request fields that a response varies by (RFC 9111 §4.1), as digests, because they may hold credentials.
enum VaryKey: Hashable, Sendable {
  /// Digests by field name in lower case; no digest where the request lacked the field.
  case fields([String: Digest256?])
  /// `Vary: *`: more than request fields.
  case everything

  /// More names than this count as `*`.
  static let maxNames = 32

  /// - Parameters:
  ///   - vary: The values of `Vary`. Anything but a list of names counts as `*`.
  ///   - request: The header fields of the request.
  init(vary: [String], request: HTTPFields) {
    var fields: [String: Digest256?] = [:]
    for value in vary {
      for part in value.utf8.split(separator: UInt8(ascii: ",")) {
        if part.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
        guard let name = FieldNames.read(part), name != "*", fields.count < Self.maxNames else {
          self = .everything
          return
        }
        if fields[name] == nil { fields.updateValue(Self.digest(of: name, in: request), forKey: name) }
      }
    }
    self = .fields(fields)
  }

  func matches(_ request: HTTPFields) -> Bool {
    guard case .fields(let fields) = self else { return false }
    return fields.allSatisfy { name, digest in Self.digest(of: name, in: request) == digest }
  }

  /// Fields in which case and spaces have no meaning.
  private static let plainLists: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language",
  ]

  private static func digest(of name: String, in request: HTTPFields) -> Digest256? {
    guard let field = HTTPField.Name(name), let value = request[field] else { return nil }
    var bytes = Array(value.utf8)
    if plainLists.contains(name) {
      bytes = Array(value.lowercased().utf8)
      bytes.removeAll { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
    return (Array("\(name):".utf8) + bytes).withUnsafeBytes { Digest256(sha256: $0) }
  }
}
