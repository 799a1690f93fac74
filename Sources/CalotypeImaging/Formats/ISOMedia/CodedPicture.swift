import CPixels

/// A decoded picture, and the colours that its coded data state.
struct CodedPicture {
  var planes: PicturePlanes
  let colors: cpx_code_points
  /// The brightest pixel in cd/m²; `nil` if it is not known.
  let maxLight: Int?
}
