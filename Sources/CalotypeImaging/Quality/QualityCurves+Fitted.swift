// Written by Benchmarks/Fit/quality_curves.py.

extension QualityCurves {
  private static let qualities: [Double] = [0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100]
  private static let colors: [Double] = [2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 90, 128, 181, 256]

  /// Returns the curves of a format over its quality. Formats without curves of their own share those of WebP, whose scale they have.
  static func of(_ format: ImageFormat, _ measure: QualityTarget.Measure) -> QualityCurves {
    func curves(
      _ table: (mean: [Double], first: [Double], second: [Double]), _ deviation: Double
    ) -> QualityCurves {
      QualityCurves(
        knots: qualities, mean: table.mean, first: table.first, second: table.second, deviation: deviation)
    }
    return switch (measure, format) {
    case (.ssimulacra2, .jpeg): curves(jpegScore, 0.8)
    case (.ssimulacra2, .avif): curves(avifScore, 0.8)
    case (.ssimulacra2, _): curves(webpScore, 0.8)
    case (.dssim, .jpeg): curves(jpegDissimilarity, 0.08)
    case (.dssim, .avif): curves(avifDissimilarity, 0.08)
    case (.dssim, _): curves(webpDissimilarity, 0.08)
    }
  }

  /// Returns the curves over the number of colours of palettes, without and with spread errors.
  static func palettes(_ measure: QualityTarget.Measure) -> (plain: QualityCurves, dithered: QualityCurves) {
    func curves(
      _ table: (mean: [Double], first: [Double], second: [Double]), _ deviation: Double
    ) -> QualityCurves {
      QualityCurves(
        knots: colors, mean: table.mean, first: table.first, second: table.second, deviation: deviation)
    }
    return switch measure {
    case .ssimulacra2: (curves(plainScore, 1), curves(ditheredScore, 1))
    case .dssim: (curves(plainDissimilarity, 0.05), curves(ditheredDissimilarity, 0.05))
    }
  }

  /// Returns the number of frequent colours as a measurement that goes with the curves of palettes.
  static func paletteDetail(_ detail: Double, _ measure: QualityTarget.Measure) -> Measurement {
    let (point, deviation) =
      switch measure {
      case .ssimulacra2: detailScore
      case .dssim: detailDissimilarity
      }
    return Measurement(point: point, value: detail, deviation: deviation)
  }

  private static let jpegScore = (
    mean: [-52.2, -2.8, 36.9, 52.8, 61.3, 66.7, 70.6, 74.2, 76.9, 79.6, 82.1, 85.3, 88.3, 91.0],
    first: [-6.1, -10.9, -7.8, -6.2, -5.5, -5.1, -4.7, -4.4, -4.2, -3.9, -3.7, -3.6, -3.6, -4.0],
    second: [6.4, 9.0, 4.7, 2.2, 1.0, 0.3, -0.3, -0.7, -1.2, -1.6, -1.9, -2.4, -3.0, -3.7]
  )

  private static let webpScore = (
    mean: [-10.1, 37.0, 48.4, 56.1, 61.8, 65.7, 69.2, 72.2, 73.6, 77.8, 81.3, 85.0, 88.0, 89.6],
    first: [-15.9, -13.3, -11.5, -10.2, -8.8, -7.7, -6.8, -6.1, -5.7, -4.5, -3.4, -2.4, -1.6, -1.3],
    second: [-7.9, -2.9, -1.7, -0.9, -0.3, -0.1, 0.2, 0.6, 0.8, 1.3, 1.6, 1.8, 2.2, 2.2]
  )

  private static let avifScore = (
    mean: [11.6, 33.0, 45.4, 53.0, 59.6, 63.7, 67.1, 69.7, 73.6, 76.2, 79.9, 83.7, 86.7, 89.8],
    first: [9.5, 8.0, 6.8, 6.0, 5.3, 4.7, 4.0, 3.5, 2.9, 2.3, 1.7, 1.2, 0.7, 0.2],
    second: [5.9, 3.1, 1.6, 0.8, 0.1, -0.3, -0.5, -0.7, -0.8, -1.1, -1.3, -1.3, -1.3, -1.1]
  )

  private static let plainScore = (
    mean: [-53.8, -39.8, -31.4, -15.4, -2.6, 13.2, 31.0, 42.7, 52.7, 60.9, 67.7, 73.0, 77.7, 81.3, 84.5],
    first: [13.4, 29.4, 33.5, 36.9, 38.6, 38.3, 36.6, 32.7, 28.6, 24.9, 21.8, 18.4, 15.2, 12.9, 11.0],
    second: [13.3, 17.8, 15.9, 12.4, 9.2, 2.2, -8.5, -10.8, -11.4, -11.2, -10.8, -9.7, -8.1, -7.1, -6.1]
  )

  private static let ditheredScore = (
    mean: [-53.9, -34.7, -19.4, 1.1, 15.3, 30.1, 44.1, 53.7, 62.1, 68.0, 73.1, 77.1, 80.7, 83.5, 86.2],
    first: [12.6, 28.1, 31.9, 31.4, 30.6, 29.4, 27.7, 25.1, 21.4, 18.8, 16.5, 14.3, 12.2, 10.6, 9.2],
    second: [12.8, 15.7, 12.2, 6.5, 2.7, -1.8, -10.2, -10.6, -10.3, -9.5, -8.7, -7.7, -6.6, -5.9, -5.1]
  )

  /// The mean and both directions of ``Bitmap/colorDetail()``, and its standard deviation from the curves.
  private static let detailScore = (
    point: Point(7.616, -1.545, -0.005), deviation: 1.136
  )

  private static let jpegDissimilarity = (
    mean: [2.086, 2.496, 3.058, 3.432, 3.675, 3.884, 4.116, 4.324, 4.509, 4.726, 4.986, 5.380, 6.034, 7.660],
    first: [
      -0.541, -0.605, -0.622, -0.634, -0.633, -0.647, -0.674, -0.701, -0.713, -0.724, -0.747, -0.749, -0.743,
      -0.373,
    ],
    second: [
      -0.230, -0.303, -0.277, -0.250, -0.263, -0.235, -0.149, -0.093, -0.037, 0.021, 0.102, 0.219, 0.438,
      0.697,
    ]
  )

  private static let webpDissimilarity = (
    mean: [2.720, 3.429, 3.729, 3.941, 4.142, 4.289, 4.427, 4.569, 4.654, 4.919, 5.208, 5.610, 6.121, 6.594],
    first: [
      -0.599, -0.755, -0.866, -0.893, -0.943, -0.943, -0.954, -0.950, -0.977, -1.017, -1.021, -1.028, -0.984,
      -0.903,
    ],
    second: [
      -0.581, -0.444, -0.353, -0.296, -0.237, -0.203, -0.156, -0.111, -0.074, 0.022, 0.129, 0.269, 0.416,
      0.522,
    ]
  )

  private static let avifDissimilarity = (
    mean: [2.966, 3.287, 3.516, 3.695, 3.879, 4.003, 4.123, 4.234, 4.419, 4.557, 4.816, 5.138, 5.527, 6.187],
    first: [
      -0.476, -0.477, -0.463, -0.450, -0.432, -0.417, -0.405, -0.395, -0.373, -0.358, -0.322, -0.273, -0.199,
      -0.060,
    ],
    second: [
      0.409, 0.315, 0.244, 0.188, 0.128, 0.087, 0.047, 0.011, -0.050, -0.104, -0.199, -0.298, -0.406, -0.494,
    ]
  )

  private static let plainDissimilarity = (
    mean: [
      2.313, 2.728, 2.981, 3.303, 3.570, 3.821, 4.283, 4.548, 4.826, 5.120, 5.421, 5.645, 5.901, 6.172, 6.349,
    ],
    first: [
      -0.726, -1.094, -1.232, -1.368, -1.505, -1.594, -1.860, -1.907, -1.904, -1.936, -1.915, -1.873, -1.834,
      -1.794, -1.711,
    ],
    second: [
      0.784, 0.773, 0.690, 0.608, 0.529, 0.431, -0.026, -0.061, -0.142, -0.225, -0.302, -0.341, -0.416,
      -0.495, -0.485,
    ]
  )

  private static let ditheredDissimilarity = (
    mean: [
      1.820, 2.031, 2.198, 2.488, 2.703, 3.145, 3.634, 3.934, 4.257, 4.611, 4.991, 5.289, 5.586, 5.888, 6.085,
    ],
    first: [
      -0.610, -0.871, -0.978, -1.108, -1.204, -1.530, -1.812, -1.843, -1.855, -1.951, -2.007, -2.021, -1.978,
      -1.941, -1.856,
    ],
    second: [
      0.855, 0.898, 0.851, 0.807, 0.757, 0.536, 0.002, -0.023, -0.115, -0.202, -0.295, -0.361, -0.446, -0.537,
      -0.525,
    ]
  )

  /// The mean and both directions of ``Bitmap/colorDetail()``, and its standard deviation from the curves.
  private static let detailDissimilarity = (
    point: Point(7.616, 1.667, -0.091), deviation: 0.898
  )
}
