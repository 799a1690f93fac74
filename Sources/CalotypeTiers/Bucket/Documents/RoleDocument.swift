import FoundationEssentials

/// The answer to `AssumeRole` (AWS Security Token Service API Reference): keys, or the code of a refusal. Other texts, which
/// repeat the request, are not read.
struct RoleDocument {
  private var texts: [String: String] = [:]
  /// The code of a refusal; empty for none.
  private(set) var code = ""

  /// The most bytes of a document.
  static let maxLength = 64 << 10
  private static let keyPath = ["AssumeRoleResponse", "AssumeRoleResult", "Credentials"]

  /// Reads a document. Anything else than one has no keys.
  init(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maxLength, var reader = try? XMLReader(bytes) else { return }
    var path: [String] = []
    while let event = try? reader.next() {
      switch event {
      case .start(let name): path.append(name)
      case .end: path.removeLast()
      case .text(let text):
        if path.dropLast() == Self.keyPath[...], let name = path.last { texts[name, default: ""] += text }
        if path == ["ErrorResponse", "Error", "Code"] {
          code += text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64)
        }
      }
    }
  }

  /// The keys.
  ///
  /// - Throws: ``BucketError/noCredentials(reason:)`` when the document has none. The reason contains nothing of it.
  var keys: BucketKeys {
    get throws(BucketError) {
      guard let accessKey = texts["AccessKeyId"], let secretKey = texts["SecretAccessKey"],
        let token = texts["SessionToken"], let end = texts["Expiration"].flatMap({ KeysDocument.time($0) })
      else { throw .noCredentials(reason: "the token service answered without keys") }
      return try BucketKeys(accessKey: accessKey, secretKey: secretKey, sessionToken: token, expires: end)
    }
  }
}
