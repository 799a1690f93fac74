import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// A request to a bucket.
struct BucketCall: Sendable {
  var method: LoadRequest.Exchange.Method
  /// The key of an object; `nil` for the bucket itself.
  var key: String?
  var query: [(name: String, value: String)] = []
  var fields = HTTPFields()
  /// In pieces, which are sent one after another.
  var content: [Data] = []
  /// The hash that is signed; `nil` for that of the content.
  var payload: PayloadHash?
  /// The most bytes of a body to accept.
  var byteLimit = ErrorDocument.maxLength
  /// Whether the answer may take as long as a write, because no caller waits for it.
  var isPatient = false
}

/// The answer to a request, of any status.
struct BucketAnswer: Sendable {
  let status: Int
  let fields: HTTPFields
  let body: Data

  var isSuccess: Bool { (200...299).contains(status) }

  /// The failure that the answer reports.
  var error: BucketError {
    let document = ErrorDocument([UInt8](body.prefix(ErrorDocument.maxLength + 1)))
    return .refused(
      status: status, code: document.code, message: document.message,
      retryAfter: RetryAfter.delay(in: fields, now: Date()))
  }
}
