import Calotype
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes

/// Conditions of clients that are those of the origin: for the switch `origin-etag`, under which responses carry the entity tags
/// of origins.
extension ImageServer {
  /// Asks the origin with the conditions of a client, when no result is in memory.
  ///
  /// - Returns: The response 304 if the origin says that nothing has changed; `nil` if the image has to be made.
  func unchanged(_ order: ImageOrder, _ request: HTTPRequest) async -> ServedResponse? {
    let (rules, fields) = (order.rules, request.headerFields)
    guard rules.settings.compatibility.passesOriginETag, order.source.kind == .http,
      !order.named.addsSources
    else { return nil }
    let conditions = rules.originValidators.originConditions(
      from: OriginValidators.Conditions(
        ifNoneMatch: fields[.ifNoneMatch], ifModifiedSince: fields[.ifModifiedSince]))
    guard conditions != OriginValidators.Conditions() else { return nil }
    var load = LoadRequest(url: order.source.url, headers: order.passedFields)
    load.headers[.ifNoneMatch] = conditions.ifNoneMatch
    load.headers[.ifModifiedSince] = conditions.ifModifiedSince
    load.statuses = LoadRequest.AcceptedStatuses(200...299, 304...304)
    load.timeouts.total = rules.settings.server.downloadTimeout
    // Releasing the response unread ends its transfer; the pipeline then loads the image with its own rules.
    guard let response = try? await parts.pipeline.configuration.loader.load(load),
      response.status == 304, rules.sources.areAllowed(response, from: order.source.url)
    else { return nil }
    metrics.count(.confirmations)
    let validators = rules.originValidators.clientValidators(
      from: OriginValidators.Validators(
        entityTag: response.headers[.eTag] ?? conditions.ifNoneMatch,
        lastModified: response.headers[.lastModified]))
    var reply = rules.security.fields
    reply.append(contentsOf: rules.crossOrigin.fields(origin: fields[.origin]))
    reply[.eTag] = validators.entityTag
    reply[.lastModified] = validators.lastModified
    reply[.cacheControl] = rules.cacheControl.value(
      for: CacheControlRule.Response(
        originCacheControl: response.headers[.cacheControl], originExpires: response.headers[.expires],
        expires: order.options.expires), now: Int64(now().timeIntervalSince1970))
    reply.setVary(["Accept"] + rules.varyingHeaders)
    return ServedResponse(status: .notModified, fields: reply)
  }
}
