import CalotypeSupport

/// Texts that identify loaders, made of named parts.
package enum LoaderIdentity {
  /// The parts behind their lengths, so that different parts never make the same text. Parts without a value are left
  /// out; the text of none is empty.
  static func text(_ parts: KeyValuePairs<String, String>) -> String {
    parts.filter { !$0.value.isEmpty }
      .map { "\($0.key) \($0.value.utf8.count) \($0.value)\n" }.joined()
  }

  /// The parts of a list: empty when all of them are.
  static func text(_ parts: [String]) -> String {
    parts.allSatisfy(\.isEmpty) ? "" : parts.map { "\($0.utf8.count) \($0)\n" }.joined()
  }

  /// SHA-256 of a text as 64 hexadecimal digits: stands for secrets.
  package static func digest(_ text: String) -> String {
    MessageDigest.sha256Hex(text)
  }
}
