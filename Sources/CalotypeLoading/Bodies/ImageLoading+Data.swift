import CalotypeSupport
public import FoundationEssentials

extension ImageLoading {
  /// Loads the whole body, up to ``LoadRequest/byteLimit``.
  ///
  /// `progress` is called after each chunk, but no more often than ``LoadRequest/progressStep`` allows, and once at the
  /// end.
  ///
  /// Bodies above ``LoadRequest/memoryByteLimit`` are returned as a mapped temporary file. The body of the returned
  /// response is consumed. Only a 304 to a conditional request may be empty.
  ///
  /// - Throws: ``LoadingError``, among them ``LoadingError/emptyBody(_:)``, ``LoadingError/tooLarge(_:limit:declared:)`` and
  ///   ``LoadingError/fileUnwritable(_:reason:)`` when there is no room for the temporary file; `CancellationError`.
  public func data(
    for request: LoadRequest, progress: (LoadProgress) -> Void = { _ in }
  ) async throws -> (Data, LoadResponse) {
    try await data(for: request, into: nil, onResponse: { _ in }, progress: progress)
  }

  /// ``data(for:progress:)`` for callers that read the bytes while they arrive.
  ///
  /// - Parameters:
  ///   - arriving: Collects the bytes so that others can read them meanwhile; `nil` if not needed.
  ///   - memory: Grants memory for the bytes before they are read; `nil` for no limit. The granter takes the memory
  ///     back. Its errors end the load.
  ///   - onResponse: Called once when the head has arrived, before any bytes; not for 304.
  ///   - progress: Called as by ``data(for:progress:)``, after the bytes are in `arriving`.
  package func data(
    for request: LoadRequest, into arriving: StreamingBody?, memory: (any BodyMemory)? = nil,
    onResponse: (LoadResponse) -> Void, progress: (LoadProgress) -> Void
  ) async throws -> (Data, LoadResponse) {
    let response = try await loadWithHooks(request)
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
    progress: (LoadProgress) -> Void
  ) async throws -> Data {
    if let declared = expectedLength, declared > request.byteLimit {
      throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: declared)
    }
    var count = 0
    var spool: SpoolFile?
    var gate = ProgressThrottle(step: request.progressStep)
    // The declared length of a 304 is that of the body it omits.
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
      if gate.admits(count, of: expectedLength) {
        progress(LoadProgress(received: count, expected: expectedLength))
      }
    }
    if gate.owesTheEnd(count, of: expectedLength) {
      progress(LoadProgress(received: count, expected: count))
    }
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
