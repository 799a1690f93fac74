@testable import CalotypeImaging

extension Bitmap {
  /// One letter a pixel, rows separated by `/`: `R`, `G`, `B`, `W`, `K`, `.` for transparent, `?` for others.
  var letters: String {
    withUnsafeBytes { bytes in
      (0..<height).map { row in
        (0..<width).map { column in
          let at = 4 * (row * width + column)
          guard bytes[at + 3] != 0 else { return "." }
          switch (bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]) {
          case (255, 0, 0, 255): return "R"
          case (0, 255, 0, 255): return "G"
          case (0, 0, 255, 255): return "B"
          case (255, 255, 255, 255): return "W"
          case (0, 0, 0, 255): return "K"
          default: return "?"
          }
        }.joined()
      }.joined(separator: "/")
    }
  }

  /// FNV-1a, 64 bits, over all bytes; fully transparent pixels count as zeros.
  var fingerprint: UInt64 {
    withUnsafeBytes { bytes in
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for pixel in stride(from: 0, to: bytes.count, by: 4) {
        for offset in 0..<4 {
          let byte = bytes[pixel + 3] == 0 ? 0 : bytes[pixel + offset]
          hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
      }
      return hash
    }
  }
}
