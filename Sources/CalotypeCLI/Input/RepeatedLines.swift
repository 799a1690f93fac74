import Calotype
import CalotypeSupport
import CalotypeTerminal
import HTTPTypes

/// Finds equal lines of a list, so that each URL is processed once.
///
/// Outcomes of ``limit`` lines are remembered; then they are forgotten together.
final class RepeatedLines: Sendable {
  /// What to do with a line.
  enum Turn {
    /// Process it, and call ``end(_:_:)``.
    case first
    /// Nothing: an equal line is being processed.
    case waits
    /// Report this outcome.
    case known((any Error)?)
  }

  /// The most outcomes that are remembered.
  static let limit = 100_000
  /// The most lines that wait for an equal one.
  static let maxWaiting = 1000

  private struct State {
    /// By digests, because lines are long.
    var running: [[UInt8]: [LineReader.Line]] = [:]
    var ended: [[UInt8]: (any Error)?] = [:]
    var waiting = 0
  }

  private let state = Lock(State())

  /// Whether no more lines may wait: the caller has to wait until one ends.
  var isFull: Bool { state.withLock { $0.waiting >= Self.maxWaiting } }

  /// Begins a line.
  func begin(_ line: LineReader.Line) -> Turn {
    // Lines that are too long are known in part.
    if line.isTooLong { return .first }
    let digest = Self.digest(of: line)
    return state.withLock { state in
      if state.running[digest] != nil {
        state.running[digest]?.append(line)
        state.waiting += 1
        return .waits
      }
      if let error = state.ended[digest] { return .known(error) }
      state.running[digest] = []
      return .first
    }
  }

  /// Ends a line whose turn was ``Turn/first``.
  ///
  /// - Parameter error: Its failure, if it failed.
  /// - Returns: The equal lines that wait for it.
  func end(_ line: LineReader.Line, _ error: (any Error)?) -> [LineReader.Line] {
    if line.isTooLong { return [] }
    let digest = Self.digest(of: line)
    return state.withLock { state in
      let lines = state.running.removeValue(forKey: digest) ?? []
      state.waiting -= lines.count
      // A line that comes again later may succeed then.
      if (error as? any CalotypeError)?.isRetryable == true { return lines }
      if state.ended.count >= Self.limit { state.ended = [:] }
      state.ended[digest] = .some(error.map(Self.withoutFields))
      return lines
    }
  }

  /// The error without the header fields of its response, of which a server may send many.
  private static func withoutFields(_ error: any Error) -> any Error {
    guard case LoadingError.httpStatus(let url, let status, _, _) = error else { return error }
    return LoadingError.httpStatus(url, status: status, headers: HTTPFields())
  }

  private static func digest(of line: LineReader.Line) -> [UInt8] {
    var text = line.text
    return text.withUTF8 { Array(MessageDigest.sha256(UnsafeRawBufferPointer($0))) }
  }
}
