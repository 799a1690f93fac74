import CalotypeCaching
package import CalotypeLoading
import CalotypeSupport
package import FoundationEssentials
import HTTPTypes

/// The records of a part of a bucket, for copies: no caller waits for them, so requests have patience and are tried again.
package final class BucketTier: RecordTier {
  private let folder: Bucket.Folder
  private let client: BucketClient
  private let clock: any Clock<Duration>
  private let random: @Sendable () -> Double
  private let state = Lock(Features())

  /// The abilities that the server has turned out to lack.
  private struct Features {
    var honoursConditions = true
  }

  /// The bytes of the first request for a header. Most headers are shorter, and small records come whole.
  private static let headLength = 8 << 10

  /// - Parameters:
  ///   - bucket: The bucket and the prefix.
  ///   - credentials: Where its keys come from.
  ///   - folder: The part of the bucket.
  ///   - connections: Certificates, proxies and the number of connections.
  ///   - limit: The time of one request, in addition to that of its bytes.
  ///   - now: The wall clock, for signatures.
  ///   - clock: The clock of tries.
  ///   - random: Numbers from 0 to 1, for the jitter of tries.
  package init(
    _ bucket: Bucket, credentials: BucketCredentials, folder: Bucket.Folder,
    connections: CurlLoader.Configuration = CurlLoader.Configuration(), limit: Duration = .seconds(20),
    now: @escaping @Sendable () -> Date = { Date.now }, clock: any Clock<Duration> = ContinuousClock(),
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.folder = folder
    self.clock = clock
    self.random = random
    var limits = BucketLimits()
    (limits.head, limits.bodyBase, limits.write) = (limit, limit, limit)
    limits.bytesPerSecond = 64 << 10
    client = BucketClient(
      bucket, credentials: CredentialStore(credentials, now: now), loader: connections, limits: limits,
      now: now)
  }

  package var isShared: Bool { true }
  /// That of `BucketCache`, which would not read longer ones.
  package var recordLimit: Int { BucketCache.Configuration().recordLimit }

  package func page(after position: String?) async throws -> (items: [RecordItem], next: String?) {
    let prefix = client.bucket.key("v1/\(folder.rawValue)/")
    let page = try await retrying { () async throws(BucketError) in
      try await self.client.list(prefix, after: position)
    }
    let items = page.objects.compactMap { object in
      Self.digest(of: object.key.dropFirst(prefix.count)).map {
        RecordItem(digest: $0, bytes: object.size, head: nil)
      }
    }
    return (items, page.isTruncated ? page.objects.last?.key : nil)
  }

  /// The digest of `ab/cd/<60 digits>`; `nil` for any other key.
  static func digest(of name: Substring) -> String? {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isDigit = { (byte: UInt8) in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard parts.map(\.count) == [2, 2, 60], parts.allSatisfy({ $0.allSatisfy(isDigit) }) else { return nil }
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined()
  }

  package func place(_ digest: String) -> String {
    "s3://\(client.bucket.name)/\(client.bucket.objectKey(digest: digest, in: folder))"
  }

  package func head(_ digest: String) async throws -> RecordHead? { try await readHead(digest) }

  private func readHead(_ digest: String) async throws(BucketError) -> RecordHead? {
    let lengths = [Self.headLength, RecordHeader.maxLength]
    for (index, length) in lengths.enumerated() {
      guard let answer = try await beginning(digest, length) else { return nil }
      let count = Self.wholeLength(answer)
      let head = RecordHead(answer.body, of: count, digest: digest, tag: answer.fields[.eTag])
      if head != nil || count <= length || index == lengths.count - 1 { return head }
    }
    return nil
  }

  private func beginning(_ digest: String, _ length: Int) async throws(BucketError) -> BucketAnswer? {
    do throws(BucketError) {
      return try await get(digest, range: 0...(length - 1))
    } catch {
      // An object without bytes.
      if case .refused(416, _, _, _) = error { return nil }
      throw error
    }
  }

  /// The length of the object that an answer has a part of, or all.
  private static func wholeLength(_ answer: BucketAnswer) -> Int {
    if let range = answer.fields[.contentRange], let slash = range.lastIndex(of: "/"),
      let count = Int(range[range.index(after: slash)...]), count >= 0
    {
      return count
    }
    return answer.fields[.contentLength].flatMap { Int($0) } ?? answer.body.count
  }

  package func record(_ digest: String) async throws -> StoredRecord? {
    guard let answer = try await get(digest, range: nil) else { return nil }
    return try StoredRecord(answer.body, digest: digest)
  }

  private func get(_ digest: String, range: ClosedRange<Int>?) async throws(BucketError) -> BucketAnswer? {
    let key = client.bucket.objectKey(digest: digest, in: folder)
    let limit = recordLimit
    return try await retrying { () async throws(BucketError) in
      try await self.client.get(key, range: range, byteLimit: limit, isPatient: true)
    }
  }

  /// Writes an object, under the condition that the one before is still the same, where the server has conditions.
  package func store(
    _ record: StoredRecord, digest: String, over previous: RecordHead?
  ) async throws -> RecordStoring {
    let key = client.bucket.objectKey(digest: digest, in: folder)
    var condition: BucketClient.Condition?
    if state.withLock({ $0.honoursConditions }) {
      condition = previous == nil ? .absent : previous?.tag.map { .matches($0) }
    }
    do throws(BucketError) {
      if try await put(key, record.bytes, condition) == .written { return .stored }
      // An object that is no record is no reason to keep out one.
      guard previous == nil, try await readHead(digest) == nil, let tag = try await client.head(key)?[.eTag]
      else { return .superseded }
      return try await put(key, record.bytes, .matches(tag)) == .written ? .stored : .superseded
    } catch {
      guard condition != nil, case .refused(let status, _, _, _) = error, status == 501 || status == 400
      else { throw error }
      state.withLock { $0.honoursConditions = false }
      return try await put(key, record.bytes, nil) == .written ? .stored : .superseded
    }
  }

  private func put(
    _ key: String, _ bytes: Data, _ condition: BucketClient.Condition?
  ) async throws(BucketError) -> BucketClient.WriteOutcome {
    try await retrying { () async throws(BucketError) in
      try await self.client.put(
        key, [bytes], contentType: BucketWriter.contentType, fields: BucketWriter.fields, if: condition)
    }
  }

  package func close() async throws { await client.shutDown() }

  private func retrying<Result: Sendable>(
    _ request: () async throws(BucketError) -> Result
  ) async throws(BucketError) -> Result {
    let retry = WriteRetry()
    let elapsed = clock.stopwatch
    var tried = 0
    while true {
      do throws(BucketError) {
        return try await request()
      } catch {
        tried += 1
        guard error != .cancelled, !Task.isCancelled,
          let next = retry.next(
            after: error, tried: tried, now: elapsed(), deadline: .seconds(120), random: random())
        else { throw error }
        guard (try? await clock.sleep(for: next - elapsed())) != nil else { throw .cancelled }
      }
    }
  }
}
