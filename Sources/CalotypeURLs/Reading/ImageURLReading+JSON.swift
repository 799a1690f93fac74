/// One object: `accepted`, `signature`, `key`, `path`, `options`, `format`, `source`, `sourceForm`, `notices` and `error`, of which
/// those without a value are missing.
extension ImageURLReading: Encodable {
  private enum Name: String, CodingKey {
    case accepted, signature, key, path, options, format, source, sourceForm, notices, error
  }

  private struct Notice: Encodable {
    let kind: String
    let segment: Int
    let text: String
  }

  private struct Problem: Encodable {
    let code: String
    let status: Int
    let message: String
    let segment: Int?
  }

  /// Writes the object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Name.self)
    try values.encode(fault == nil, forKey: .accepted)
    try values.encodeIfPresent(signature, forKey: .signature)
    try values.encodeIfPresent(keyID, forKey: .key)
    try values.encode(path, forKey: .path)
    try values.encode(options, forKey: .options)
    try values.encodeIfPresent(format?.name, forKey: .format)
    try values.encodeIfPresent(source, forKey: .source)
    try values.encodeIfPresent(sourceForm?.rawValue, forKey: .sourceForm)
    if !notices.isEmpty {
      try values.encode(
        notices.map { Notice(kind: $0.kind.rawValue, segment: $0.place.segment, text: $0.place.text) },
        forKey: .notices)
    }
    if let fault {
      try values.encode(
        Problem(
          code: fault.code, status: fault.status, message: fault.description, segment: fault.place?.segment),
        forKey: .error)
    }
  }
}
