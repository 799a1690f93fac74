public import CalotypeCaching
import CalotypeSupport
public import FoundationEssentials
public import HTTPTypes

/// The conditions and the range of a request, to evaluate against a current representation (RFC 9110 §13,
/// §14).
public struct Preconditions: Hashable, Sendable {
  /// The kind of response that the conditions ask for.
  public enum Outcome: Hashable, Sendable {
    /// The whole representation; for methods other than GET and HEAD, the method may be performed.
    case whole
    /// These bytes only, never none.
    case partial(Range<Int>)
    /// No content: the client has the representation.
    case notModified
    /// No effect: the representation is not the one that the client assumes.
    case preconditionFailed
    /// No content: no range lies in the representation.
    case rangeNotSatisfiable

    /// The status of the response.
    public var status: HTTPResponse.Status {
      switch self {
      case .whole: .ok
      case .partial: .partialContent
      case .notModified: .notModified
      case .preconditionFailed: .preconditionFailed
      case .rangeNotSatisfiable: .rangeNotSatisfiable
      }
    }

    /// Returns the `Content-Range` of the response (RFC 9110 §14.4); `nil` if it has none.
    ///
    /// - Parameter length: The length of the whole representation.
    public func contentRange(length: Int) -> String? {
      switch self {
      case .partial(let range): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(max(0, length))"
      case .rangeNotSatisfiable: "bytes */\(max(0, length))"
      case .whole, .notModified, .preconditionFailed: nil
      }
    }
  }

  /// The method of the request.
  public let method: HTTPRequest.Method
  /// The fields of the request.
  public let fields: HTTPFields

  /// Creates the conditions of a request.
  public init(method: HTTPRequest.Method, fields: HTTPFields) {
    self.method = method
    self.fields = fields
  }

  /// Evaluates the conditions in the order of RFC 9110 §13.2.2; O(length of the fields).
  ///
  /// Malformed fields and dates are ignored, except that a malformed list of entity tags matches nothing.
  ///
  /// - Parameters:
  ///   - entityTag: The tag of the representation, if it has one.
  ///   - lastModified: The date of its last change, if known.
  ///   - length: Its length in bytes.
  ///   - now: The current time.
  public func outcome(entityTag: EntityTag?, lastModified: Date?, length: Int, now: Date) -> Outcome {
    // These methods select no representation (RFC 9110 §13.2.1).
    if [.connect, .options, .trace].contains(method) { return .whole }
    let reads = method == .get || method == .head
    let now = now.wholeSeconds ?? 0
    let modified = lastModified?.wholeSeconds

    if let list = EntityTagList(values: fields[values: .ifMatch]) {
      guard list.matchesStrongly(entityTag) else { return .preconditionFailed }
    } else if let modified, let date = date(of: .ifUnmodifiedSince, now: now), modified > date {
      return .preconditionFailed
    }
    if let list = EntityTagList(values: fields[values: .ifNoneMatch]) {
      if list.matchesWeakly(entityTag) { return reads ? .notModified : .preconditionFailed }
    } else if reads, let modified, let date = date(of: .ifModifiedSince, now: now), modified <= date {
      return .notModified
    }
    guard rangeApplies(entityTag: entityTag, modified: modified, now: now) else { return .whole }
    return rangeOutcome(length: max(0, length))
  }

  /// Returns whether the method has ranges and `If-Range` holds or is absent (RFC 9110 §13.1.5).
  private func rangeApplies(entityTag: EntityTag?, modified: Int?, now: Int) -> Bool {
    guard method == .get else { return false }
    guard let condition = fields[.ifRange] else { return true }
    if let tag = EntityTag(condition) { return entityTag?.matchesStrongly(tag) ?? false }
    // In the second of the last change another one may follow: the date is a weak validator (RFC 9110
    // §8.8.2.2).
    guard let modified, modified < now else { return false }
    return date(of: .ifRange, now: now) == modified
  }

  private func rangeOutcome(length: Int) -> Outcome {
    // `Range` is not a list field: several lines are malformed.
    let values = fields[values: .range]
    guard values.count == 1, let ranges = ByteRangeSet(values[0]) else { return .whole }
    return switch ranges.selection(length: length) {
    case .whole: .whole
    case .part(let part): .partial(part)
    case .none: .rangeNotSatisfiable
    }
  }

  /// Returns the date of a field in seconds since 1970; `nil` if it has none, is malformed or has several
  /// lines.
  private func date(of name: HTTPField.Name, now: Int) -> Int? {
    fields[name].flatMap { HTTPDate($0, now: now) }?.secondsSince1970
  }
}

extension Date {
  /// The date with the precision of HTTP, in seconds since 1970; `nil` if it is beyond `Int`.
  fileprivate var wholeSeconds: Int? { Int(exactly: timeIntervalSince1970.rounded(.down)) }
}
