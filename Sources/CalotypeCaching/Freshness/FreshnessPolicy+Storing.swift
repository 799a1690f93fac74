public import FoundationEssentials
public import HTTPTypes

extension FreshnessPolicy {
  /// Whether a response is stored (RFC 9111 §3).
  ///
  /// - Parameters:
  ///   - method: Of the request.
  ///   - request: Header fields of the request, as ``decision(for:stored:now:)`` gets them: what a loader adds of its own
  ///     is on both sides or on neither, or what varies by it is never found again.
  ///   - status: Of the response.
  ///   - response: Header fields of the response.
  ///   - requestTime: When the request was sent.
  ///   - responseTime: When the header of the response had come.
  public func storeDecision(
    method: HTTPRequest.Method = .get, request: HTTPFields, status: Int, response: HTTPFields,
    requestTime: Date,
    responseTime: Date
  ) -> StoreDecision {
    if method != .get { return .refuse(.method) }
    if status == 206 || response.contains(.contentRange) { return .refuse(.partial) }
    guard Self.isPositive(status) || negativeLifetimes[status] != nil, (200...599).contains(status),
      status != 304
    else { return .refuse(.status) }
    var kept = StoredResponse.kept(of: response)
    let control = CacheControlHeader(response: kept)
    if let reason = refusal(of: control, request: request) { return .refuse(reason) }
    for name in StoredResponse.descriptiveNames where isDropped(name, by: control) { kept[values: name] = [] }
    let stored = StoredResponse(
      status: status, kept: kept, selection: VaryKey(vary: kept[values: .vary], request: request),
      requested: HTTPSeconds.of(requestTime), received: HTTPSeconds.of(responseTime))
    return decision(to: stored)
  }

  /// Whether what is stored stays so after a 304, and with what beside the bytes (RFC 9111 §4.3.4).
  ///
  /// - Parameters:
  ///   - stored: What was kept so far.
  ///   - notModified: Header fields of the 304.
  ///   - request: Header fields of the request that it answers.
  ///   - requestTime: When that was sent.
  ///   - responseTime: When the 304 came.
  /// - Returns: ``StoreDecision/Reason/otherVersion`` when the 304 is not for these bytes: they may not be used then. With
  ///   any other refusal they may be used this time, but not be kept.
  public func storeDecision(
    revalidating stored: StoredResponse, notModified: HTTPFields, request: HTTPFields, requestTime: Date,
    responseTime: Date
  ) -> StoreDecision {
    guard stored.isConfirmed(by: notModified) else { return .refuse(.otherVersion) }
    guard
      let merged = stored.merged(
        notModified: notModified, request: request, requestTime: requestTime, responseTime: responseTime)
    else { return .refuse(.headerTooLarge) }
    if let reason = refusal(of: merged.cacheControl, request: request) { return .refuse(reason) }
    return decision(to: merged)
  }

  private func refusal(of control: CacheControlHeader, request: HTTPFields) -> StoreDecision.Reason? {
    if CacheControlHeader(request: request).noStore { return .requestForbids }
    // Every status that gets here is understood, and then `must-understand` overrides (RFC 9111 §5.2.2.3).
    if control.noStore, !control.mustUnderstand { return .responseForbids }
    guard mode == .shared else { return nil }
    if control.isPrivate == .everything { return .isPrivate }
    let isForOthers = control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
    return request.contains(.authorization) && !isForOthers ? .authorization : nil
  }

  /// Whether a field may not be kept, because it alone is `no-cache` or `private`. What caches judge by is kept all the
  /// same: nobody else gets to see it.
  private func isDropped(_ name: HTTPField.Name, by control: CacheControlHeader) -> Bool {
    control.noCache.covers(name.canonicalName)
      || (mode == .shared && control.isPrivate.covers(name.canonicalName))
  }

  private func decision(to stored: StoredResponse) -> StoreDecision {
    if stored.selection == .everything { return .refuse(.variesByEverything) }
    if !stored.isWithinLimit { return .refuse(.headerTooLarge) }
    let judged = FreshnessState(of: stored, under: self, now: stored.received)
    let canBeUsed =
      judged.isFresh && !judged.alwaysRevalidates || judged.isPositive && stored.hasValidators
      || max(judged.staleWhileRevalidate, judged.staleIfError) > judged.staleness
    return canBeUsed ? .store(stored) : .refuse(.neverReusable)
  }
}
