extension Bitmap {
  /// Whether most pixels equal their right neighbour, as in drawings, screenshots and text, and unlike in photos.
  ///
  /// Looks at no more than 64 rows. A heuristic: blurred or overexposed photos may count as drawings.
  package var hasFlatAreas: Bool {
    let bytesPerPixel = format.bytesPerPixel
    guard width > 1, height > 0 else { return false }
    let rows = min(height, 64)
    return withUnsafeBytes { bytes in
      var (equal, count) = (0, 0)
      for index in 0..<rows {
        let row = index * (height - 1) / max(1, rows - 1) * width * bytesPerPixel
        for x in 0..<width - 1 {
          let (left, right) = (row + x * bytesPerPixel, row + (x + 1) * bytesPerPixel)
          var isEqual = true
          for channel in 0..<bytesPerPixel where bytes[left + channel] != bytes[right + channel] {
            isEqual = false
          }
          equal += isEqual ? 1 : 0
        }
        count += width - 1
      }
      return equal * 2 > count
    }
  }
}
