import CalotypeImaging
import FoundationEssentials

/// One run of a decoder: what it gets, and how it is called.
struct DecoderCheck {
  let decoder: any ImageDecoding
  let input: FuzzInput
  let data: Data
  let options: DecodeOptions

  init(_ decoder: any ImageDecoding, _ input: FuzzInput) {
    self.decoder = decoder
    self.input = input
    data = DecoderTargets.data(input)
    options = DecoderTargets.options(input)
  }
}
