package import FoundationEssentials

extension LoadRequest {
  /// The method, the content and the deadline of a request that is more than a plain `GET`, for servers that this
  /// process knows.
  ///
  /// A request with an exchange accepts every status, is never redirected, retried or hedged, and is not looked up among
  /// remembered failures.
  package struct Exchange: Equatable, Sendable {
    /// The method of a request (RFC 9110 §9.3).
    package enum Method: String, Sendable {
      case get = "GET"
      case head = "HEAD"
      case put = "PUT"
      case post = "POST"
      case delete = "DELETE"

      /// Whether a request without content declares a length of zero.
      var sendsContent: Bool { self == .put || self == .post }
    }

    /// The method.
    package var method: Method
    /// The content of a `PUT` or a `POST`, in pieces that are sent one after another without being copied together.
    package var content: [Data]
    /// The longest time from the call to the end of the response's header, time in queues included; `nil` for no limit.
    package var headLimit: Duration?

    /// Creates an exchange.
    package init(_ method: Method, content: [Data] = [], headLimit: Duration? = nil) {
      self.method = method
      self.content = content
      self.headLimit = headLimit
    }

    /// The number of bytes of the content.
    package var contentLength: Int { content.reduce(0) { $0 + $1.count } }
  }
}

extension LoadRequest {
  /// The longest time in the queue of a transport; `nil` for no limit.
  var queueLimit: Duration? {
    guard let limit = exchange?.headLimit else { return timeouts.total }
    return min(limit, timeouts.total ?? limit)
  }
}
