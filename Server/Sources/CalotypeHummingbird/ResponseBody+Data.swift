public import FoundationEssentials
public import Hummingbird
import NIOCore

extension ResponseBody {
  private static var pieceLength: Int { 64 << 10 }

  /// Creates a body of known length.
  ///
  /// More than 64 KiB are sent in pieces, so that a client that reads slowly holds a piece and not a copy of the body.
  public init(_ data: Data) {
    guard data.count > Self.pieceLength else {
      self = data.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: data))
      return
    }
    self.init(contentLength: data.count) { writer in
      var rest = data
      while !rest.isEmpty {
        try await writer.write(ByteBuffer(bytes: rest.prefix(Self.pieceLength)))
        rest = rest.dropFirst(Self.pieceLength)
      }
      try await writer.finish(nil)
    }
  }
}
