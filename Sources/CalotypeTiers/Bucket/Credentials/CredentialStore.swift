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
  /// - Throws: ``BucketError/noCredentials(reason:)``.
  func keys() async throws(BucketError) -> BucketKeys {
    switch refresh.next(now: now()) {
    case .use(let keys): return keys
    case .useAndFetch(let keys):
      startFetch()
      return keys
    case .fetch: return try await startFetch().value.get()
    case .wait:
      guard let fetch else { throw .noCredentials(reason: "no fetch is in progress") }
      return try await fetch.value.get()
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

  /// Asks one source after another. A source that fails does not hide a later one that is set up.
  @concurrent
  private static func ask(_ providers: [any BucketCredentialProviding]) async -> Result<BucketKeys, BucketError> {
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
