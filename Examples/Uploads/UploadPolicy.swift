import Calotype

/// The limits of uploads, and the sizes that are made of them.
struct UploadPolicy: Sendable {
  /// A thumbnail that is made of every upload.
  struct Thumbnail: Sendable {
    /// Its part of the file name.
    let name: String
    /// The longer side, in pixels, at most.
    let side: Int
  }

  /// The largest body, in bytes.
  var maxBytes = 20 << 20
  /// The formats, by the bytes: names and declared types of files mean nothing.
  var formats: Set<ImageFormat> = [.jpeg, .png, .webp]
  /// The largest picture, and the longest decode. They hold before memory is allocated.
  var limits = DecodeLimits(maxPixels: 50_000_000, maxSide: 16_384, maxDuration: .seconds(10))
  /// The thumbnails.
  var thumbnails = [Thumbnail(name: "small", side: 320), Thumbnail(name: "large", side: 1280)]
}
