import CDeflate
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// A body that goes on when its connection breaks, and leaves behind what it has when it ends early.
///
/// An actor, so that its state needs no lock while requests are made; it has one consumer anyway. What can be called from
/// outside at any time, the cancellation, goes to the present source of bytes directly.
actor ResumableBody: LoadBodyProducing {
  /// What a response says about its bytes.
  struct Subject: Sendable {
    /// Where the bytes come from, after redirects.
    let url: URL
    let total: Int?
    /// The strong validator, if the bytes are sent as they are.
    let etag: String?
    let acceptsRanges: Bool

    /// `nil` if there is no body to continue.
    init?(_ response: LoadResponse) {
      guard response.status != 304, response.status != 204 else { return nil }
      url = response.url
      total = response.expectedLength
      let isPlain = response.headers[.contentEncoding].map { $0.lowercased() == "identity" } ?? true
      etag = isPlain ? response.validators?.strong : nil
      // Nearly all say this; a search in a string costs more than all the rest here.
      let ranges = response.headers[.acceptRanges] ?? ""
      acceptsRanges = ranges == "bytes" || ranges.lowercased().contains("bytes")
    }

    /// Whether the server promises to send the rest of these very bytes.
    var isResumable: Bool { etag != nil && acceptsRanges }
  }

  private let subject: Subject
  private let attempts: LoadAttempts
  /// Where bytes come from; `nil` after the end.
  private let source: Lock<Source>
  /// Bytes that were delivered, and their checksum.
  private var delivered = 0
  private var checksum: UInt32 = 0
  /// Bytes of a body that began anew that were delivered before, and the checksum of those that came.
  private var repeated = (left: 0, checksum: UInt32(0))
  /// Bytes of the file that are still to be delivered.
  private var kept: Int

  private struct Source {
    var claim: LoadBody.Claim?
    /// Where bytes are kept until all are there; nobody else can use it meanwhile.
    var partial: PartialFile?
    var isCancelled = false
    /// Of the requests before the present one.
    var bytesBefore = 0
  }

  /// - Parameters:
  ///   - response: The response whose body it is; taken over.
  ///   - partial: Where bytes are kept until all are there.
  ///   - resumedAt: Bytes in the file that come first.
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

  nonisolated var metrics: LoadMetrics? {
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
    // The disk failed us: the server still has these bytes, and sends them from here on.
    kept = 0
    await source.withLock { $0.partial.take() }?.discard()
    try await reopen(after: nil)
    return nil
  }

  /// What of a chunk was not delivered before.
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
    // The transport counts each answer alone, and what was kept not at all.
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

  /// Asks for what is missing; as a retry if an error of the server made it necessary.
  private func reopen(after error: LoadingError?) async throws {
    // Not for somebody who has left.
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
      // Everything then, to be compared with what was delivered.
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
    // Released here, not under the lock: it calls out.
    withExtendedLifetime(old) {}
    // It was cancelled while there was nothing to cancel.
    if isCancelled { throw CancellationError() }
  }
}
