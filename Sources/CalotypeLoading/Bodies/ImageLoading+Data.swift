public import FoundationEssentials

extension ImageLoading {
  /// Loads the whole body, at most ``LoadRequest/maxBytes`` of it.
  ///
  /// `progress` is called with the bytes received so far and those expected, if known: after each chunk, but no more often
  /// than ``LoadRequest/progressStep`` says, and in the end with all of them.
  ///
  /// Bodies above ``LoadRequest/maxBytesInMemory`` come as a mapped temporary file. The body of the returned response is
  /// spent. Only the answer 304 to a conditional request may be empty.
  ///
  /// - Throws: ``LoadingError``, among them ``LoadingError/emptyBody(_:)``, ``LoadingError/tooLarge(_:limit:declared:)`` and
  ///   ``LoadingError/fileUnwritable(_:reason:)`` when there is no room for the temporary file; `CancellationError`.
  public func data(
    for request: LoadRequest, progress: (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
  ) async throws -> (Data, LoadResponse) {
    let response = try await load(request)
    let collected = try await response.collect(for: request, progress: progress)
    return (collected, response)
  }
}

extension LoadResponse {
  fileprivate func collect(
    for request: LoadRequest, progress: (_ received: Int, _ expected: Int?) -> Void
  ) async throws -> Data {
    if let declared = expectedLength, declared > request.maxBytes {
      throw LoadingError.tooLarge(request.source, limit: request.maxBytes, declared: declared)
    }
    var data = Data()
    var count = 0
    var spool: SpoolFile?
    var gate = ProgressGate(step: request.progressStep)
    for try await chunk in body {
      guard chunk.count <= request.maxBytes - count else {
        throw LoadingError.tooLarge(request.source, limit: request.maxBytes, declared: expectedLength)
      }
      count += chunk.count
      if spool == nil, max(count, expectedLength ?? 0) > request.maxBytesInMemory {
        spool = try unwritable { try SpoolFile() }
        if !data.isEmpty { try await spool?.append(data) }
        data = Data()
      }
      if spool != nil {
        do { try await spool?.append(chunk) } catch let error as SystemError { throw unwritable(error) }
      } else if data.isEmpty {
        // Most bodies come in one piece: no copy then. Declared lengths are not trusted with much memory.
        data = chunk
        if let declared = expectedLength, declared > chunk.count {
          data.reserveCapacity(min(declared, 16 << 20))
        }
      } else {
        data.append(chunk)
      }
      if gate.admits(count, of: expectedLength) { progress(count, expectedLength) }
    }
    if gate.owesTheEnd(count, of: expectedLength) { progress(count, count) }
    if count == 0, status != 304 { throw LoadingError.emptyBody(request.source) }
    return if let spool { try unwritable { try spool.mapped() } } else { data }
  }

  private func unwritable<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SystemError { throw unwritable(error) }
  }

  private func unwritable(_ error: SystemError) -> LoadingError {
    .fileUnwritable(URL(filePath: SpoolFile.folder), reason: error.reason)
  }
}
