import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// Short requests to an endpoint of the machine: no proxy, no redirects, a second for each.
struct MetadataClient: Sendable {
  private let loader: CurlLoader
  private let limit: Duration

  init(limit: Duration = .seconds(1)) {
    var configuration = CurlLoader.Configuration(maxConcurrent: 2)
    configuration.proxy = .none
    configuration.headers = [.userAgent: "Calotype/0.1"]
    loader = CurlLoader(configuration)
    self.limit = limit
  }

  /// Returns the body of a 200; `nil` for any other status.
  ///
  /// - Throws: ``BucketError/noCredentials(reason:)`` when there is no answer.
  func body(
    _ url: URL, method: LoadRequest.Exchange.Method = .get, fields: HTTPFields = HTTPFields()
  ) async throws(BucketError) -> Data? {
    var request = LoadRequest(
      source: .url(url), headers: fields,
      timeouts: LoadRequest.Timeouts(connect: limit, idle: limit, total: limit), byteLimit: 64 << 10)
    request.exchange = LoadRequest.Exchange(method)
    do {
      let response = try await loader.load(request)
      var body = Data()
      for try await chunk in response.body { body.append(chunk) }
      return response.status == 200 ? body : nil
    } catch let error as LoadingError {
      throw .noCredentials(reason: "the endpoint of the machine failed: \(error.code)")
    } catch {
      throw .cancelled
    }
  }
}
