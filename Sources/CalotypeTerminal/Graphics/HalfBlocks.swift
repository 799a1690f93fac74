import Calotype

/// Pictures as text: each cell shows two pixels, by a character that fills one half of it.
struct HalfBlocks {
  /// The palette that is written.
  enum Colors: Hashable {
    case all
    /// The 256 colours of ``XtermColor``.
    case indexed
  }

  /// A colour as it is written; `clear` is the background of the terminal.
  private enum Ink: Hashable {
    case clear
    case all(UInt32)
    case indexed(UInt8)
  }

  /// The text of each row of cells, without any movement of the cursor. Attributes are those of the terminal before and after
  /// each.
  ///
  /// - Parameter bitmap: RGBA with 8 bits a sample; pixels of an alpha below 128 are clear, all others opaque.
  static func rows(of bitmap: Bitmap, colors: Colors = .all) -> [[UInt8]] {
    bitmap.withUnsafeBytes { bytes in
      stride(from: 0, to: bitmap.height, by: 2).map { y in
        var writer = Writer()
        for x in 0..<bitmap.width {
          let upper = ink(bytes, (y * bitmap.width + x) * 4, colors)
          let lower =
            y + 1 < bitmap.height ? ink(bytes, ((y + 1) * bitmap.width + x) * 4, colors) : .clear
          writer.put(upper, lower)
        }
        return writer.finish()
      }
    }
  }

  private static func ink(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ colors: Colors) -> Ink {
    guard bytes[at + 3] >= 128 else { return .clear }
    switch colors {
    case .all: return .all(UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]))
    case .indexed:
      return .indexed(XtermColor.index(red: bytes[at], green: bytes[at + 1], blue: bytes[at + 2]))
    }
  }

  /// Writes one row; remembers the attributes and writes only those that change.
  private struct Writer {
    private var bytes: [UInt8] = []
    private var foreground = Ink.clear
    private var background = Ink.clear

    mutating func put(_ upper: Ink, _ lower: Ink) {
      if upper == lower {
        set(foreground, upper)
        bytes.append(UInt8(ascii: " "))
      } else if upper == .clear || (lower != .clear && changes(lower, upper) < changes(upper, lower)) {
        set(lower, upper)
        bytes.append("▄")
      } else {
        set(upper, lower)
        bytes.append("▀")
      }
    }

    mutating func finish() -> [UInt8] {
      if foreground != .clear || background != .clear { bytes.append(ControlSequence.resetAttributes) }
      return bytes
    }

    private func changes(_ foreground: Ink, _ background: Ink) -> Int {
      (foreground == self.foreground ? 0 : 1) + (background == self.background ? 0 : 1)
    }

    private mutating func set(_ foreground: Ink, _ background: Ink) {
      guard changes(foreground, background) > 0 else { return }
      bytes.append(ControlSequence.csi)
      if foreground != self.foreground {
        append(foreground, base: 38)
        if background != self.background { bytes.append(UInt8(ascii: ";")) }
      }
      if background != self.background { append(background, base: 48) }
      bytes.append(UInt8(ascii: "m"))
      (self.foreground, self.background) = (foreground, background)
    }

    private mutating func append(_ ink: Ink, base: Int) {
      switch ink {
      case .clear: bytes.append(decimal: base + 1)
      case .indexed(let index):
        bytes.append(decimal: base)
        bytes.append(";5;")
        bytes.append(decimal: Int(index))
      case .all(let color):
        bytes.append(decimal: base)
        bytes.append(";2;")
        bytes.append(decimal: Int(color >> 16))
        bytes.append(UInt8(ascii: ";"))
        bytes.append(decimal: Int(color >> 8 & 255))
        bytes.append(UInt8(ascii: ";"))
        bytes.append(decimal: Int(color & 255))
      }
    }
  }
}
