import FoundationEssentials

/// The bytes of a body that have arrived: a value without any waiting.
struct UploadBody {
  private(set) var data = Data()
  private let limit: Int
  /// The number of bytes at which the header is worth a look.
  private var nextLook = 512

  /// - Parameters:
  ///   - limit: The most bytes.
  ///   - declaredLength: The `Content-Length` of the request, if it has one.
  /// - Throws: `tooLarge`, before any byte was read.
  init(limit: Int, declaredLength: Int?) throws(UploadError) {
    self.limit = limit
    if let declaredLength, declaredLength > limit { throw .tooLarge(limit: limit) }
  }

  /// Adds a part.
  ///
  /// - Throws: `tooLarge`; the part was not kept then.
  mutating func append(_ chunk: Data) throws(UploadError) {
    guard chunk.count <= limit - data.count else { throw .tooLarge(limit: limit) }
    data.append(chunk)
  }

  /// Tells whether to look for the header now: at 512 bytes, and whenever twice as many bytes are there, so that a body of
  /// many small parts costs no more than one of few.
  mutating func isWorthALook() -> Bool {
    guard data.count >= nextLook else { return false }
    while nextLook <= data.count { nextLook *= 2 }
    return true
  }
}
