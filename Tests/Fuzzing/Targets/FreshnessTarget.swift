@testable import CalotypeCaching
import FoundationEssentials
import HTTPTypes

/// Reads the bytes as three headers, of a request, its response and a 304, apart at empty lines, and as what is stored.
enum FreshnessTarget {
  static func run(_ input: FuzzInput) throws {
    let text = String(decoding: input.bytes, as: UTF8.self)
    try readAgain(text)
    try FuzzFailure.unless(
      !FreshnessPolicy.clearsCache([text]) || text.contains("\""), "cleared by \(text.debugDescription)")
    var numbers = NumberReader(Array(input.bytes.reversed()))
    let policy = FreshnessPolicy(
      mode: input.choices.contains(.allowsPartial) ? .shared : .private,
      heuristicFraction: Double(bitPattern: numbers.integer(UInt64.self)),
      minLifetime: input.choices.contains(.shrinks) ? .seconds(numbers.integer(Int64.self)) : .zero,
      pinnedLifetime: input.choices.contains(.looksAround) ? .seconds(60) : nil)
    func time() -> Date {
      let near = 1_747_267_200 + Double(numbers.integer(Int16.self))
      return Date(
        timeIntervalSince1970: input.choices.contains(.isSlice)
          ? Double(bitPattern: numbers.integer(UInt64.self)) : near)
    }
    let heads = headers(of: input.bytes)
    let decision = policy.storeDecision(
      request: heads[0], status: [200, 404, Int(input.first)][Int(input.second % 3)], response: heads[1],
      requestTime: time(), responseTime: time())
    guard case .store(let stored) = decision else { return }
    try check(stored, policy, request: heads[0], moments: [time(), time(), time()])
    let again = policy.storeDecision(
      revalidating: stored, notModified: heads[2], request: heads[0], requestTime: time(),
      responseTime: time())
    guard case .store(let merged) = again else { return }
    try FuzzFailure.unless(
      StoredResponse.descriptiveNames.allSatisfy { merged.fields[$0] == stored.fields[$0] },
      "a 304 changed what the bytes are")
    try check(merged, policy, request: heads[0], moments: [time(), time()])
  }

  static func headers(of bytes: [UInt8]) -> [HTTPFields] {
    var headers = [HTTPFields(), HTTPFields(), HTTPFields()]
    var index = 0
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
      if line.isEmpty {
        index = min(index + 1, 2)
        continue
      }
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)), parts.count == 2 else {
        continue
      }
      headers[index].append(HTTPField(name: name, lenientValue: Array(parts[1])))
    }
    return headers
  }

  /// What is stored reads as what was written, ages, and is stale once it is stale.
  private static func check(
    _ stored: StoredResponse, _ policy: FreshnessPolicy, request: HTTPFields, moments: [Date]
  ) throws {
    let text = stored.text
    try FuzzFailure.unless(
      text.utf8.count <= StoredResponse.maxTextLength, "\(text.utf8.count) bytes of text")
    try FuzzFailure.unless(StoredResponse(text: text) == stored, "not read again: \(text.debugDescription)")
    try FuzzFailure.unless(
      !CacheControlHeader(response: stored.fields).noStore || stored.cacheControl.mustUnderstand,
      "stored no-store")
    // What is no number is any time.
    let moments = moments.filter { !$0.timeIntervalSince1970.isNaN }.sorted()
    let ages = moments.map { stored.currentAge(at: $0) }
    try FuzzFailure.unless(ages == ages.sorted() && ages.allSatisfy { $0 >= .zero }, "ages \(ages)")
    var wasStale = false
    for moment in moments {
      let decision = policy.decision(for: request, stored: stored, now: moment)
      if case .fresh(let until) = policy.decision(for: [:], stored: stored, now: moment) {
        try FuzzFailure.unless(!wasStale, "fresh again")
        try FuzzFailure.unless(
          until > moment || moment > Date(timeIntervalSince1970: 2e11), "fresh until \(until)")
      } else {
        wasStale = true
      }
      if case .revalidate(let fields) = decision {
        try FuzzFailure.unless(!fields.isEmpty, "a revalidation without conditions")
        try FuzzFailure.unless(fields[.ifNoneMatch] != "*", "a condition that everything meets")
      }
      _ = policy.mayServeOnError(stored, for: request, now: moment)
    }
  }

  private static func readAgain(_ text: String) throws {
    guard let stored = StoredResponse(text: text) else { return }
    try FuzzFailure.unless(stored.text.utf8.elementsEqual(text.utf8), "another text than was read")
  }
}
