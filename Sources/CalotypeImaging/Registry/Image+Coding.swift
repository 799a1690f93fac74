public import FoundationEssentials

extension Image {
  /// Decodes an image: its first frame, upright, in sRGB, shrunk if the options request it.
  ///
  /// Blocks; call it off the cooperative pool.
  ///
  /// - Throws: The errors of ``CoderRegistry/decode(_:options:)``.
  public init(
    data: Data, options: DecodeOptions = DecodeOptions(), coders: CoderRegistry = .standard
  ) throws(ImagingError) {
    self = try coders.decode(data, options: options)
  }

  /// Decodes the image in a file.
  ///
  /// Blocks; call it off the cooperative pool. The file is mapped, and must not be changed during the call.
  ///
  /// - Throws: An error of the file system if the file cannot be read; the errors of
  ///   ``CoderRegistry/decode(_:options:)``.
  public init(
    contentsOf file: URL, options: DecodeOptions = DecodeOptions(), coders: CoderRegistry = .standard
  ) throws {
    self = try coders.decode(Data(contentsOf: file, options: .mappedIfSafe), options: options)
  }

  /// Encodes the image.
  ///
  /// - Throws: The errors of ``CoderRegistry/encode(_:as:)-(Image,_)``.
  public func encoded(
    as options: EncodeOptions, coders: CoderRegistry = .standard
  ) throws(ImagingError) -> Data {
    try coders.encode(self, as: options)
  }

  /// Encodes the image and writes it to a file, which is replaced atomically.
  ///
  /// - Throws: The errors of ``encoded(as:coders:)``; an error of the file system if the file cannot be written.
  public func write(to file: URL, as options: EncodeOptions, coders: CoderRegistry = .standard) throws {
    try encoded(as: options, coders: coders).write(to: file, options: .atomic)
  }
}
