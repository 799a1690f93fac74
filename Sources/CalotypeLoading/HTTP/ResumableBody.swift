import CDeflate
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// A body that resumes when its connection breaks, and stores its bytes when it ends early.
///
/// An actor, so that its state needs no lock while requests are made; it has one consumer anyway. Only cancellation may
/// be called at any time; it goes directly to the current source of bytes.
actor ResumableBody: LoadBody.Producing {
  /// The facts about the bytes of a response.
  struct Subject: Sendable {
    /// The URL of the bytes, after redirects.
    let url: URL
    let total: Int?
    /// The strong validator, if the bytes are sent as they are.
    let etag: String?
    let acceptsRanges: Bool

    /// `nil` if there is no body to resume.
    init?(_ response: LoadResponse) {
      guard response.status != 304, response.status != 204 else { return nil }
      url = response.url
      total = response.expectedLength
      let isPlain = response.headers[.contentEncoding].map { $0.lowercased() == "identity" } ?? true
      etag = isPlain ? response.validators?.strong : nil
      // The common case; a string search would cost more than all the rest here.
      let ranges = response.headers[.acceptRanges] ?? ""
      acceptsRanges = ranges == "bytes" || ranges.lowercased().contains("bytes")
    }

    /// Whether the server can send the rest of exactly these bytes.
    var isResumable: Bool { etag != nil && acceptsRanges }
  }

  private let subject: Subject
  private let attempts: LoadAttempts
  /// The current source of bytes; `nil` after the end.
  private let source: Lock<Source>
  /// Bytes that were delivered, and their checksum.
  private var delivered = 0
  private var checksum: UInt32 = 0
  /// For a body that began anew: the bytes that were delivered before, and the checksum of those received so far.
  private var repeated = (left: 0, checksum: UInt32(0))
  /// Bytes of the file that are still to be delivered.
  private var kept: Int

  private struct Source {
    var claim: LoadBody.Claim?
    /// The file that stores the bytes until the body is complete. It is locked meanwhile.
    var partial: PartialFile?
    var isCancelled = false
    /// The metrics of the earlier requests.
    var bytesBefore = 0
  }

  /// - Parameters:
  ///   - response: The response, whose body is taken over.
  ///   - partial: The file that stores the bytes until the body is complete.
  ///   - resumedAt: The number of bytes in the file, which are delivered first.
  init(
    _ response: LoadResponse, of subject: Subject, attempts: LoadAttempts, partial: PartialFile?,
    resumedAt: Int = 0
  ) {
    self.subject = subject
    self.attempts = attempts
    kept = resumedAt
    source = Lock(Source(claim: response.body.claim(), partial: partial))
  }

  func next() async throws -> Data? {
    do {
      return try await nextChunk()
    } catch {
      partial?.release()
      throw error
    }
  }

  private func nextChunk() async throws -> Data? {
    while true {
      try Task.checkCancellation()
      if kept > 0 {
        if let chunk = try await nextKept() { return chunk }
        continue
      }
      guard let claim = source.withLock({ $0.claim }) else { return nil }
      let chunk: Data?
      do {
        chunk = try await claim.next()
      } catch let error as LoadingError {
        try await reopen(after: error)
        continue
      }
      guard let chunk else { return try await end() }
      if let fresh = try fresh(of: chunk) { return try await deliver(fresh) }
    }
  }

  nonisolated func cancel() {
    let (claim, partial) = source.withLock { source in
      source.isCancelled = true
      return (source.claim, source.partial.take())
    }
    claim?.cancel()
    partial?.release()
  }

  nonisolated var metrics: LoadResponse.Metrics? {
    let (claim, before) = source.withLock { ($0.claim, $0.bytesBefore) }
    guard var metrics = claim?.metrics else { return nil }
    metrics.attempts = attempts.count
    metrics.bytesReceived += before
    return metrics
  }

  private var partial: PartialFile? { source.withLock { $0.partial } }

  private var isCancelled: Bool { source.withLock { $0.isCancelled } }

  // MARK: Delivery

  private func nextKept() async throws -> Data? {
    if let partial, let chunk = await partial.next(atMost: kept) {
      kept -= chunk.count
      try note(chunk)
      return chunk
    }
    try Task.checkCancellation()
    // The disk failed: the server sends these bytes from here on.
    kept = 0
    await source.withLock { $0.partial.take() }?.discard()
    try await reopen(after: nil)
    return nil
  }

  /// Returns the part of a chunk that was not delivered before.
  private func fresh(of chunk: Data) throws(LoadingError) -> Data? {
    guard repeated.left > 0 else { return chunk }
    let old = chunk.prefix(repeated.left)
    repeated.checksum = Self.checksum(old, after: repeated.checksum)
    repeated.left -= old.count
    guard repeated.left == 0 else { return nil }
    guard repeated.checksum == checksum else {
      throw .contentChanged(subject.url, received: delivered)
    }
    return old.count == chunk.count ? nil : Data(chunk.dropFirst(old.count))
  }

  private func deliver(_ chunk: Data) async throws -> Data {
    try note(chunk)
    await partial?.append(chunk)
    return chunk
  }

  private func note(_ chunk: Data) throws(LoadingError) {
    // The transport limits each response separately, and does not count stored bytes.
    let request = attempts.request
    guard chunk.count <= request.byteLimit - delivered else {
      throw .tooLarge(request.source, limit: request.byteLimit, declared: subject.total)
    }
    delivered += chunk.count
    // Only a body that can be loaded again is ever compared.
    if attempts.canRetry { checksum = Self.checksum(chunk, after: checksum) }
  }

  private func end() async throws -> Data? {
    if repeated.left > 0 { throw LoadingError.contentChanged(subject.url, received: delivered) }
    if let total = subject.total, delivered != total {
      throw LoadingError.truncatedBody(subject.url, received: delivered, expected: total)
    }
    await partial?.discard()
    return nil
  }

  private static func checksum(_ data: Data, after checksum: UInt32) -> UInt32 {
    data.withUnsafeBytes { libdeflate_crc32(checksum, $0.baseAddress, $0.count) }
  }

  // MARK: Another request

  /// Requests the missing bytes; as a retry after an error of the server.
  private func reopen(after error: LoadingError?) async throws {
    // Not after the consumer has left.
    if isCancelled { throw CancellationError() }
    if let error {
      try await attempts.wait(after: error)
      attempts.bodyEnded(CircuitBreaker.Outcome(error))
    }
    let part =
      subject.isResumable && delivered > 0
      ? subject.etag.map { LoadAttempts.Part(offset: delivered, etag: $0) } : nil
    let response = try await attempts.open(continuing: part)
    if part != nil, continuation(in: response) == .elsewhere {
      // Load the whole body, to be compared with the delivered bytes.
      try take(try await attempts.open())
    } else {
      try take(response)
    }
    attempts.counters.count { $0.continued += 1 }
  }

  private func continuation(in response: LoadResponse) -> RangeResumption {
    RangeResumption(
      status: response.status, headers: response.headers, isSamePlace: response.url == subject.url,
      offset: delivered, total: subject.total, etag: subject.etag)
  }

  private func take(_ response: LoadResponse) throws {
    let answer = continuation(in: response)
    switch answer {
    case .rest: repeated = (0, 0)
    case .complete:
      // An empty body, which ends well.
      repeated = (0, 0)
    case .whole:
      if let etag = subject.etag, let other = response.validators?.strong, other != etag {
        throw LoadingError.contentChanged(subject.url, received: delivered)
      }
      guard response.expectedLength == nil || subject.total == nil || response.expectedLength == subject.total
      else {
        throw LoadingError.contentChanged(subject.url, received: delivered)
      }
      repeated = (delivered, 0)
    case .changed, .elsewhere: throw LoadingError.contentChanged(subject.url, received: delivered)
    }
    guard let claim = answer == .complete ? LoadBody([]).claim() : response.body.claim() else {
      throw LoadingError.bodyAlreadyConsumed
    }
    let before = source.withLock { $0.claim }?.metrics?.bytesReceived ?? 0
    let (old, isCancelled) = source.withLock { source in
      defer { source.claim = claim }
      source.bytesBefore += before
      return (source.claim, source.isCancelled)
    }
    // Released here, not under the lock, because the release runs other code.
    withExtendedLifetime(old) {}
    // Cancellation came while there was no source to cancel.
    if isCancelled { throw CancellationError() }
  }
}
