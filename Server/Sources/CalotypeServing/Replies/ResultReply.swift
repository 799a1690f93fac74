import Calotype
import CalotypeCaching
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes

/// Makes responses of results: a pure value.
struct ResultReply {
  /// The request of the client.
  let request: HTTPRequest
  /// The options of its URL.
  let options: ProcessingOptions
  /// The text of its source.
  let source: String
  /// The rules.
  let rules: ServingRules
  /// The present.
  let now: Date
  /// The fields of earlier responses to the same text.
  let memo: ReplyMemo

  /// Returns the response with a result: whole, a part, or without content because the client has it.
  func response(with result: StoredResult) -> ServedResponse {
    let constant = memo.fields(of: result, make: constantFields)
    let tag = constant.entityTag
    var fields = constant.fields
    setVariableFields(of: result, &fields)
    let conditions = Preconditions(method: request.method, fields: request.headerFields)
    let modified = fields[.lastModified] == nil ? nil : modified(of: result)
    let outcome = conditions.outcome(
      entityTag: tag, lastModified: modified, length: result.data.count, now: now)
    var status = outcome.status
    var body = result.data
    switch outcome {
    case .whole: break
    case .partial(let range):
      let start = body.startIndex
      body = body[(start + range.lowerBound)..<(start + range.upperBound)]
    case .notModified, .preconditionFailed:
      body = Data()
      for name in [HTTPField.Name.contentType, .contentDisposition, .acceptRanges] { fields[name] = nil }
    case .rangeNotSatisfiable:
      body = Data()
      fields[.contentType] = nil
    }
    fields[.contentRange] = outcome.contentRange(length: result.data.count)
    if result.isFallback, status == .ok {
      let code = rules.settings.fallback.status
      if code > 0 { status = HTTPResponse.Status(code: code) }
    }
    let isHead = request.method == .head
    return ServedResponse(
      status: status, fields: fields, body: isHead ? Data() : body, declaredLength: isHead ? body.count : nil)
  }

  /// Sets the fields that depend on the client, on the time, or on the work.
  private func setVariableFields(of result: StoredResult, _ fields: inout HTTPFields) {
    if !rules.crossOrigin.origins.isEmpty {
      for field in rules.crossOrigin.fields(origin: request.headerFields[.origin]) {
        fields[field.name] = field.value
      }
    }
    let cacheControl = rules.cacheControl.value(
      for: CacheControlRule.Response(
        status: result.isFallback && rules.settings.fallback.status > 0
          ? rules.settings.fallback.status : 200,
        originCacheControl: result.source.cacheControl, originExpires: result.source.expires,
        expires: options.expires, isFallback: result.isFallback), now: Int64(now.timeIntervalSince1970))
    if let cacheControl { fields[.cacheControl] = cacheControl }
    if rules.settings.server.setsDebugHeaders { setDebug(of: result, &fields) }
  }

  /// The fields of a response with a result that depend on nothing else but the text of the request and the rules.
  private func constantFields(of result: StoredResult) -> HTTPFields {
    let settings = rules.settings
    var fields = rules.security.fields
    fields[.contentType] = result.contentType
    fields[.acceptRanges] = "bytes"
    fields[.contentDisposition] =
      ContentDisposition(
        source: source, filename: options.filename ?? "", fileExtension: result.fileExtension,
        contentType: result.contentType,
        isAttachment: options.returnsAttachment ?? settings.processing.returnsAttachment
      ).value
    setValidators(of: result, &fields)
    setVary(of: result, &fields)
    if settings.server.setsCanonicalHeader { fields[.link] = CanonicalLink.value(for: source) }
    if result.isFallback { fields[.fallback] = "1" }
    if !options.cacheTags.isEmpty {
      let tags = options.cacheTags.joined(separator: ",")
      switch settings.cache.tagsFormat {
      case .all, .cloudflare: fields[.cacheTag] = tags
      case .cloudfront: fields[.amazonCacheTag] = tags
      case .none: break
      }
      if settings.cache.tagsFormat == .all { fields[.amazonCacheTag] = tags }
    }
    // The fields of the server itself win.
    let passed = PassedFields(settings).responseFields(of: result.source.passed)
    fields.append(contentsOf: passed.filter { !fields.contains($0.name) })
    return fields
  }

  private func setValidators(of result: StoredResult, _ fields: inout HTTPFields) {
    let settings = rules.settings
    let origin = rules.originValidators.clientValidators(
      from: OriginValidators.Validators(
        entityTag: result.source.entityTag, lastModified: result.source.lastModified))
    if settings.httpCache.setsETag {
      fields[.eTag] = settings.compatibility.passesOriginETag ? origin.entityTag : tag(of: result)
    }
    fields[.lastModified] = origin.lastModified
  }

  /// The date of `Last-Modified`, which the setting of a later one moves.
  private func modified(of result: StoredResult) -> Date? {
    let least = rules.settings.httpCache.lastModifiedBuster.map {
      Date(timeIntervalSince1970: TimeInterval($0))
    }
    return result.source.modified.map { max($0, least ?? $0) }
  }

  /// Names the headers that could have led to another response.
  private func setVary(of result: StoredResult, _ fields: inout HTTPFields) {
    fields.setVary(result.varyingHeaders + rules.varyingHeaders)
  }

  /// The tag of a result, with the mark that makes earlier tags invalid.
  private func tag(of result: StoredResult) -> String? {
    guard let text = result.entityTag?.text else { return nil }
    return rules.entityTagMark.isEmpty ? text : String(text.dropLast()) + "." + rules.entityTagMark + "\""
  }

  private func setDebug(of result: StoredResult, _ fields: inout HTTPFields) {
    fields[.originContentLength] = String(result.source.byteCount)
    fields[.originWidth] = String(result.source.width)
    fields[.originHeight] = String(result.source.height)
    fields[.resultWidth] = String(result.width)
    fields[.resultHeight] = String(result.height)
    fields[.serverTiming] = result.timings.value
    if !result.notices.isEmpty { fields[.notices] = result.notices.joined(separator: ", ") }
  }
}
