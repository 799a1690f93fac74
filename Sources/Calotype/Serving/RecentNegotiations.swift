import CalotypeImaging
import CalotypeSupport

/// The negotiations of the `Accept` fields that were read last: browsers send few different ones, with every request.
final class RecentNegotiations: Sendable {
  private static let maxCount = 64

  private let tables = Lock<[String: NegotiationTable]>([:])

  /// Returns the negotiation for a field. The table of a field is that of the candidates it was last asked for.
  func table(accept text: String, among candidates: [EncodeOptions]) -> NegotiationTable {
    guard RecentHeaders.remembers(text) else { return NegotiationTable(AcceptHeader(text), candidates) }
    let known = tables.withLock { $0[text] }
    // Cheap where a server keeps its candidates in a constant: equal arrays share their storage.
    if let known, known.options == candidates { return known }
    let table = NegotiationTable(AcceptHeader(text), candidates)
    tables.withLock {
      if $0.count >= Self.maxCount { $0.removeAll() }
      $0[text] = table
    }
    return table
  }
}
