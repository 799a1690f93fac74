import CalotypeSupport

/// The results that wait to be stored, which give way when room is short.
final class PendingResultStores: Sendable {
  private let tickets = Lock([ObjectIdentifier: WorkQueue.Ticket]())

  /// A ticket for one that waits, until it is removed.
  func add() -> WorkQueue.Ticket {
    let ticket = WorkQueue.Ticket()
    tickets.withLock { $0[ObjectIdentifier(ticket)] = ticket }
    return ticket
  }

  /// It waits no longer.
  func remove(_ ticket: WorkQueue.Ticket) {
    tickets.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(ticket)) }
  }

  /// Has all that wait give up.
  func withdrawAll() {
    for ticket in tickets.withLock({ Array($0.values) }) { ticket.withdraw() }
  }
}
