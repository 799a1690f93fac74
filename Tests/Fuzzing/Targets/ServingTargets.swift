@testable import Calotype
import CalotypeCaching
import CalotypeImaging
import FoundationEssentials
import HTTPTypes

/// Reads the bytes as the header of a client's request, and answers it for representations of several lengths.
enum ConditionTarget {
  static func run(_ input: FuzzInput) throws {
    var numbers = NumberReader(Array(input.bytes.reversed()))
    let text = String(decoding: input.bytes, as: UTF8.self)
    let fields = FreshnessTarget.headers(of: input.bytes)[0]
    let method: HTTPRequest.Method = input.choices.contains(.shrinks) ? .head : .get
    let conditions = Preconditions(method: method, fields: fields)
    let near = Date(timeIntervalSince1970: 1_747_267_200 + Double(numbers.integer(Int16.self)))
    let modified =
      input.choices.contains(.isSlice)
      ? Date(timeIntervalSince1970: Double(bitPattern: numbers.integer(UInt64.self))) : near
    for length in [0, 1, Int(input.first), numbers.integer(Int.self)] {
      for tag in [nil, EntityTag("\"a\""), EntityTag(text)] {
        let outcome = conditions.outcome(entityTag: tag, lastModified: modified, length: length, now: near)
        try check(outcome, fields, method, length)
      }
    }
  }

  private static func check(
    _ outcome: Preconditions.Outcome, _ fields: HTTPFields, _ method: HTTPRequest.Method, _ length: Int
  ) throws {
    switch outcome {
    case .whole: break
    case .partial(let range):
      try FuzzFailure.unless(
        method == .get && fields.contains(.range) && !range.isEmpty && range.lowerBound >= 0
          && range.upperBound <= length, "\(range) of \(length)")
    case .notModified:
      try FuzzFailure.unless(
        fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince), "304 without a condition")
    case .preconditionFailed:
      try FuzzFailure.unless(
        fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince), "412 without a condition")
    case .rangeNotSatisfiable:
      try FuzzFailure.unless(method == .get && fields.contains(.range), "416 without a range")
    }
  }
}

/// Reads the bytes as an `Accept` field, and negotiates by it.
enum AcceptTarget {
  private static let candidates: [EncodeOptions] = [.webp(), .png, .jpeg(), .gif]

  static func run(_ input: FuzzInput) throws {
    let text = String(decoding: input.bytes, as: UTF8.self)
    let count = 1 + Int(input.first) % candidates.count
    let some = Array(candidates[..<count])
    let content = OutputNegotiation.Content(
      hasAlpha: input.choices.contains(.shrinks), isAnimated: input.choices.contains(.isSlice),
      isDrawing: input.choices.contains(.looksAround))
    guard let outcome = OutputNegotiation(accept: text, among: some).outcome(for: content) else {
      throw FuzzFailure("no outcome for \(text)")
    }
    try FuzzFailure.unless(some.contains(outcome.options), "an outcome that is no candidate")
    guard !outcome.variesOnAccept else { return }
    let other = OutputNegotiation(accept: nil, among: some).outcome(for: content)
    try FuzzFailure.unless(
      outcome.options == other?.options, "another outcome without the field, but no Vary")
  }
}

/// Reads the bytes as integrity metadata, and writes it again.
enum DigestTarget {
  static func run(_ input: FuzzInput) throws {
    guard let digest = ExpectedDigest(String(decoding: input.bytes, as: UTF8.self)) else { return }
    try FuzzFailure.unless(
      ExpectedDigest(digest.description) == digest, "\(digest.description) does not read back")
  }
}
