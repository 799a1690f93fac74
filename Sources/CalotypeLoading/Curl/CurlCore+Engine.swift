import CalotypeSupport

extension CurlCore: CurlEngine {
  func load(
    _ step: HTTPRequestStep, _ request: LoadRequest, for loader: CurlLoader
  ) async throws -> LoadResponse {
    let url = request.source.url ?? ImageSource.urlOfBytes
    let transfer = Transfer(url: url, target: step, request: request, core: self, loader: loader)
    let body = LoadBody(transfer)
    let head = try await transfer.head()
    var response = LoadResponse(
      url: head.url, status: head.status, headers: head.headers, expectedLength: head.expectedLength,
      contentType: head.contentType, body: body)
    response.redirects = head.redirects
    guard let decoding = try ContentDecoding(head, byteLimit: request.byteLimit) else { return response }
    return try response.transformed(by: [decoding], byteLimit: request.byteLimit)
  }

  func setSuspended(_ isSuspended: Bool) {
    post(.suspend(isSuspended))
  }

  func cancelAll() {
    post(.cancelAll)
  }

  func drain(within timeout: Duration) async -> Bool {
    let waiter = Waiter<Bool>()
    startDraining()
    post(.drain(MonotonicTime.now.advanced(by: timeout), waiter))
    return await waiter.value()
  }

  func settle() async {
    let waiter = Waiter<Void>()
    post(.barrier(waiter))
    await waiter.value()
  }
}
