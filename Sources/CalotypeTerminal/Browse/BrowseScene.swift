import Calotype

/// The appearance of one item of the list.
struct BrowseScene: Sendable {
  enum Look: Sendable {
    /// The image has not arrived.
    case waiting
    /// A picture; another version is another picture.
    case picture(Bitmap, version: Int)
    /// The reason why there is no image.
    case failure(String)
  }

  /// Its number in the list, from 0.
  let item: Int
  /// The cells that its picture may take; the caption is in the line below.
  let area: CellRectangle
  let look: Look
  let caption: String
}
