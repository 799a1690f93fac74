import CalotypeURLs

/// Signatures.
enum SignatureCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let values = Words(vector.input).values
    if vector.expected.hasPrefix("start-up error") { return startUp(values) }
    let (keys, salts) = (texts(values["keys"] ?? values["key"]), texts(values["salts"] ?? values["salt"]))
    let pairs = try zip(keys, salts).enumerated().map { index, pair in
      try URLSignature.Key(id: "\(index + 1)", key: pair.0, salt: pair.1)
    }
    let signature = try URLSignature(
      keys: pairs, size: values["size"].flatMap { Int($0) } ?? 32,
      trusted: (values["trusted"] ?? "").split(separator: ",").map(String.init))
    if let request = values["request"] {
      let dialect = try ImgproxyDialect.with { $0.signature = signature }
      let target = request.hasPrefix("/") ? request : "/" + request
      return answer(ImgproxyDialect.status { _ = try dialect.parse(target) }, vector.expected)
    }
    guard let path = values["path"] else { return .refused("no path") }
    guard let text = values["signature"] else {
      return .answer(signature.sign(path), expected: vector.expected.prefix(before: " "))
    }
    return answer(ImgproxyDialect.status { _ = try signature.verify(text, of: path) }, vector.expected)
  }

  private static func answer(_ status: Int, _ expected: String) -> ConformanceVerdict {
    let isRefused =
      expected.hasPrefix("invalid") || expected.hasPrefix("403")
      || expected.contains("a strict server should refuse")
    return .answer(status == 200 ? "valid" : "invalid → \(status)", agrees: status == (isRefused ? 403 : 200))
  }

  /// Counts of keys and salts, or a size, that no server starts with.
  private static func startUp(_ values: [String: String]) -> ConformanceVerdict {
    func pairs(_ name: String) -> String {
      guard let text = values[name] else { return "00" }
      guard let count = Int(text), count <= 64 else { return text }
      return Array(repeating: "00", count: count).joined(separator: ",")
    }
    let status = ImgproxyDialect.status {
      _ = try URLSignature(
        hexKeys: pairs("keys"), hexSalts: pairs("salts"), size: values["size"].flatMap { Int($0) } ?? 32)
    }
    return .answer(status == 200 ? "started" : "start-up error", agrees: status != 200)
  }

  /// Reads `utf8:a,b` or `hex:00,01`.
  private static func texts(_ value: String?) -> [[UInt8]] {
    guard let value else { return [] }
    let kind = ["utf8:", "hex:"].first { value.hasPrefix($0) } ?? ""
    return value.dropFirst(kind.count).split(separator: ",").map { VectorBytes.read(kind + $0) }
  }
}
