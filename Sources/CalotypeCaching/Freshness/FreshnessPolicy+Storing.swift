public import FoundationEssentials
public import HTTPTypes

extension FreshnessPolicy {
  /// Decides whether to store a response (RFC 9111 §3).
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - request: Header fields of the request, as passed to ``decision(for:stored:now:)``. Fields that a loader adds
  ///     must be in both or in neither; otherwise responses that vary by them are never found again.
  ///   - status: The status of the response.
  ///   - response: Header fields of the response.
  ///   - requestTime: When the request was sent.
  ///   - responseTime: When the header of the response had arrived.
  public func storeDecision(
    method: HTTPRequest.Method = .get, request: HTTPFields, status: Int, response: HTTPFields,
    requestTime: Date,
    responseTime: Date
  ) -> FreshnessPolicy.StoreDecision {
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

  /// Decides whether a stored response is kept after a 304, and with which description (RFC 9111 §4.3.4).
  ///
  /// - Parameters:
  ///   - stored: The stored response.
  ///   - notModified: Header fields of the 304.
  ///   - request: Header fields of the conditional request.
  ///   - requestTime: When the conditional request was sent.
  ///   - responseTime: When the 304 arrived.
  /// - Returns: ``FreshnessPolicy/StoreDecision/Reason/otherVersion`` when the 304 is for other bytes: the stored ones must not be
  ///   used. After any other refusal, they may be used this time but not be kept.
  public func storeDecision(
    revalidating stored: StoredResponse, notModified: HTTPFields, request: HTTPFields, requestTime: Date,
    responseTime: Date
  ) -> FreshnessPolicy.StoreDecision {
    guard stored.isConfirmed(by: notModified) else { return .refuse(.otherVersion) }
    guard
      let merged = stored.merged(
        notModified: notModified, request: request, requestTime: requestTime, responseTime: responseTime)
    else { return .refuse(.headerTooLarge) }
    if let reason = refusal(of: merged.cacheControl, request: request) { return .refuse(reason) }
    return decision(to: merged)
  }

  private func refusal(of control: CacheControlHeader, request: HTTPFields) -> FreshnessPolicy.StoreDecision
    .Reason?
  {
    if CacheControlHeader(request: request).noStore { return .requestForbids }
    // Every status that gets here is understood, so `must-understand` overrides `no-store` (RFC 9111 §5.2.2.3).
    if control.noStore, !control.mustUnderstand { return .responseForbids }
    guard mode == .shared else { return nil }
    if control.isPrivate == .everything { return .isPrivate }
    let isForOthers = control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
    return request.contains(.authorization) && !isForOthers ? .authorization : nil
  }

  /// Whether a field must not be kept because the response declares it alone `no-cache` or `private`. Fields that
  /// caching depends on are kept anyway, because they are not passed on.
  private func isDropped(_ name: HTTPField.Name, by control: CacheControlHeader) -> Bool {
    control.noCache.covers(name.canonicalName)
      || (mode == .shared && control.isPrivate.covers(name.canonicalName))
  }

  private func decision(to stored: StoredResponse) -> FreshnessPolicy.StoreDecision {
    if stored.selection == .everything { return .refuse(.variesByEverything) }
    if !stored.isWithinLimit { return .refuse(.headerTooLarge) }
    let judged = FreshnessState(of: stored, under: self, now: stored.received)
    let canBeUsed =
      judged.isFresh && !judged.alwaysRevalidates || judged.isPositive && stored.hasValidators
      || max(judged.staleWhileRevalidate, judged.staleIfError) > judged.staleness
    return canBeUsed ? .store(stored) : .refuse(.neverReusable)
  }
}
