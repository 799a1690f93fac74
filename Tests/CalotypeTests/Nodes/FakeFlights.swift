import CalotypeCaching
import CalotypeSupport

/// Coordination of pipelines in one process.
final class FakeFlights: FlightCoordinating {
  private struct Work {
    var waiters: [CheckedContinuation<Flight, Never>] = []
  }

  private struct Book {
    var work: [String: Work] = [:]
    var begun = 0
    var outcomes: [FlightOutcome] = []
  }

  private let book = Lock(Book())

  /// Calls that were not led.
  var waiting: Int { book.withLock { $0.work.values.reduce(0) { $0 + $1.waiters.count } } }
  var leads: Int { book.withLock { $0.begun } }
  var outcomes: [FlightOutcome] { book.withLock { $0.outcomes } }

  func begin(_ key: CacheKey, waits: Bool, timeout: Duration?) async -> Flight {
    await withCheckedContinuation { continuation in
      let flight: Flight? = book.withLock { book in
        guard book.work[key.text] != nil else {
          book.work[key.text] = Work()
          book.begun += 1
          return .lead(Lease(flights: self, key: key.text))
        }
        guard waits else { return .busy }
        book.work[key.text]?.waiters.append(continuation)
        return nil
      }
      if let flight { continuation.resume(returning: flight) }
    }
  }

  fileprivate func end(_ key: String, _ outcome: FlightOutcome?) {
    let waiters = book.withLock { book in
      if let outcome { book.outcomes.append(outcome) }
      return book.work.removeValue(forKey: key)?.waiters ?? []
    }
    for waiter in waiters { waiter.resume(returning: outcome.map { .outcome($0) } ?? .alone) }
  }

  private final class Lease: FlightLease {
    private let flights: FakeFlights
    private let key: String
    private let isEnded = Lock(false)

    init(flights: FakeFlights, key: String) { (self.flights, self.key) = (flights, key) }

    deinit { end(as: nil) }

    func end(_ outcome: FlightOutcome) async { end(as: outcome) }

    private func end(as outcome: FlightOutcome?) {
      let isFirst = isEnded.withLock { ended in
        defer { ended = true }
        return !ended
      }
      if isFirst { flights.end(key, outcome) }
    }
  }
}
