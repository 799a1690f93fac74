import CalotypeSupport
public import FoundationEssentials

extension ImageLoading {
  /// Loads the whole body, at most ``LoadRequest/byteLimit`` of it.
  ///
  /// `progress` is called with the bytes received so far and those expected, if known: after each chunk, but no more often
  /// than ``LoadRequest/progressStep`` says, and in the end with all of them.
  ///
  /// Bodies above ``LoadRequest/memoryByteLimit`` come as a mapped temporary file. The body of the returned response is
  /// spent. Only the answer 304 to a conditional request may be empty.
  ///
  /// - Throws: ``LoadingError``, among them ``LoadingError/emptyBody(_:)``, ``LoadingError/tooLarge(_:limit:declared:)`` and
  ///   ``LoadingError/fileUnwritable(_:reason:)`` when there is no room for the temporary file; `CancellationError`.
  public func data(
    for request: LoadRequest, progress: (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
  ) async throws -> (Data, LoadResponse) {
    try await data(for: request, into: nil, onResponse: { _ in }, progress: progress)
  }

  /// ``data(for:progress:)`` for those who look at the bytes while they arrive.
  ///
  /// - Parameters:
  ///   - arriving: Where the bytes are collected, for others to read meanwhile; `nil` when nobody does.
  ///   - memory: Grants memory for the bytes before they are read; `nil` when it need not be asked. Whoever grants it takes
  ///     it back. What it throws ends the load.
  ///   - onResponse: Called once when the head is there, before any bytes; not for 304, which says nothing new.
  ///   - progress: Called as by ``data(for:progress:)``, when the bytes it tells of are in `arriving`.
  package func data(
    for request: LoadRequest, into arriving: StreamingBody?, memory: (any BodyMemory)? = nil,
    onResponse: (LoadResponse) -> Void, progress: (_ received: Int, _ expected: Int?) -> Void
  ) async throws -> (Data, LoadResponse) {
    let response = try await load(request)
    if !response.isNotModified { onResponse(response) }
    let arriving = arriving ?? StreamingBody()
    let collected = try await response.collect(
      for: request, into: arriving, memory: memory, progress: progress)
    return (collected, response)
  }
}

extension LoadResponse {
  fileprivate func collect(
    for request: LoadRequest, into arriving: StreamingBody, memory: (any BodyMemory)?,
    progress: (_ received: Int, _ expected: Int?) -> Void
  ) async throws -> Data {
    if let declared = expectedLength, declared > request.byteLimit {
      throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: declared)
    }
    var count = 0
    var spool: SpoolFile?
    var gate = ProgressThrottle(step: request.progressStep)
    // The length of a 304 is that of the body it does not have.
    var allowance = BodyAllowance(
      memory: isNotModified ? nil : memory, declared: expectedLength, most: request.memoryByteLimit)
    try await allowance.reserve()
    var chunks = body.makeAsyncIterator()
    while true {
      allowance.prepare(after: count)
      guard let chunk = try await chunks.next() else { break }
      guard chunk.count <= request.byteLimit - count else {
        throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: expectedLength)
      }
      count += chunk.count
      if spool == nil, !allowance.covers(count) {
        spool = try unwritable { try SpoolFile() }
        let held = arriving.takeForSpooling()
        do {
          if !held.isEmpty { try await spool?.append(held) }
          memory?.giveBack()
        } catch let error as SystemError { throw unwritable(error) }
      }
      if spool != nil {
        do { try await spool?.append(chunk) } catch let error as SystemError { throw unwritable(error) }
        arriving.countSpooled(chunk.count)
      } else {
        arriving.append(chunk, expecting: expectedLength)
      }
      if gate.admits(count, of: expectedLength) { progress(count, expectedLength) }
    }
    if gate.owesTheEnd(count, of: expectedLength) { progress(count, count) }
    if count == 0, status != 304 { throw LoadingError.emptyBody(request.source) }
    return if let spool { try unwritable { try spool.mapped() } } else { arriving.all }
  }

  private func unwritable<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SystemError { throw unwritable(error) }
  }

  private func unwritable(_ error: SystemError) -> LoadingError {
    .fileUnwritable(URL(filePath: SpoolFile.folder), reason: error.reason)
  }
}
