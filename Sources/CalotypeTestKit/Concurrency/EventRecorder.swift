/// Collects what an asynchronous sequence delivers, and how it ends.
///
/// The sequence is walked by the task that calls ``record(_:)``, so that the test decides who that is and when it is
/// cancelled:
///
/// ```swift
/// let recorder = EventRecorder<ImageLoad.Event>()
/// async let recording: Void = recorder.record(pipeline.load(request).events)
/// let first = try await recorder.waitFor(count: 1)
/// gate.open()
/// await recording
/// #expect(recorder.ending?.isFinished == true)
/// ```
public final class EventRecorder<Element: Sendable>: Sendable {
  /// How a sequence ended.
  public enum Ending: Sendable {
    /// There was nothing more. So do sequences end that are silent about a cancellation, such as `AsyncStream`.
    case finished
    /// It threw an error.
    case failed(any Error)
    /// It threw `CancellationError`.
    case cancelled
  }

  /// A sequence ended before it had delivered as much as was waited for.
  public struct EndedEarly: Error, CustomStringConvertible {
    /// How many elements there were.
    public let count: Int
    /// How many were waited for.
    public let wanted: Int
    /// How it ended.
    public let ending: Ending

    /// The events so far, and the expectation.
    public var description: String { "\(ending) after \(count) of \(wanted) elements" }
  }

  private struct State {
    var elements: [Element] = []
    var ending: Ending?
  }

  private let journal = EventLog(State())

  /// A recorder that has seen nothing.
  public init() {}

  /// The events delivered so far, in order.
  public var elements: [Element] { journal.entries.elements }

  /// How the sequence ended; `nil` before it did.
  public var ending: Ending? { journal.entries.ending }

  /// Walks a sequence to its end, in the calling task. One recorder is for one sequence.
  public func record<Sequence: AsyncSequence>(_ sequence: Sequence) async where Sequence.Element == Element {
    let ending: Ending
    do {
      for try await element in sequence { journal.note { $0.elements.append(element) } }
      ending = .finished
    } catch is CancellationError {
      ending = .cancelled
    } catch {
      ending = .failed(error)
    }
    journal.note { $0.ending = ending }
  }

  /// Suspends until at least `count` elements were delivered.
  ///
  /// - Returns: All that were delivered so far.
  /// - Throws: ``EndedEarly`` when the sequence has ended with fewer; `CancellationError` when the task is cancelled before.
  @discardableResult
  public func waitFor(count: Int) async throws -> [Element] {
    try await journal.wait { $0.elements.count >= count || $0.ending != nil }
    let state = journal.entries
    if state.elements.count < count, let ending = state.ending {
      throw EndedEarly(count: state.elements.count, wanted: count, ending: ending)
    }
    return state.elements
  }

  /// Suspends until the sequence has ended.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  @discardableResult
  public func waitForEnding() async throws -> Ending {
    try await journal.wait(for: \.ending)
  }
}

extension EventRecorder.Ending {
  /// Whether there was nothing more.
  public var isFinished: Bool { if case .finished = self { true } else { false } }

  /// Whether it threw `CancellationError`.
  public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// The error that it threw, `CancellationError` included; `nil` when it finished.
  public var error: (any Error)? {
    switch self {
    case .finished: nil
    case .failed(let error): error
    case .cancelled: CancellationError()
    }
  }
}

extension EventRecorder.Ending: CustomStringConvertible {
  /// One word, and the error if there is one.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed (\(error))"
    case .cancelled: "cancelled"
    }
  }
}
