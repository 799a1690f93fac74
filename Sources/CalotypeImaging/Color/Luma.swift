/// The luma of a colour: ITU-R BT.601, as Y in JPEG. Greys keep their value.
enum Luma {
  @inline(__always)
  static func of(red: UInt8, green: UInt8, blue: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (Int(red) * 77 + Int(green) * 150 + Int(blue) * 29 + 128) >> 8)
  }
}
