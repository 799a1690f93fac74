/// The cells that one picture may take; `nil` for as many as the window has.
package struct PictureSizeLimits: Hashable, Sendable {
  package var columns: Int?
  package var rows: Int?

  package init(columns: Int? = nil, rows: Int? = nil) {
    (self.columns, self.rows) = (columns, rows)
  }

  /// Whether a picture smaller than that is enlarged: only where a limit was given.
  package var enlarges: Bool { columns != nil || rows != nil }

  /// The cells that a picture may take in a window.
  ///
  /// - Parameter reserved: Lines of the window that are not for the picture.
  func cells(in size: Output.Size, reserved: Int) -> (columns: Int, rows: Int) {
    // A picture that scrolls out of the window while it is drawn cannot be drawn over.
    (min(columns ?? .max, size.columns), max(1, min(rows ?? .max, size.rows - reserved)))
  }
}
