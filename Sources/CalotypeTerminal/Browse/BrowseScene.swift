import Calotype

/// What is to be seen of one image of the list.
struct BrowseScene: Sendable {
  enum Look: Sendable {
    /// Nothing is there yet.
    case waiting
    /// A picture; another version is another picture.
    case picture(Bitmap, version: Int)
    /// Why there is none.
    case failure(String)
  }

  /// Its number in the list, from 0.
  let item: Int
  /// The cells that its picture may take; the caption is in the line below.
  let area: CellRectangle
  let look: Look
  let caption: String
}
