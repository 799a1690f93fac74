public import FoundationEssentials

/// A request as ``ScriptedHTTPServer`` saw it.
public struct ScriptedRequest: Hashable, Sendable {
  /// `GET` and the like.
  public let method: String
  /// The path without the query.
  public let path: String
  /// The query, without the `?`; `nil` for none.
  public let query: String?
  /// Names as sent, values trimmed, in order.
  public let headers: [Header]
  /// The number of its connection: 1 for the first that the server accepted.
  public let connection: Int
  /// The content, as its `Content-Length` says.
  public internal(set) var body = Data()

  /// One header field.
  public struct Header: Hashable, Sendable {
    /// The name as sent.
    public let name: String
    /// The value without the whitespace around it.
    public let value: String
  }

  /// The value of the first field of that name, compared without case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  init?(head: String, connection: Int) {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
    guard let first = lines.popFirst() else { return nil }
    let words = first.split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(words[0])
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(target[0])
    query = target.count > 1 ? String(target[1]) : nil
    var headers: [Header] = []
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let value = parts[1].drop { $0 == " " }
      headers.append(Header(name: String(parts[0]), value: String(value)))
    }
    self.headers = headers
    self.connection = connection
  }
}
