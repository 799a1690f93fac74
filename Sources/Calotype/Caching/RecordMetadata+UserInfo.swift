import CalotypeCaching

extension RecordMetadata {
  /// Distinguishes the values of requests from those of the pipeline.
  private static let prefix = "user "

  /// The values that requests store with an entry: ``ImageRequest/userInfo``.
  var userInfo: [String: String] {
    Dictionary(
      uniqueKeysWithValues: user.filter { $0.key.hasPrefix(Self.prefix) }
        .map { (String($0.key.dropFirst(Self.prefix.count)), $0.value) })
  }

  /// Adds values; those that are there stay.
  mutating func add(userInfo: [String: String]) {
    for (name, value) in userInfo where user[Self.prefix + name] == nil { user[Self.prefix + name] = value }
  }
}
