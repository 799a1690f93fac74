import Calotype
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes

extension SourceFetcher {
  /// Reads the first bytes of the source of an order, and ends the transfer as soon as they suffice.
  ///
  /// - Parameter suffice: Decides about the bytes so far, and whether they are all; asked again when half as many more are there.
  /// - Returns: `nil` if more than ``SourceHead/limit`` bytes are needed.
  /// - Throws: ``Failure``, `CancellationError`, and the errors of `suffice`, which are remembered like those of a transfer.
  func head(
    for order: ImageOrder, suffice: @Sendable (_ data: Data, _ isWhole: Bool) async throws -> Bool
  ) async throws -> SourceHead? {
    try await remembering(order) {
      let response = try await pipeline.configuration.loader.load(headRequest(for: order))
      try check(response, order)
      var (data, isWhole, isEnough, next) = (Data(), true, false, 0)
      for try await chunk in response.body {
        data.append(chunk)
        guard data.count >= next else { continue }
        isEnough = try await suffice(data, false)
        if isEnough || data.count >= SourceHead.limit {
          isWhole = false
          break
        }
        next = data.count + data.count / 2
      }
      if Task.isCancelled { throw CancellationError() }
      if isWhole { isEnough = try await suffice(data, true) }
      guard isEnough else { return nil }
      return SourceHead(
        data, isWhole: isWhole, byteCount: isWhole ? data.count : response.expectedLength,
        status: response.status ?? 200, fields: response.headers, kind: order.source.kind,
        policy: pipeline.configuration.freshness, now: now())
    }
  }

  private func headRequest(for order: ImageOrder) -> LoadRequest {
    let settings = order.rules.settings
    var request = LoadRequest(url: order.source.url, headers: order.passedFields)
    let limit =
      settings.security.allowsSecurityOptions
      ? order.options.maxSourceFileSize ?? settings.limits.sourceBytes : settings.limits.sourceBytes
    request.byteLimit = limit > 0 ? limit : .max
    request.timeouts.connect = settings.server.downloadTimeout
    request.timeouts.idle = settings.server.downloadTimeout
    request.timeouts.total = settings.server.downloadTimeout
    return request
  }

  /// The allowed sources hold for the targets of redirects, too.
  private func check(_ response: LoadResponse, _ order: ImageOrder) throws {
    guard order.rules.sources.areAllowed(response, from: order.source.url) else {
      throw LoadingError.vetoed(
        response.url, reason: "no pattern of the allowed sources matches it, or a redirect to it")
    }
    if response.status == 206,
      !PartialSource.isWhole(response.headers[.contentRange], length: response.expectedLength)
    {
      throw LoadingError.httpStatus(response.url, status: 206, headers: response.headers)
    }
  }
}
