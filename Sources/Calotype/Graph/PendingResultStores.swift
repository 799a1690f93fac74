import CalotypeSupport

/// The results that wait to be stored, which are dropped when memory is short.
final class PendingResultStores: Sendable {
  private let tickets = Lock([ObjectIdentifier: WorkQueue.Ticket]())

  /// Returns a ticket for a waiting result, until it is removed.
  func add() -> WorkQueue.Ticket {
    let ticket = WorkQueue.Ticket()
    tickets.withLock { $0[ObjectIdentifier(ticket)] = ticket }
    return ticket
  }

  /// Removes a result that no longer waits.
  func remove(_ ticket: WorkQueue.Ticket) {
    tickets.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(ticket)) }
  }

  /// Drops all waiting results.
  func withdrawAll() {
    for ticket in tickets.withLock({ Array($0.values) }) { ticket.withdraw() }
  }
}
