import Calotype
import FoundationEssentials

/// The bytes that are made of a source, and the facts that a report tells.
struct Product: Sendable {
  let data: Data
  let format: String
  let fileExtension: String
  let size: PixelSize
  /// The header of the source, if it is known.
  var info: ImageInfo?
  /// The number of bytes of the source, if they were read.
  var sourceBytes: Int?
  /// The number of frames that the bytes omit without an explicit option.
  var droppedFrames: Int?
  /// The number of pages that the bytes omit without an explicit option.
  var droppedPages: Int?
  /// Whether the source is damaged; `nil` if it was not decoded.
  let isDamaged: Bool?
  var origin: ImageResponse.Source

  /// Describes the bytes of a source that are copied.
  init(copying served: DataResponse, _ info: ImageInfo, isDecoded: Bool) {
    data = served.data
    (format, fileExtension, size) = (info.format.rawValue, info.format.fileExtension, info.size)
    self.info = info
    sourceBytes = served.data.count
    isDamaged = info.isDamaged || isDecoded ? info.isDamaged : nil
    origin = served.source
  }

  /// Describes the bytes of a source that keep all of it in another format.
  init(transcoding served: DataResponse, _ info: ImageInfo, to format: ImageFormat, _ data: Data) {
    self.data = data
    (self.format, fileExtension, size) = (format.rawValue, format.fileExtension, info.size)
    self.info = info
    sourceBytes = served.data.count
    isDamaged = nil
    origin = served.source
  }

  /// Describes the bytes that were encoded of a picture.
  init(_ encoded: EncodedPicture, of picture: Picture, droppedFrames: Int?, droppedPages: Int?) {
    data = encoded.data
    (format, fileExtension, size) = (encoded.format, encoded.fileExtension, encoded.size)
    info = picture.info
    sourceBytes = picture.source == .disk ? nil : picture.byteCount
    self.droppedFrames = droppedFrames
    self.droppedPages = droppedPages
    isDamaged = picture.info.map { $0.isDamaged || encoded.isDamaged }
    origin = picture.source
  }

  /// Describes an image in the form that was negotiated.
  init(_ image: EncodedImage) {
    data = image.data
    (format, fileExtension) = (image.format.rawValue, image.format.fileExtension)
    size = PixelSize(width: image.width, height: image.height)
    isDamaged = image.isDamaged
    origin = image.source
  }
}
