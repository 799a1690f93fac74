import CalotypeURLs

/// Encrypted sources.
enum EncryptionCases {
  /// The key of imgproxy's documentation, which rows mean by "same key".
  private static let documentedKey = "hex:1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"

  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let values = Words(vector.input).values
    guard let source = values["url"], let vectorText = values["iv"] else {
      let count = vector.input.split(separator: " ").compactMap { Int($0) }.first ?? 0
      let status = ImgproxyDialect.status {
        _ = try SourceCipher(key: Array(repeating: 1, count: min(max(count, 0), 1024)))
      }
      return .answer(
        status == 200 ? "accepted" : "client error",
        agrees: (status != 200) == vector.expected.hasPrefix("client error"))
    }
    var key = values["key"] ?? documentedKey
    // hex:000102…1617 stands for all numbers up to the last.
    if key.contains("…"), let last = Int(key.suffix(2), radix: 16) {
      key = "hex:" + (0...last).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let cipher = try SourceCipher(key: VectorBytes.read(key))
    let text = try cipher.encrypt(source, vector: .bytes(VectorBytes.read(vectorText)))
    let expected = vector.expected.prefix(before: " ")
    // Texts may be divided anywhere, and are read as one.
    let dialect = try ImgproxyDialect.with { $0.cipher = cipher }
    let isRead = try dialect.parse(path: "enc/" + expected).source == source
    return .answer(text, agrees: text == expected.replacing("/", with: "") && isRead)
  }
}
