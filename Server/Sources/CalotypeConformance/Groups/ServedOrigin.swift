import CalotypeImaging
import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// An origin in this process.
struct ServedOrigin: Sendable {
  /// A failure of its network.
  enum Fault: Sendable {
    case unreachable
    case timeout
    case truncated
    case refusedRedirect
  }

  var status = 200
  var fields = HTTPFields()
  var body = ServedOrigin.image
  var fault: Fault?

  /// A JPEG of high quality, with something to leave out.
  static let image: Data = {
    let options = EncodeOptions.jpeg(quality: 98)
    let pixels = (0..<96 * 64).flatMap { index -> [UInt8] in
      let (x, y) = (index % 96, index / 96)
      return [UInt8(x * 2 + (x * y) % 32), UInt8(y * 3 + (x ^ y) % 16), UInt8((x + y) % 256), 255]
    }
    guard let bitmap = try? Bitmap(rgba: pixels, width: 96, height: 64),
      let data = try? CoderRegistry.standard.encode(Image(bitmap: bitmap), as: options)
    else { return Data() }
    return data
  }()

  /// The loader of the origin's images.
  var loader: ClosureLoader {
    ClosureLoader(accepts: { $0.url.map { ["http", "https"].contains($0.scheme) } ?? false }) {
      [self] request in
      let url = request.source.url ?? URL(filePath: "/")
      switch fault {
      case .unreachable: throw LoadingError.connectionFailed(url, reason: "refused")
      case .timeout: throw LoadingError.timedOut(url, phase: .total, after: .seconds(5))
      case .truncated: throw LoadingError.truncatedBody(url, received: 10, expected: 20)
      case .refusedRedirect: throw LoadingError.addressRefused(url, reason: "private address 10.0.0.1")
      case nil: break
      }
      guard request.statuses.contains(status) else {
        throw LoadingError.httpStatus(url, status: status, headers: fields)
      }
      return LoadResponse(
        url: url, status: status, headers: fields, expectedLength: body.count, contentType: "image/jpeg",
        body: LoadBody([body]))
    }
  }
}
