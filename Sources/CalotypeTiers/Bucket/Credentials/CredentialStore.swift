import CalotypeSupport
import FoundationEssentials

/// Keeps the keys of a bucket, and fetches others in time.
actor CredentialStore {
  private let providers: [any BucketCredentialProviding]
  private let now: @Sendable () -> Date
  private var refresh = CredentialRefresh()
  /// The fetch in progress. It belongs to no caller, so that a cancelled one does not end it for others.
  private var fetch: Task<Result<BucketKeys, BucketError>, Never>?

  init(_ credentials: BucketCredentials, now: @escaping @Sendable () -> Date) {
    providers = credentials.providers
    self.now = now
  }

  /// Returns keys that are valid now.
  ///
  /// - Parameter limit: The longest wait for a fetch, which then continues for later callers.
  /// - Throws: ``BucketError/noCredentials(reason:)``; ``BucketError/cancelled``.
  func keys(within limit: Duration = .seconds(60)) async throws(BucketError) -> BucketKeys {
    switch refresh.next(now: now()) {
    case .use(let keys): return keys
    case .useAndFetch(let keys):
      startFetch()
      return keys
    case .fetch: return try await Self.end(of: startFetch(), within: limit)
    case .wait:
      guard let fetch else { throw .noCredentials(reason: "no fetch is in progress") }
      return try await Self.end(of: fetch, within: limit)
    case .fail(let error): throw error
    }
  }

  /// The server refused the keys.
  func reject(_ keys: BucketKeys) { refresh.reject(keys) }

  @discardableResult
  private func startFetch() -> Task<Result<BucketKeys, BucketError>, Never> {
    let task = Task { () -> Result<BucketKeys, BucketError> in
      let result = await Self.ask(providers)
      refresh.fetched(result, now: now())
      fetch = nil
      return result
    }
    fetch = task
    return task
  }

  private static func end(
    of fetch: Task<Result<BucketKeys, BucketError>, Never>, within limit: Duration
  ) async throws(BucketError) -> BucketKeys {
    let waiter = Waiter<Result<BucketKeys, BucketError>>()
    Task { waiter.resolve(await fetch.value) }
    let timer = Task {
      try? await Task.sleep(for: limit)
      waiter.resolve(.failure(.noCredentials(reason: "they are still being fetched")))
    }
    defer { timer.cancel() }
    return try await waiter.value(onCancel: .failure(.cancelled)).get()
  }

  /// Asks one source after another. A source that fails does not hide a later one that is set up.
  @concurrent
  private static func ask(_ providers: [any BucketCredentialProviding]) async -> Result<
    BucketKeys, BucketError
  > {
    var failure: BucketError?
    for provider in providers {
      do throws(BucketError) {
        if let keys = try await provider.keys() { return .success(keys) }
      } catch {
        failure = failure ?? error
      }
    }
    return .failure(failure ?? .noCredentials(reason: "no source of keys is set up"))
  }
}
