extension ItemTable {
  /// The largest index that an association can have.
  private static let maxProperties = 0x7FFF
  /// The largest number of properties in one entry of associations.
  private static let maxAssociations = 255
  /// The largest number of extents for each item that is allowed.
  private static let extentsPerItem = 16

  /// Reads a `meta` box that is at hand.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``; ``ImagingError/limitExceeded(_:value:limit:)`` for more than
  ///   ``DecodeLimits/maxItems`` items or references.
  package init(_ meta: ISOBox, _ bytes: RawSpan, limits: DecodeLimits, format: ImageFormat)
    throws(ImagingError)
  {
    self.format = format
    var boxes = ISOBoxes(try meta.fullContent(format), format: format)
    var (locations, associations): (ISOBox?, [ISOBox]) = (nil, [])
    var referenceCount = 0
    while let box = try boxes.next(bytes) {
      switch box.type {
      case "hdlr":
        guard bytes.holds("pict", at: box.content.lowerBound + 8) else {
          throw corrupt("the items are no pictures", at: box.offset)
        }
      case "pitm": try readPrimary(box, bytes)
      case "iinf" where items.isEmpty: try readItems(box, bytes, limits)
      case "iloc" where locations == nil: locations = box
      case "iref": try readReferences(box, bytes, limits, total: &referenceCount)
      case "iprp" where properties.isEmpty:
        associations += try readProperties(box, bytes)
        try limits.check(itemCount: associations.count)
      case "idat" where itemData == nil: itemData = box.content
      default: break
      }
    }
    // Both refer to items, which may come later in the file.
    if let locations { try readLocations(locations, bytes, limits) }
    for box in associations { try readAssociations(box, bytes) }
  }

  private mutating func readPrimary(_ box: ISOBox, _ bytes: RawSpan) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let version = try fields.byte(bytes)
    try fields.skip(3)
    primaryID = try fields.itemID(bytes, isLong: version > 0)
  }

  private mutating func readItems(
    _ box: ISOBox, _ bytes: RawSpan, _ limits: DecodeLimits
  ) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let version = try fields.byte(bytes)
    try fields.skip(3)
    let count = Int(clamping: try fields.number(bytes, byteCount: version == 0 ? 2 : 4))
    try limits.check(itemCount: count)
    var entries = ISOBoxes(fields.position..<box.end, format: format)
    while let entry = try entries.next(bytes) {
      guard entry.type == FourCC("infe") else { continue }
      try readItem(entry, bytes)
      try limits.check(itemCount: items.count)
    }
  }

  private mutating func readItem(_ box: ISOBox, _ bytes: RawSpan) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let version = try fields.byte(bytes)
    let flags = try fields.number(bytes, byteCount: 3)
    var item = Item(id: try fields.itemID(bytes, isLong: version >= 3))
    item.isHidden = flags & 1 != 0
    // Protection.
    try fields.skip(2)
    if version >= 2 {
      item.type = FourCC(rawValue: try fields.uint32(bytes))
      if item.type == FourCC("mime") {
        // The name comes first.
        _ = fields.text(bytes)
        item.contentType = fields.text(bytes)
      }
    }
    guard items.updateValue(item, forKey: item.id) == nil else {
      throw corrupt("the item \(item.id) is described twice", at: box.offset)
    }
  }

  private mutating func readLocations(
    _ box: ISOBox, _ bytes: RawSpan, _ limits: DecodeLimits
  ) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let version = try fields.byte(bytes)
    try fields.skip(3)
    guard version <= 2 else {
      throw corrupt("the box iloc has the unknown version \(version)", at: box.offset)
    }
    let sizes = try fields.uint16(bytes)
    let offsetSize = Int(sizes >> 12)
    let lengthSize = Int(sizes >> 8 & 15)
    let baseSize = Int(sizes >> 4 & 15)
    let indexSize = version == 0 ? 0 : Int(sizes & 15)
    guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) }) else {
      throw corrupt("the box iloc has fields of impossible sizes", at: box.offset)
    }
    let count = Int(clamping: try fields.number(bytes, byteCount: version < 2 ? 2 : 4))
    try limits.check(itemCount: count)
    var extentCount = 0
    for _ in 0..<count {
      let id = try fields.itemID(bytes, isLong: version == 2)
      let method = version == 0 ? 0 : try fields.uint16(bytes) & 15
      let source = try fields.uint16(bytes)
      let base = try fields.number(bytes, byteCount: baseSize)
      var extents: [Extent] = []
      let listed = Int(try fields.uint16(bytes))
      // Without sizes an extent takes no bytes of the box: one is enough, and describes the whole.
      let isSized = indexSize + offsetSize + lengthSize > 0
      for _ in 0..<(isSized ? listed : min(listed, 1)) {
        try fields.skip(indexSize)
        let offset = try fields.number(bytes, byteCount: offsetSize)
        let length = try fields.number(bytes, byteCount: lengthSize)
        let (sum, overflow) = base.addingReportingOverflow(offset)
        guard !overflow else { throw corrupt("an extent of item \(id) overflows", at: box.offset) }
        extents.append(Extent(offset: sum, length: length))
        extentCount += 1
        try limits.check(itemCount: extentCount / Self.extentsPerItem)
      }
      let origin: Location.Origin =
        source != 0 ? .elsewhere : method == 0 ? .file : method == 1 ? .itemData : .elsewhere
      guard items[id]?.location == nil else {
        throw corrupt("the item \(id) has two locations", at: box.offset)
      }
      items[id]?.location = Location(origin: origin, extents: extents)
    }
  }

  private mutating func readReferences(
    _ box: ISOBox, _ bytes: RawSpan, _ limits: DecodeLimits, total: inout Int
  ) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let isLong = try fields.byte(bytes) > 0
    var boxes = ISOBoxes(try box.fullContent(format), format: format)
    while let entry = try boxes.next(bytes) {
      var fields = FieldReader(entry.content, format: format)
      let from = try fields.itemID(bytes, isLong: isLong)
      let count = Int(try fields.uint16(bytes))
      total += max(1, count)
      try limits.check(itemCount: total)
      var targets: [UInt32] = []
      for _ in 0..<count { targets.append(try fields.itemID(bytes, isLong: isLong)) }
      references.append(Reference(type: entry.type, from: from, to: targets))
    }
  }

  /// Reads the properties, and returns the boxes of their associations.
  private mutating func readProperties(_ box: ISOBox, _ bytes: RawSpan) throws(ImagingError) -> [ISOBox] {
    var associations: [ISOBox] = []
    var boxes = ISOBoxes(box.content, format: format)
    while let child = try boxes.next(bytes) {
      // More are found to be too many by the caller.
      if child.type == FourCC("ipma"), associations.count <= Self.maxProperties { associations.append(child) }
      guard child.type == FourCC("ipco"), properties.isEmpty else { continue }
      var entries = ISOBoxes(child.content, format: format)
      while properties.count < Self.maxProperties, let entry = try entries.next(bytes) {
        properties.append(try ItemProperty(entry, bytes, format: format))
      }
    }
    return associations
  }

  private mutating func readAssociations(_ box: ISOBox, _ bytes: RawSpan) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let version = try fields.byte(bytes)
    let isWide = try fields.number(bytes, byteCount: 3) & 1 != 0
    let count = try fields.uint32(bytes)
    // An entry has at least three bytes, so that the loop ends with the box.
    for _ in 0..<count {
      let id = try fields.itemID(bytes, isLong: version > 0)
      var added: [Association] = []
      for _ in 0..<(try fields.byte(bytes)) {
        let value = try fields.number(bytes, byteCount: isWide ? 2 : 1)
        let mask: UInt64 = isWide ? 0x7FFF : 0x7F
        let index = Int(value & mask) - 1
        // Index 0 is no property.
        guard index >= 0 else { continue }
        guard index < properties.count else {
          throw corrupt("the item \(id) has the property \(index + 1) of \(properties.count)", at: box.offset)
        }
        added.append(Association(index: index, isEssential: value > mask))
      }
      guard (items[id]?.properties.count ?? 0) + added.count <= Self.maxAssociations else {
        throw corrupt("the item \(id) has more than \(Self.maxAssociations) properties", at: box.offset)
      }
      items[id]?.properties += added
    }
  }
}
