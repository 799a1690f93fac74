import CalotypeURLs
import Synchronization

/// Requests whose URLs were read, verified and allowed before, by their text: popular images are asked for again and again.
///
/// Only those whose reading does not depend on the time are kept. The number and the length of texts are bounded; the older half
/// makes room.
final class PreparedRequests: Sendable {
  /// What follows from the text of a request and from the rules.
  struct Prepared: Sendable {
    let request: ImgproxyRequest
    let source: SourceReference
    let identity: ResultIdentity
    let named: NamedSources
    let replies: ReplyMemo
  }

  /// The text of a request, as far as its answer depends on it.
  struct Key: Hashable, Sendable {
    let path: String
    let accept: String
  }

  fileprivate struct State: Sendable {
    var young: [Key: Prepared] = [:]
    var old: [Key: Prepared] = [:]
  }

  /// The most requests of a half.
  static let capacity = 512
  /// The most bytes of a text.
  static let maximumLength = 1024

  private let state = Mutex(State())

  /// The number of requests that are kept.
  var count: Int { state.withLock { $0.young.count + $0.old.count } }

  /// A request that was kept.
  subscript(key: Key) -> Prepared? {
    state.withLock { state in
      if let known = state.young[key] { return known }
      guard let known = state.old[key] else { return nil }
      state.insert(known, for: key)
      return known
    }
  }

  /// Keeps a request, unless its text is long.
  func keep(_ prepared: Prepared, for key: Key) {
    guard key.path.utf8.count + key.accept.utf8.count <= Self.maximumLength else { return }
    state.withLock { $0.insert(prepared, for: key) }
  }
}

extension PreparedRequests.State {
  fileprivate mutating func insert(_ prepared: PreparedRequests.Prepared, for key: PreparedRequests.Key) {
    if young.count >= PreparedRequests.capacity {
      old = young
      young = [:]
    }
    young[key] = prepared
  }
}
