import CalotypeCaching

extension Bucket {
  /// The part of a bucket that a cache uses. Each has its own lifetime, by a lifecycle rule of the bucket.
  public enum Folder: String, Hashable, Sendable {
    /// Originals, in `<prefix>/v1/o/`; a lifetime of 90 days is appropriate.
    case originals = "o"
    /// Results, in `<prefix>/v1/r/`; a lifetime of 30 days is appropriate.
    case results = "r"
  }

  /// The key of an object: `<prefix>/v1/o/ab/cd/<60 digits>`.
  func objectKey(_ key: CacheKey, in folder: Folder) -> String {
    objectKey(digest: key.hexDigest, in: folder)
  }

  /// The key of the object of a digest of 64 digits.
  func objectKey(digest digits: String, in folder: Folder) -> String {
    let (second, third) = (
      digits.index(digits.startIndex, offsetBy: 2), digits.index(digits.startIndex, offsetBy: 4)
    )
    return self.key(
      "v1/\(folder.rawValue)/\(digits[..<second])/\(digits[second..<third])/\(digits[third...])")
  }
}
