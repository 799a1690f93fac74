import FoundationEssentials
import HTTPTypes
import Testing

@testable import Calotype

/// A request against a representation of 100 bytes with the tag `"a"`, changed at ``changed`` and asked for
/// a day later.
struct ConditionalRequest: CustomTestStringConvertible, Sendable {
  static let changed = 784_111_777.0

  let testDescription: String
  let method: HTTPRequest.Method
  let fields: HTTPFields
  let tag: String?
  let modified: Double?
  let length: Int
  let now: Double
  let expected: Preconditions.Outcome

  init(
    _ name: String, _ fields: HTTPFields, _ expected: Preconditions.Outcome,
    method: HTTPRequest.Method = .get,
    tag: String? = "\"a\"", modified: Double? = Self.changed, length: Int = 100,
    now: Double = Self.changed + 86_400
  ) {
    (testDescription, self.method, self.fields, self.expected) = (name, method, fields, expected)
    (self.tag, self.modified, self.length, self.now) = (tag, modified, length, now)
  }

  func check() {
    let outcome = Preconditions(method: method, fields: fields).outcome(
      entityTag: tag.flatMap { EntityTag($0) },
      lastModified: modified.map { Date(timeIntervalSince1970: $0) },
      length: length, now: Date(timeIntervalSince1970: now))
    #expect(outcome == expected)
  }
}
