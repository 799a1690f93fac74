extension TransformChain {
  /// The transforms that can be written as text, for command lines and URLs.
  public enum Catalog {
    /// How one transform is written.
    public struct Entry: Hashable, Sendable {
      /// The name before the colon.
      public let name: String
      /// The arguments; those in brackets may be left out.
      public let usage: String
      /// What it does, in one line.
      public let summary: String
    }

    /// All of them, in the order of a list for people.
    public static let entries: [Entry] = all.map(\.entry) + [overlay]

    static let overlay = Entry(
      name: "overlay", usage: "IMAGE[,anchor=A][,x=N][,y=N][,opacity=O][,scale=S][,tile=GAP]",
      summary: "with a watermark; S is a fraction of the width")

    typealias Make = @Sendable (inout TransformArguments) throws(ImagingError) -> any ImageTransforming

    static func make(_ name: String) -> Make? { all.first { $0.entry.name == name }?.make }

    private static let all: [(entry: Entry, make: Make)] = [
      entry(
        "resize",
        "WxH[,MODE][,enlarge=true][,anchor=A][,background=C][,filter=F][,linear=true][,effort=fast]",
        "another size; MODE fit, inside, outside, fill, stretch, pad"
      ) { (a) throws(ImagingError) in try Transforms.Resize(&a) },
      entry(
        "crop", "x=X,y=Y,width=W,height=H | WxH[,anchor=A] | relative,x=,y=,width=,height=",
        "a part; A is center, top, topLeft …, focus(0.3;0.7), entropy, attention"
      ) { (a) throws(ImagingError) in try Transforms.Crop(&a) },
      entry(
        "trim", "[TOLERANCE][,color=C][,padding=N][,ground=C][,corner=topLeft][,equal=both]",
        "without edges of one colour; equal margins: horizontal, vertical, both"
      ) { (a) throws(ImagingError) in try Transforms.Trim(&a) },
      entry("pad", "N | top=,left=,bottom=,right= [,fill=C|repeat|mirror]", "with room around it") {
        (a) throws(ImagingError) in try Transforms.Pad(&a)
      },
      entry(
        "rotate", "DEGREES[,fits=false][,background=C][,sampling=bilinear]", "turned counter-clockwise"
      ) { (a) throws(ImagingError) in try Transforms.Rotate(&a) },
      entry("flip", "horizontal|vertical", "mirrored") { (a) throws(ImagingError) in try Transforms.Flip(&a)
      },
      entry(
        "round", "RADIUS|P% | topLeft=,topRight=,bottomRight=,bottomLeft= [,border=N][,color=C]",
        "rounded corners"
      ) { (a) throws(ImagingError) in try Transforms.RoundedCorners(&a) },
      entry("circle", "[border=N][,color=C]", "the circle in its middle") {
        (a) throws(ImagingError) in try Transforms.Circle(&a)
      },
      entry("flatten", "[C]", "on a background, which may be translucent") { (a) throws(ImagingError) in
        try Transforms.Flatten(&a)
      },
      entry("blur", "SIGMA", "Gaussian blur, sigma in pixels") {
        (a) throws(ImagingError) in try Transforms.GaussianBlur(&a)
      },
      entry("sharpen", "[SIGMA[,AMOUNT[,THRESHOLD]]]", "unsharp mask") {
        (a) throws(ImagingError) in try Transforms.Sharpen(&a)
      },
      entry("unsharp", "[WEIGHT[,DIVIDER]]", "unsharp mask of eight neighbours") {
        (a) throws(ImagingError) in try Transforms.UnsharpMask(&a)
      },
      entry("sharpenlightness", "[SIGMA]", "sharpened lightness, as libvips does it") {
        (a) throws(ImagingError) in try Transforms.LightnessSharpen(&a)
      },
      entry("blurareas", "SIGMA,X;Y;W;H[,X;Y;W;H …]", "rectangles blurred") {
        (a) throws(ImagingError) in try Transforms.BlurAreas(&a)
      },
      entry(
        "progressiveblur", "SIGMA[,DIRECTION[,START[,STOP]]]",
        "blurred more and more; DIRECTION down, left, up, right or degrees clockwise"
      ) { (a) throws(ImagingError) in try Transforms.ProgressiveBlur(&a) },
      entry(
        "gradient", "C[,OPACITY[,DIRECTION[,START[,STOP]]]]", "a colour over it that grows along a direction"
      ) { (a) throws(ImagingError) in try Transforms.Gradient(&a) },
      entry("shadow", "SIGMA[,C]", "a blurred silhouette beneath it; the picture grows") {
        (a) throws(ImagingError) in try Transforms.Shadow(&a)
      },
      entry("tint", "C[,MODE]", "coloured; MODE sourceIn, multiply, screen, overlay …") {
        (a) throws(ImagingError) in try Transforms.Tint(&a)
      },
      entry("grayscale", "[AMOUNT]", "without colours") { (a) throws(ImagingError) in
        try Transforms.Grayscale(&a)
      },
      entry("sepia", "[AMOUNT]", "in brown") { (a) throws(ImagingError) in try Transforms.Sepia(&a) },
      entry("brightness", "AMOUNT", "-1 is black, 1 is white") {
        (a) throws(ImagingError) in try Transforms.Brightness(&a)
      },
      entry("contrast", "FACTOR", "0 is grey, 1 changes nothing") { (a) throws(ImagingError) in
        try Transforms.Contrast(&a)
      },
      entry("saturation", "FACTOR", "0 is grey, 1 changes nothing") {
        (a) throws(ImagingError) in try Transforms.Saturation(&a)
      },
      entry("hue", "DEGREES", "colours turned") { (a) throws(ImagingError) in try Transforms.HueRotation(&a)
      },
      entry("gamma", "EXPONENT", "below 1 is lighter") { (a) throws(ImagingError) in try Transforms.Gamma(&a)
      },
      entry("invert", "[AMOUNT]", "the negative") { (a) throws(ImagingError) in try Transforms.Invert(&a) },
      entry("opacity", "FACTOR", "alpha times 0 to 1") { (a) throws(ImagingError) in
        try Transforms.Opacity(&a)
      },
      entry("matrix", "20 NUMBERS", "a colour matrix of 4 rows by 5, on 0 to 1") {
        (a) throws(ImagingError) in try Transforms.ColorMatrix(&a)
      },
    ]

    private static func entry(
      _ name: String, _ usage: String, _ summary: String, _ make: @escaping Make
    ) -> (entry: Entry, make: Make) {
      (Entry(name: name, usage: usage, summary: summary), make)
    }
  }
}

extension ImageTransform {
  /// Reads `NAME` or `NAME:ARGUMENTS`, as ``TransformChain/Catalog`` lists them: `resize:320x240,fill`, `blur:4`. What
  /// ``identity`` says of a step reads back as the same step, unless it is an overlay.
  ///
  /// - Parameters:
  ///   - text: The transform.
  ///   - load: Gets the image of an overlay by its name, and an id that stands for its pixels in caches; without it
  ///     there are no overlays.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` that says what is wrong and what would be right; what
  ///   `load` throws.
  public init(
    parsing text: String,
    loadingImages load: ((String) throws(ImagingError) -> (image: Bitmap, id: String))? = nil
  ) throws(ImagingError) {
    var arguments = try TransformArguments(text)
    if arguments.name == TransformChain.Catalog.overlay.name {
      guard let load else { throw arguments.error("its image cannot be loaded here") }
      let (image, id) = try load(try arguments.required(arguments.text("image"), "image"))
      self.init(try Transforms.Overlay(&arguments, image: image, id: id))
      return
    }
    guard let make = TransformChain.Catalog.make(arguments.name) else {
      let names = TransformChain.Catalog.entries.map(\.name).joined(separator: ", ")
      throw .invalidParameter(
        name: "transform", reason: "there is no '\(arguments.name)'; there are \(names)")
    }
    self.init(try make(&arguments))
  }
}
