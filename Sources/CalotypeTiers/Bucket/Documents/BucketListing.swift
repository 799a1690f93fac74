/// A page of a listing (Amazon S3 API Reference, `ListObjectsV2`).
struct BucketListing: Equatable, Sendable {
  /// An object of the page.
  struct Object: Equatable, Sendable {
    var key: String
    /// In bytes.
    var size: Int
  }

  /// In ascending order of their keys, byte by byte.
  private(set) var objects: [Object] = []
  /// Whether there are more, after the last one.
  private(set) var isTruncated = false

  /// The most objects of a page.
  static let maxCount = 1_000
  /// The longest key of S3, in bytes.
  static let maxKeyLength = 1_024

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - prefix: The beginning of all keys.
  ///   - start: The key after which the listing begins; `nil` for none.
  /// - Throws: ``XMLReader/Malformed``, also when keys are not those that were asked for.
  init(_ bytes: [UInt8], prefix: String, after start: String?) throws(XMLReader.Malformed) {
    var reader = try XMLReader(bytes)
    var path: [String] = []
    var object = (key: "", size: "")
    var truncated = ""
    while let event = try reader.next() {
      switch event {
      case .start(let name):
        path.append(name)
        if path.count == 1, name != "ListBucketResult" { throw XMLReader.Malformed(reason: "not a listing") }
        if path.count == 2, name == "Contents" { object = ("", "") }
      case .text(let text):
        switch path {
        case ["ListBucketResult", "IsTruncated"]: truncated += text
        case ["ListBucketResult", "Contents", "Key"]: object.key += text
        case ["ListBucketResult", "Contents", "Size"]: object.size += text
        default: break
        }
      case .end:
        if path == ["ListBucketResult", "Contents"] {
          try add(object.key, object.size, prefix: prefix, after: objects.last?.key ?? start)
        }
        path.removeLast()
      }
    }
    isTruncated = truncated.utf8.elementsEqual("true".utf8)
    // Otherwise the next page would be the same one.
    if isTruncated, objects.isEmpty { throw XMLReader.Malformed(reason: "an empty page with more behind it") }
  }

  private mutating func add(
    _ key: String, _ size: String, prefix: String, after previous: String?
  ) throws(XMLReader.Malformed) {
    guard objects.count < Self.maxCount else { throw XMLReader.Malformed(reason: "too many objects") }
    guard !key.isEmpty, key.utf8.count <= Self.maxKeyLength, key.utf8.starts(with: prefix.utf8) else {
      throw XMLReader.Malformed(reason: "a key that was not asked for")
    }
    if let previous, !previous.utf8.lexicographicallyPrecedes(key.utf8) {
      throw XMLReader.Malformed(reason: "keys out of order")
    }
    guard let size = Int(size), size >= 0 else {
      throw XMLReader.Malformed(reason: "a size that is no number")
    }
    objects.append(Object(key: key, size: size))
  }
}
