import HTTPTypes

extension StoredResponse: Codable {
  /// Reads its ``text``, as one string.
  ///
  /// - Throws: `DecodingError` for any other string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let response = StoredResponse(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a stored response")
    }
    self = response
  }

  /// Writes its ``text``, as one string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension StoredResponse {
  /// The description as text, one fact per line, to be stored beside the bytes:
  ///
  /// ```text
  /// response/1 200
  /// requested 1747267200
  /// received 1747267201
  /// selected accept 9f86d081…
  /// cache-control: max-age=3600
  /// ```
  public var text: String {
    var text = "response/1 \(status)\nrequested \(requested)\nreceived \(received)\n"
    switch selection {
    case .everything:
      text += "selected *\n"
    case .fields(let fields):
      for (name, digest) in fields.sorted(by: { $0.key < $1.key }) {
        text += "selected \(name) \(digest?.hex ?? "-")\n"
      }
    }
    for name in Self.keptNames {
      for value in fields[values: name] { text += "\(name.canonicalName): \(value)\n" }
    }
    return text
  }

  /// Reads ``text``; `nil` for anything that differs in a single byte.
  public init?(text: String) {
    guard text.utf8.count <= Self.maxTextLength else { return nil }
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    func number(after prefix: String, in line: Substring.UTF8View?) -> Int? {
      guard let line, line.starts(with: prefix.utf8) else { return nil }
      return Int(Substring(line.dropFirst(prefix.utf8.count)))
    }
    guard let status = number(after: "response/1 ", in: lines.popFirst()), (100...999).contains(status),
      let requested = number(after: "requested ", in: lines.popFirst()),
      HTTPSeconds.range.contains(requested),
      let received = number(after: "received ", in: lines.popFirst()), HTTPSeconds.range.contains(received),
      lines.popLast()?.isEmpty == true
    else { return nil }
    var selected: [String: Digest256?] = [:]
    var selection: VaryKey?
    var fields = HTTPFields()
    for line in lines {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = words.first.map(Substring.init), let rest = words.last, words.count == 2 else {
        return nil
      }
      if first == "selected" {
        let parts = Substring(rest).split(separator: " ", omittingEmptySubsequences: false)
        if parts == ["*"] {
          selection = .everything
        } else if parts.count == 2, parts[1] == "-" {
          selected.updateValue(nil, forKey: String(parts[0]))
        } else if parts.count == 2, let digest = Digest256(hex: parts[1]) {
          selected.updateValue(digest, forKey: String(parts[0]))
        } else {
          return nil
        }
      } else {
        guard first.utf8.last == UInt8(ascii: ":"), let name = HTTPField.Name(String(first.dropLast())) else {
          return nil
        }
        fields.append(HTTPField(name: name, value: String(Substring(rest))))
      }
    }
    self.init(
      status: status, kept: Self.kept(of: fields), selection: selection ?? .fields(selected),
      requested: requested,
      received: received)
    // The encoding is canonical: anything skipped, repeated or spelt differently shows here.
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// Whether ``text`` is within the limit.
  var isWithinLimit: Bool { text.utf8.count <= Self.maxTextLength }
}
