import Calotype
import CalotypeSupport
import CalotypeTerminal

/// A failure, as text or JSON.
struct Failure: Encodable {
  struct Details: Encodable {
    let code: String
    /// The reason. It names the source only where another one is at fault, such as a fallback.
    let message: String
    /// The HTTP status that the server answered with.
    let status: Int?
    /// The time in seconds after which a retry is worth it.
    let retryAfter: Int?
  }

  let source: String
  /// The number of the line in the list.
  let line: Int?
  let error: Details

  init(source: String, line: Int? = nil, error: any Error) {
    self.source = RedactedURL.withoutUsers(source)
    self.line = line
    let known = error as? any CalotypeError
    let code = known?.code ?? (error is CancellationError ? "cancelled" : "unknown")
    var status: Int?
    if case .httpStatus(_, let answered, _, _) = error as? LoadingError { status = answered }
    self.error = Details(
      code: code, message: RedactedURL.withoutUsers(Self.reason(of: error, for: source)), status: status,
      retryAfter: known?.retryAfter.map { Int($0.components.seconds) })
  }

  private static func reason(of error: any Error, for source: String) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case let error as LoadingError where error.concerns(source): error.reason
    case let error as PipelineError where error.concerns(source): error.reason
    default: String(describing: error)
    }
  }

  func report(asJSON: Bool) {
    if asJSON {
      Output.json(self)
    } else {
      let place = line.map { "line \($0): " } ?? ""
      Output.error("calotype: \(place)\(source): \(error.message)")
    }
  }
}
