import CalotypeSupport
extension CacheGroup {
  /// The answer of a tier, and the tiers that were asked before and had none.
  struct Answer<Value: Sendable>: Sendable {
    let value: Value
    let tier: Int
    let misses: [Int]
  }

  /// Asks tiers until one has an answer. Returns `nil` if none has one and none failed.
  func ask<Value: Sendable>(
    _ policy: Policy, _ question: @escaping @Sendable (any DataCaching) async throws(CachingError) -> Value?
  ) async throws(CachingError) -> Answer<Value>? {
    switch policy {
    case .serial: try await askInTurn(Array(tiers.indices), question)
    case .concurrent: try await askTogether(question)
    case .highestOnly: try await askInTurn(Array(tiers.indices.prefix(1)), question)
    case .lowestOnly: try await askInTurn(Array(tiers.indices.suffix(1)), question)
    }
  }

  private func askInTurn<Value: Sendable>(
    _ indices: [Int], _ question: @Sendable (any DataCaching) async throws(CachingError) -> Value?
  ) async throws(CachingError) -> Answer<Value>? {
    var misses: [Int] = []
    var firstError: CachingError?
    for index in indices {
      if Task.isCancelled { throw .cancelled }
      do throws(CachingError) {
        if let value = try await question(tiers[index]) {
          return Answer(value: value, tier: index, misses: misses)
        }
        misses.append(index)
      } catch {
        note(error, of: index)
        firstError = firstError ?? error
      }
    }
    if let firstError { throw firstError }
    return nil
  }

  private func askTogether<Value: Sendable>(
    _ question: @escaping @Sendable (any DataCaching) async throws(CachingError) -> Value?
  ) async throws(CachingError) -> Answer<Value>? {
    if Task.isCancelled { throw .cancelled }
    let result = await withTaskGroup(
      of: (Int, Result<Value?, CachingError>).self, returning: Result<Answer<Value>?, CachingError>.self
    ) { group in
      for (index, tier) in tiers.enumerated() {
        group.addTask { (index, await Self.result { () throws(CachingError) in try await question(tier) }) }
      }
      var found: (value: Value, tier: Int)?
      var misses: [Int] = []
      var errors: [(tier: Int, error: CachingError)] = []
      for await (index, result) in group {
        switch result {
        case .success(let value?) where found == nil:
          found = (value, index)
          group.cancelAll()
        case .success(nil): misses.append(index)
        case .success: break
        case .failure(let error):
          note(error, of: index)
          errors.append((index, error))
        }
      }
      if let found { return .success(Answer(value: found.value, tier: found.tier, misses: misses)) }
      if let first = errors.min(by: { $0.tier < $1.tier }) { return .failure(first.error) }
      return .success(nil)
    }
    return try result.get()
  }

  /// Changes the writable tiers that a policy selects. An error in one does not stop the others.
  ///
  /// - Parameter scope: The records to change.
  /// - Returns: Their answers, in any order.
  func change<Value: Sendable>(
    _ policy: Policy, of scope: FillTable.Scope,
    _ change: @escaping @Sendable (any DataCaching) async throws(CachingError) -> Value
  ) async throws(CachingError) -> [Value] {
    if tiers.isEmpty { return [] }
    let written = tiers.indices.filter { !tiers[$0].isReadOnly }
    if written.isEmpty { throw .cacheIsReadOnly }
    if Task.isCancelled { throw .cancelled }
    book.fills.withLock { $0.beginChange(scope) }
    defer { book.fills.withLock { $0.endChange(scope) } }
    var results: [(tier: Int, result: Result<Value, CachingError>)] = []
    switch policy {
    case .concurrent:
      results = await withTaskGroup(of: (Int, Result<Value, CachingError>).self) { group in
        for index in written {
          let tier = tiers[index]
          group.addTask { (index, await Self.result { () throws(CachingError) in try await change(tier) }) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    case .serial, .highestOnly, .lowestOnly:
      let chosen =
        switch policy {
        case .highestOnly: written.prefix(1)
        case .lowestOnly: written.suffix(1)
        case .serial, .concurrent: written[...]
        }
      for index in chosen {
        let tier = tiers[index]
        results.append((index, await Self.result { () throws(CachingError) in try await change(tier) }))
      }
    }
    var values: [Value] = []
    var first: (tier: Int, error: CachingError)?
    for (tier, result) in results {
      switch result {
      case .success(let value): values.append(value)
      case .failure(let error):
        note(error, of: tier)
        if tier < first?.tier ?? .max { first = (tier, error) }
      }
    }
    if let first { throw first.error }
    return values
  }

  private static func result<Value: Sendable>(
    _ work: @Sendable () async throws(CachingError) -> Value
  ) async -> Result<Value, CachingError> {
    do throws(CachingError) {
      return .success(try await work())
    } catch {
      return .failure(error)
    }
  }
}
