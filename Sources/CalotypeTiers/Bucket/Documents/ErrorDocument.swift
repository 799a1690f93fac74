/// The document of a failed request (Amazon S3 API Reference, "REST Error Responses"). Only the code and the message are
/// read: others repeat the request, keys included.
struct ErrorDocument: Equatable {
  /// Such as `SlowDown`; at most 64 letters and digits. Empty when there is none.
  private(set) var code = ""
  /// At most 200 printable code points. Long words, which may repeat keys and signatures of the request, become `…`.
  private(set) var message = ""

  /// Reads a document. Anything else than one gives empty texts.
  init(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maxLength, var reader = try? XMLReader(bytes) else { return }
    var path: [String] = []
    while let event = try? reader.next() {
      switch event {
      case .start(let name):
        path.append(name)
        if path.count == 1, name != "Error" { return }
      case .end: path.removeLast()
      case .text(let text):
        if path == ["Error", "Code"], code.isEmpty { code = Self.clean(text, limit: 64, isWord: true) }
        if path == ["Error", "Message"], message.isEmpty {
          message = Self.withoutKeys(Self.clean(text, limit: 2_000, isWord: false))
        }
      }
    }
  }

  /// Replaces words of more than 19 characters: session tokens, signatures and secret keys have more.
  private static func withoutKeys(_ text: String) -> String {
    let words = text.unicodeScalars.split(separator: " ").map { $0.count > 19 ? "…" : String($0) }
    return String(String.UnicodeScalarView(words.joined(separator: " ").unicodeScalars.prefix(200)))
  }

  /// The most bytes of a document.
  static let maxLength = 64 << 10

  private static func clean(_ text: String, limit: Int, isWord: Bool) -> String {
    let kept = text.unicodeScalars.lazy.filter { scalar in
      isWord
        ? scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        : scalar.value >= 32 && scalar.value != 127 && scalar.properties.generalCategory != .control
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: kept.prefix(limit))
    return String(result)
  }
}
