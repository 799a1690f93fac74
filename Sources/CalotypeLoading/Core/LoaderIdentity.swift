import CalotypeSupport

/// Builds the texts that identify loaders from named parts.
package enum LoaderIdentity {
  /// Joins parts, each after its length, so that different parts never give the same text. Empty parts are left out; no
  /// parts give an empty text.
  static func text(_ parts: KeyValuePairs<String, String>) -> String {
    parts.filter { !$0.value.isEmpty }
      .map { "\($0.key) \($0.value.utf8.count) \($0.value)\n" }.joined()
  }

  /// Joins the parts of a list; empty when all of them are empty.
  static func text(_ parts: [String]) -> String {
    parts.allSatisfy(\.isEmpty) ? "" : parts.map { "\($0.utf8.count) \($0)\n" }.joined()
  }

  /// SHA-256 of a text as 64 hexadecimal digits: represents secrets.
  package static func digest(_ text: String) -> String {
    MessageDigest.sha256Hex(text)
  }
}
