import CalotypeImaging

extension PixelSize {
  /// Both sides, such as `300x200`.
  var decisions: String { "\(width)x\(height)" }
}

extension PixelPoint {
  /// Both coordinates, such as `10,-20`.
  var decisions: String { "\(x),\(y)" }
}

extension PixelRegion {
  /// Corner and size, such as `10,20 300x200`.
  var decisions: String { "\(origin.decisions) \(size.decisions)" }
}
