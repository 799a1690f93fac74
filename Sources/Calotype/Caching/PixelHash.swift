package import CalotypeImaging
import CalotypeSupport

/// A hash of the visible content of an image: the colour of invisible pixels does not count.
package enum PixelHash {
  /// Returns the SHA-256 over all RGBA bytes, rows from top to bottom, fully transparent pixels as four
  /// zeros; in hex.
  package static func sha256(of bitmap: Bitmap) -> String {
    var hash = MessageDigest(.sha256)
    bitmap.withUnsafeBytes { pixels in
      if bitmap.isOpaque { return hash.update(pixels) }
      var chunk = [UInt8]()
      var start = 0
      while start < pixels.count {
        let end = min(start + 1 << 16, pixels.count)
        chunk.removeAll(keepingCapacity: true)
        chunk.append(contentsOf: pixels[start..<end])
        for index in stride(from: 0, to: chunk.count, by: 4) where chunk[index + 3] == 0 {
          chunk[index] = 0
          chunk[index + 1] = 0
          chunk[index + 2] = 0
        }
        chunk.withUnsafeBytes { hash.update($0) }
        start = end
      }
    }
    return Hex.encode(hash.finalize())
  }
}
