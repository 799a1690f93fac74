import CalotypeImaging

extension PixelSize {
  /// Both sides, such as `300x200`.
  var identity: String { "\(width)x\(height)" }
}

extension PixelPoint {
  /// Both coordinates, such as `10,-20`.
  var identity: String { "\(x),\(y)" }
}

extension PixelRegion {
  /// Corner and size, such as `10,20 300x200`.
  var identity: String { "\(origin.identity) \(size.identity)" }
}
