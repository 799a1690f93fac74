extension ColorProfile {
  /// Colours by the code points of ITU-T H.273 (CICP): numbers of well-known primaries and curves.
  ///
  /// The samples of a bitmap are RGB. A decoder of YCbCr converts them to full range, and ``matrix`` and
  /// ``isFullRange`` then only record how the file stores them. A matrix of 0 means that it stores RGB; only then do
  /// samples of narrow range stay as they are, and are expanded by the conversion to sRGB.
  public struct CodePoints: Hashable, Sendable {
    /// ColourPrimaries, such as 1 (BT.709 and sRGB), 9 (BT.2020) and 12 (Display P3); 2 is unspecified.
    public var primaries: UInt8
    /// TransferCharacteristics, such as 13 (sRGB), 16 (PQ) and 18 (HLG); 2 is unspecified.
    public var transfer: UInt8
    /// MatrixCoefficients; 0 is RGB.
    public var matrix: UInt8
    /// A Boolean value that indicates whether samples use the full range.
    public var isFullRange: Bool
    /// The luminance of the brightest pixel in cd/m²: the maximum content light level, otherwise the maximum luminance
    /// of the mastering display. `nil` if the file states neither. It counts for tone mapping only.
    public var peakLuminance: Double?

    /// Creates code points; without arguments beyond the curve, those of RGB samples of full range.
    public init(
      primaries: UInt8, transfer: UInt8, matrix: UInt8 = 0, isFullRange: Bool = true,
      peakLuminance: Double? = nil
    ) {
      self.primaries = primaries
      self.transfer = transfer
      self.matrix = matrix
      self.isFullRange = isFullRange
      self.peakLuminance = peakLuminance
    }

    /// The profile of these code points: ``ColorProfile/sRGB`` if they state it exactly.
    public var profile: ColorProfile {
      primaries == 1 && transfer == 13 && (isFullRange || matrix != 0) ? .sRGB : .cicp(self)
    }
  }
}
