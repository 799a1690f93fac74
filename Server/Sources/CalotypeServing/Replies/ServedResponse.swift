public import CalotypeLoading
public import FoundationEssentials
public import HTTPTypes

/// A response without a transport.
public struct ServedResponse: Sendable {
  /// The content of a response.
  public enum Body: Sendable {
    /// Bytes.
    case data(Data)
    /// Bytes that arrive while they are sent, and their number, if it is known. Reading no further ends the transfer.
    case stream(LoadBody, length: Int?)
  }

  /// The status.
  public var status: HTTPResponse.Status
  /// The fields, but for `Content-Length`.
  public var fields: HTTPFields
  /// The content; what a response to HEAD would have had is not in it.
  public var body: Body
  /// The length of the content that a response to HEAD declares; `nil` for that of the body.
  public var declaredLength: Int?
  /// The stable code of a failure; `nil` if there is none.
  public var errorCode: String?
  /// The cause of a failure for logs; empty if there is none.
  public var errorDetail = ""

  /// Creates a response.
  public init(
    status: HTTPResponse.Status, fields: HTTPFields = [:], body: Data = Data(), declaredLength: Int? = nil,
    errorCode: String? = nil
  ) {
    self.status = status
    self.fields = fields
    self.body = .data(body)
    self.declaredLength = declaredLength
    self.errorCode = errorCode
  }

  /// Creates a response of text.
  public init(status: HTTPResponse.Status, text: String, type: String = "text/plain; charset=utf-8") {
    self.init(status: status, fields: [.contentType: type], body: Data(text.utf8))
  }

  /// The bytes of the content; empty for a stream.
  public var data: Data {
    if case .data(let data) = body { data } else { Data() }
  }
}
