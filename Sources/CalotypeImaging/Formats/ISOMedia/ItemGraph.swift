/// The picture of an ``ItemTable`` that is to be shown, with the items that it is made of, after all checks: there are no
/// cycles, a derived picture is made of coded ones, and all data are within the file.
package struct ItemGraph: Sendable {
  /// The composition of a picture.
  package enum Composition: Hashable, Sendable {
    /// One coded item.
    case coded(UInt32)
    /// Tiles, row by row.
    case grid(PictureGrid, tiles: [UInt32])
    /// Another derivation, such as an overlay, from these items.
    case derived(FourCC, from: [UInt32])
  }

  /// A picture of the file.
  package struct Picture: Hashable, Sendable {
    /// The item.
    package let id: UInt32
    /// The size before transformations.
    package let size: PixelSize
    package let composition: Composition
    /// Bits per sample; `nil` if the file does not say.
    package let bitDepth: Int?

    /// The items that the picture is derived from.
    var inputs: [UInt32] {
      switch composition {
      case .coded: []
      case .grid(_, let tiles): tiles
      case .derived(_, let inputs): inputs
      }
    }
  }

  /// The items.
  package let table: ItemTable
  /// The picture to show.
  package let primary: Picture
  /// The picture whose luma is the alpha of ``primary``.
  package let alpha: Picture?
  /// A Boolean value that indicates whether the colours of ``primary`` are multiplied by its alpha.
  package let isPremultiplied: Bool
  /// The items with smaller versions of ``primary``, unchecked.
  package let thumbnails: [UInt32]
  /// A Boolean value that indicates whether a gain map accompanies ``primary``.
  package let hasGainMap: Bool

  /// The properties of ``primary``, in order.
  package var properties: [ItemProperty] {
    table.items[primary.id].map { table.properties(of: $0) } ?? []
  }
}
