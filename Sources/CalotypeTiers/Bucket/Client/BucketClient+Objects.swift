import CalotypeLoading
import FoundationEssentials
import HTTPTypes

extension BucketClient {
  /// The condition of a `PUT` (Amazon S3 User Guide, "Conditional writes").
  enum Condition: Hashable, Sendable {
    /// There is no object of the key: `If-None-Match: *`.
    case absent
    /// The object has this `ETag`: `If-Match`.
    case matches(String)
  }

  /// The outcome of a conditional `PUT`.
  enum WriteOutcome: Hashable, Sendable {
    case written
    /// The condition did not hold (412), or another write was in progress (409).
    case refused
  }

  /// Returns an object, or a part of it; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - range: The first and the last byte of a part; `nil` for the whole.
  ///   - byteLimit: The most bytes to accept.
  ///   - isPatient: Whether the answer may take as long as a write.
  func get(
    _ key: String, range: ClosedRange<Int>? = nil, byteLimit: Int, isPatient: Bool = false
  ) async throws(BucketError) -> BucketAnswer? {
    var call = BucketCall(method: .get, key: key, byteLimit: max(byteLimit, ErrorDocument.maxLength))
    call.isPatient = isPatient
    if let range { call.fields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound)" }
    let answer = try await send(call)
    switch answer.status {
    case 200, 206:
      guard answer.body.count <= byteLimit else { throw .malformedAnswer(reason: "it is too long") }
      guard let range else { return answer }
      if answer.status == 200 { return Self.cut(answer, to: range) }
      guard answer.fields[.contentRange]?.hasPrefix("bytes \(range.lowerBound)-") == true,
        answer.body.count <= range.count
      else { throw .malformedAnswer(reason: "it is another part") }
      return answer
    case 404: return nil
    default: throw answer.error
    }
  }

  /// The part of a whole answer, from a server that ignores ranges.
  private static func cut(_ answer: BucketAnswer, to range: ClosedRange<Int>) -> BucketAnswer {
    let part = answer.body.dropFirst(range.lowerBound).prefix(range.count)
    return BucketAnswer(status: 206, fields: answer.fields, body: Data(part))
  }

  /// Returns the header fields of an object; `nil` when there is none.
  func head(_ key: String) async throws(BucketError) -> HTTPFields? {
    let answer = try await send(BucketCall(method: .head, key: key))
    if answer.isSuccess { return answer.fields }
    if answer.status == 404 { return nil }
    throw answer.error
  }

  /// Writes an object in one request.
  @discardableResult
  func put(
    _ key: String, _ content: [Data], contentType: String, fields: HTTPFields = HTTPFields(),
    if condition: Condition? = nil
  ) async throws(BucketError) -> WriteOutcome {
    var call = BucketCall(method: .put, key: key, fields: fields, content: content)
    call.fields[.contentType] = contentType
    switch condition {
    case .absent: call.fields[.ifNoneMatch] = "*"
    case .matches(let tag): call.fields[.ifMatch] = tag
    case nil: break
    }
    let answer = try await send(call)
    if answer.isSuccess { return .written }
    if condition != nil, answer.status == 412 || answer.status == 409 { return .refused }
    throw answer.error
  }

  /// Deletes an object. A missing one is no error.
  func delete(_ key: String) async throws(BucketError) {
    var call = BucketCall(method: .delete, key: key)
    call.isPatient = true
    let answer = try await send(call)
    guard answer.isSuccess || answer.status == 404 else { throw answer.error }
  }

  /// Returns one page of the keys that begin with `prefix`, in ascending order.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the keys.
  ///   - start: The key after which the page begins; `nil` for the first.
  ///   - limit: The most objects, from 1 to 1,000.
  func list(
    _ prefix: String, after start: String? = nil, limit: Int = BucketListing.maxCount
  ) async throws(BucketError) -> BucketListing {
    var call = BucketCall(method: .get, byteLimit: XMLReader.maxLength)
    call.isPatient = true
    call.query = [
      ("list-type", "2"), ("prefix", prefix), ("max-keys", "\(min(max(1, limit), BucketListing.maxCount))"),
    ]
    if let start { call.query.append(("start-after", start)) }
    let answer = try await send(call)
    guard answer.isSuccess else { throw answer.error }
    do {
      return try BucketListing([UInt8](answer.body), prefix: prefix, after: start)
    } catch {
      throw .malformedAnswer(reason: error.reason)
    }
  }

  /// Returns whether the server honours conditions of writes, by two conditional writes of one new key.
  func supportsConditionalWrites() async throws(BucketError) -> Bool {
    let key = bucket.key("v1/probe/\(UInt64.random(in: 0 ... .max))")
    let content = [Data("probe".utf8)]
    do {
      guard try await put(key, content, contentType: "text/plain", if: .absent) == .written else {
        return false
      }
    } catch .refused(501, _, _, _) {
      return false
    }
    let isHonoured: Bool
    do {
      isHonoured = try await put(key, content, contentType: "text/plain", if: .absent) == .refused
    } catch .refused(501, _, _, _) {
      isHonoured = false
    }
    // A probe that remains is harmless.
    try? await delete(key)
    return isHonoured
  }
}
