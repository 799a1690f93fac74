import CalotypeCaching

/// The condition of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
enum EntityTagList: Hashable, Sendable {
  /// Any current representation: `*`.
  case any
  /// A representation with one of these tags; none for a malformed list.
  case tags([EntityTag])

  /// Longer lists count as malformed.
  private static let maxTags = 256

  /// Reads the lines of a field; `nil` if there are none. O(length).
  ///
  /// A malformed list matches nothing: `If-Match` then prevents a change, and `If-None-Match` prevents no
  /// response.
  init?(values: [String]) {
    if values.isEmpty { return nil }
    var tags: [EntityTag] = []
    var hasStar = false
    for value in values {
      for element in FieldElements(value, quoting: .entityTags) {
        let text = String(decoding: element, as: UTF8.self)
        if text == "*", !hasStar, tags.isEmpty {
          hasStar = true
        } else if !hasStar, tags.count < Self.maxTags, let tag = EntityTag(text) {
          tags.append(tag)
        } else {
          self = .tags([])
          return
        }
      }
    }
    self = hasStar ? .any : .tags(tags)
  }

  /// Returns whether the list includes a tag by the strong comparison (RFC 9110 §8.8.3.2).
  func matchesStrongly(_ tag: EntityTag?) -> Bool { matches(tag) { $0.matchesStrongly($1) } }

  /// Returns whether the list includes a tag by the weak comparison.
  func matchesWeakly(_ tag: EntityTag?) -> Bool { matches(tag) { $0.matchesWeakly($1) } }

  private func matches(_ tag: EntityTag?, by comparison: (EntityTag, EntityTag) -> Bool) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tag.map { tag in tags.contains { comparison($0, tag) } } ?? false
    }
  }
}
