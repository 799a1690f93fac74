/// The items of a HEIF or AVIF file: the `meta` box (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 6).
package struct ItemTable: Sendable {
  /// An item: a coded picture, a derived one, or metadata.
  package struct Item: Hashable, Sendable {
    package let id: UInt32
    /// The type; `nil` for the names of early versions.
    package var type: FourCC?
    /// The media type of the data of a `mime` item.
    package var contentType: String?
    /// A Boolean value that indicates whether the item is not to be shown by itself, as a tile.
    package var isHidden = false
    /// The location of the data; `nil` without an entry.
    package var location: Location?
    /// The properties, in order of association, as indices into ``ItemTable/properties``.
    package var properties: [Association] = []
  }

  /// A property of an item.
  package struct Association: Hashable, Sendable {
    /// The index of the property, from 0.
    package let index: Int
    /// A Boolean value that indicates whether the item may only be shown by a reader that understands the property.
    package let isEssential: Bool
  }

  /// The location of the data of an item (ISO/IEC 14496-12, 8.11.3).
  package struct Location: Hashable, Sendable {
    /// The origin of the offsets.
    package enum Origin: Hashable, Sendable {
      case file
      /// The `idat` box.
      case itemData
      /// Another item, or another file, which are not read.
      case elsewhere
    }

    package let origin: Origin
    package let extents: [Extent]
  }

  /// A piece of the data of an item.
  package struct Extent: Hashable, Sendable {
    package let offset: UInt64
    /// The number of bytes; 0 reaches to the end.
    package let length: UInt64
  }

  /// References from one item to others (ISO/IEC 14496-12, 8.11.12).
  package struct Reference: Hashable, Sendable {
    package let type: FourCC
    package let from: UInt32
    package let to: [UInt32]
  }

  /// The format, to be named in errors.
  package let format: ImageFormat
  /// The items by their identifiers.
  package internal(set) var items: [UInt32: Item] = [:]
  /// The item to show.
  package internal(set) var primaryID: UInt32?
  /// The references, in order.
  package internal(set) var references: [Reference] = []
  /// The properties, which items share.
  package internal(set) var properties: [ItemProperty] = []
  /// The content of `idat`.
  package internal(set) var itemData: Range<Int>?

  /// Returns the properties of an item, in order.
  package func properties(of item: Item) -> [ItemProperty] {
    item.properties.map { properties[$0.index] }
  }

  /// Returns the items to which an item refers.
  package func targets(of type: StaticString, from id: UInt32) -> [UInt32] {
    let type = FourCC(type)
    return references.filter { $0.type == type && $0.from == id }.flatMap(\.to)
  }

  /// Returns the items that refer to an item.
  package func sources(of type: StaticString, to id: UInt32) -> [UInt32] {
    let type = FourCC(type)
    return references.filter { $0.type == type && $0.to.contains(id) }.map(\.from)
  }

  func corrupt(_ reason: String, at offset: Int? = nil) -> ImagingError {
    .corrupt(format, reason: reason, offset: offset)
  }
}
