import Calotype
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes

/// Sources that are passed on as they arrive: nothing of them is checked but where they come from.
extension ImageServer {
  // Not Accept-Encoding: the loader asks for the codings that it removes.
  private static let passedRequest: [HTTPField.Name] = [
    .range, .ifRange, .ifNoneMatch, .ifModifiedSince,
  ]
  private static let passedResponse: [HTTPField.Name] = [
    .contentType, .contentRange, .acceptRanges, .eTag, .lastModified,
  ]

  /// Streams the source of an order.
  func raw(_ order: ImageOrder, _ request: HTTPRequest) async -> ServedResponse {
    let rules = order.rules
    var fields = order.passedFields
    if order.source.kind == .http {
      for name in Self.passedRequest { fields[name] = request.headerFields[name] }
    }
    var load = LoadRequest(url: order.source.url, headers: fields)
    load.statuses = LoadRequest.AcceptedStatuses(200...299, 304...304)
    let limit = rules.settings.limits.sourceBytes
    load.byteLimit = limit > 0 ? limit : Settings.Limits.largestSource
    load.timeouts.connect = rules.settings.server.downloadTimeout
    load.timeouts.idle = rules.settings.server.downloadTimeout
    do {
      let response = try await parts.pipeline.configuration.loader.load(load)
      guard rules.sources.areAllowed(response, from: order.source.url) else {
        throw Failure(.sourceRefused, detail: "no pattern of the allowed sources matches a redirect")
      }
      return passedOn(response, order, request)
    } catch {
      return failed(Failure(Task.isCancelled ? CancellationError() : error), request, rules)
    }
  }

  private func passedOn(
    _ response: LoadResponse, _ order: ImageOrder, _ request: HTTPRequest
  ) -> ServedResponse {
    let rules = order.rules
    var fields = rules.security.fields
    fields.append(contentsOf: rules.crossOrigin.fields(origin: request.headerFields[.origin]))
    for name in Self.passedResponse { fields[name] = response.headers[name] }
    if fields[.contentType] == nil { fields[.contentType] = "application/octet-stream" }
    fields[.contentDisposition] =
      ContentDisposition(
        source: order.source.text, filename: order.options.filename ?? "",
        contentType: fields[.contentType] ?? "",
        isAttachment: order.options.returnsAttachment ?? rules.settings.processing.returnsAttachment
      ).value
    fields[.cacheControl] = rules.cacheControl.value(
      for: CacheControlRule.Response(
        originCacheControl: response.headers[.cacheControl], originExpires: response.headers[.expires],
        expires: order.options.expires), now: Int64(now().timeIntervalSince1970))
    let passed = PassedFields(rules.settings).responseFields(of: response.headers)
    fields.append(contentsOf: passed.filter { !fields.contains($0.name) })
    fields.setVary(rules.varyingHeaders)
    var reply = ServedResponse(
      status: HTTPResponse.Status(code: response.status ?? 200), fields: fields,
      declaredLength: request.method == .head ? response.expectedLength : nil)
    if request.method != .head, response.status != 304 {
      reply.body = .stream(response.body, length: response.expectedLength)
    }
    return reply
  }
}
