import Calotype
import CalotypeSupport
import CalotypeTerminal

/// A failure, as text or JSON.
struct Failure: Encodable {
  struct Details: Encodable {
    let code: String
    let message: String
  }

  let source: String
  /// The number of the line in the list.
  let line: Int?
  let error: Details

  init(source: String, line: Int? = nil, error: any Error) {
    self.source = RedactedURL.withoutUsers(source)
    self.line = line
    let code = (error as? any CalotypeError)?.code ?? (error is CancellationError ? "cancelled" : "unknown")
    let message = error is CancellationError ? "cancelled" : String(describing: error)
    self.error = Details(code: code, message: RedactedURL.withoutUsers(message))
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
