public import CalotypeCaching
public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// The entries and snapshots of a ``PurgeLog`` as objects of a bucket: `<prefix>/v1/log/<20 digits>` and
/// `<prefix>/v1/log-snapshot/<20 digits>`.
///
/// The server must honour `If-None-Match` of writes, or the log needs another source of numbers, such as
/// ``RedisPurgeChannel``. A lifecycle rule of the bucket may remove objects below `<prefix>/v1/log` after 100 days; snapshots
/// hold what they said.
public final class BucketPurgeStore: PurgeLogStoring {
  private let client: BucketClient

  /// The most bytes of an entry, and of a snapshot.
  private static let (entryLimit, snapshotLimit) = (64 << 10, 64 << 20)
  /// The most pages of a listing that are read.
  private static let pageLimit = 16
  /// The most numbers of one call.
  private static let listLimit = 1_000
  private static let contentType = "application/json"

  /// Creates a store. It sends nothing yet.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - credentials: The keys to it.
  ///   - connections: The configuration of connections: certificates and proxies.
  public init(
    _ bucket: Bucket, credentials: BucketCredentials,
    connections: CurlLoader.Configuration = CurlLoader.Configuration()
  ) {
    let now: @Sendable () -> Date = { Date.now }
    client = BucketClient(
      bucket, credentials: CredentialStore(credentials, now: now), loader: connections,
      limits: BucketLimits(),
      now: now)
  }

  /// Sends two conditional writes of one new key, and deletes it.
  public func supportsConditionalWrites() async throws(CachingError) -> Bool {
    try await log("probe") { () throws(BucketError) in try await client.supportsConditionalWrites() }
  }

  /// Writes an entry, unless there is one of its number.
  ///
  /// - Throws: `CachingError.recordTooLarge` for more than 64 KiB; `CachingError.failed`; `CachingError.cancelled`.
  public func put(_ entry: Data, at number: Int) async throws(CachingError) -> Bool {
    guard entry.count <= Self.entryLimit else {
      throw .recordTooLarge(bytes: entry.count, limit: Self.entryLimit)
    }
    return try await log("put") { () throws(BucketError) in
      try await client.put(key(number), [entry], contentType: Self.contentType, if: .absent) == .written
    }
  }

  /// Returns the numbers of up to 1,000 entries. Foreign keys among them are passed over.
  ///
  /// - Throws: `CachingError.failed`; `CachingError.cancelled`.
  public func numbers(after number: Int) async throws(CachingError) -> [Int] {
    let folder = client.bucket.key("v1/log/")
    return try await log("list") { () throws(BucketError) in
      var numbers: [Int] = []
      var start = key(number)
      for _ in 0..<Self.pageLimit {
        let page = try await client.list(folder, after: start)
        numbers += page.objects.compactMap { Self.number($0.key.dropFirst(folder.count)) }
        guard page.isTruncated, numbers.count < Self.listLimit, let last = page.objects.last else { break }
        start = last.key
      }
      return Array(numbers.prefix(Self.listLimit))
    }
  }

  /// Returns an entry; `nil` if there is none.
  ///
  /// - Throws: `CachingError.failed`; `CachingError.cancelled`.
  public func entry(at number: Int) async throws(CachingError) -> Data? {
    try await log("get") { () throws(BucketError) in
      try await client.get(key(number), byteLimit: Self.entryLimit, isPatient: true)?.body
    }
  }

  /// Returns the newest snapshot, of at most 64 MiB, and its number; `nil` if there is none.
  ///
  /// - Throws: `CachingError.failed`; `CachingError.cancelled`.
  public func newestSnapshot() async throws(CachingError) -> (number: Int, bytes: Data)? {
    let folder = client.bucket.key("v1/log-snapshot/")
    return try await log("get") { () throws(BucketError) in
      var newest: (key: String, number: Int)?
      var start: String?
      for _ in 0..<Self.pageLimit {
        let page = try await client.list(folder, after: start)
        for object in page.objects {
          if let number = Self.number(object.key.dropFirst(folder.count)) { newest = (object.key, number) }
        }
        guard page.isTruncated, let last = page.objects.last else { break }
        start = last.key
      }
      guard let newest,
        let answer = try await client.get(newest.key, byteLimit: Self.snapshotLimit, isPatient: true)
      else { return nil }
      return (newest.number, answer.body)
    }
  }

  /// Writes a snapshot.
  ///
  /// - Throws: `CachingError.failed`; `CachingError.cancelled`.
  public func putSnapshot(_ bytes: Data, at number: Int) async throws(CachingError) {
    let key = client.bucket.key("v1/log-snapshot/\(Self.digits(number))")
    _ = try await log("put") { () throws(BucketError) in
      try await client.put(key, [bytes], contentType: Self.contentType)
    }
  }

  private func key(_ number: Int) -> String { client.bucket.key("v1/log/\(Self.digits(number))") }

  /// Numbers sort as texts.
  private static func digits(_ number: Int) -> String {
    let text = String(max(0, number))
    return String(repeating: "0", count: 20 - text.count) + text
  }

  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.count == 20, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text)
    else { return nil }
    return number <= PurgeTable.highestNumber ? number : nil
  }

  private func log<Result>(
    _ operation: String, _ body: () async throws(BucketError) -> Result
  ) async throws(CachingError) -> Result {
    do throws(BucketError) {
      return try await body()
    } catch {
      if error == .cancelled { throw .cancelled }
      throw .failed(
        operation: "\(operation) of the log of purges", reason: error.description,
        isRetryable: error.isRetryable)
    }
  }
}
