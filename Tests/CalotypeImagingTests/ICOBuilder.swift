import FoundationEssentials

/// Builds icons and cursors whose directory may state anything.
struct ICOBuilder {
  struct Entry {
    /// Width, height and depth in the directory.
    var stated: (UInt8, UInt8, UInt8) = (16, 16, 32)
    var bytes: [UInt8]
    /// Where the directory says that the picture is, unless it is where it is.
    var start: Int?
    var byteCount: Int?

    /// A square of one colour, red by default, with a mask that hides its lower half.
    static func bitmap(side: Int, bits: Int, color: [UInt8] = [255, 0, 0], alpha: UInt8 = 0) -> Entry {
      var picture = BMPBuilder(width: side, height: 2 * side, bits: bits)
      let count = (side * bits + 31) / 32 * 4
      let row: [UInt8]
      switch bits {
      case 32: row = (0..<side).flatMap { _ in [color[2], color[1], color[0], alpha] }
      case 24: row = (0..<side).flatMap { _ in [color[2], color[1], color[0]] }
      default:
        picture.palette = [color] + Array(repeating: [0, 0, 255], count: (1 << bits) - 1)
        row = []
      }
      let padded = row + [UInt8](repeating: 0, count: count - row.count)
      picture.pixels = (0..<side).flatMap { _ in padded }
      let masked = (side + 31) / 32 * 4
      // Rows run from the bottom.
      for y in 0..<side { picture.pixels += [UInt8](repeating: y < side / 2 ? 255 : 0, count: masked) }
      return Entry(bytes: picture.picture)
    }
  }

  var kind: UInt8 = 1
  var entries: [Entry]
  var count: Int?

  var data: Data {
    var file: [UInt8] = [0, 0, kind, 0]
    func append(_ value: Int, _ count: Int) {
      for index in 0..<count { file.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    append(count ?? entries.count, 2)
    var start = 6 + 16 * entries.count
    for entry in entries {
      file += [entry.stated.0, entry.stated.1, 0, 0, 1, 0, entry.stated.2, 0]
      append(entry.byteCount ?? entry.bytes.count, 4)
      append(entry.start ?? start, 4)
      start += entry.bytes.count
    }
    return Data(file + entries.flatMap(\.bytes))
  }
}
