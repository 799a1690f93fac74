import Calotype
import FoundationEssentials

/// Image files in an operating system command of iTerm2: https://iterm2.com/documentation-images.html
enum InlineImage {
  /// Shows a picture at the cursor within so many cells, proportions kept. Where the cursor is then, terminals do not agree.
  ///
  /// Opaque pictures are sent as JPEG, which costs a tenth of the bytes, others as PNG.
  static func show(_ bitmap: Bitmap, columns: Int, rows: Int) throws(ImagingError) -> [UInt8] {
    var options = EncodeOptions.png
    if bitmap.isOpaque, bitmap.size.pixelCount > 64 * 64 {
      options = .jpeg(quality: 90)
      options.subsampling = .yuv444
    }
    options.effort = .fast
    let file = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: options)
    var bytes = Array("\u{1B}]1337;File=inline=1;size=\(file.count);width=\(columns);height=\(rows)".utf8)
    bytes.append(";preserveAspectRatio=1;doNotMoveCursor=1:")
    bytes.append(contentsOf: file.base64EncodedData())
    bytes.append(0x07)
    return bytes
  }
}
