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
    mean: [16.8, 36.7, 48.6, 55.9, 62.1, 65.8, 68.8, 71.3, 75.1, 77.2, 80.5, 83.9, 86.5, 89.2],
    first: [-13.7, -10.8, -9.7, -8.5, -7.2, -6.6, -5.8, -5.6, -4.8, -4.4, -3.8, -3.5, -2.9, -2.4],
    second: [4.8, 3.6, 2.5, 1.9, 1.2, 0.6, 0.1, -0.4, -1.1, -1.5, -2.2, -3.0, -3.7, -4.4]
  )

  private static let plainScore = (
    mean: [-54.7, -42.4, -34.0, -17.5, -4.5, 11.6, 29.8, 42.2, 52.4, 60.7, 67.7, 73.1, 77.7, 81.3, 84.5],
    first: [12.1, 27.1, 31.6, 35.3, 37.1, 37.1, 35.6, 31.8, 27.8, 24.0, 20.9, 17.6, 14.5, 12.3, 10.5],
    second: [12.6, 17.6, 15.8, 12.3, 9.1, 2.3, -7.8, -10.2, -10.8, -10.5, -10.1, -9.1, -7.6, -6.6, -5.7]
  )

  private static let ditheredScore = (
    mean: [-54.7, -36.1, -20.1, 0.7, 15.3, 29.7, 44.3, 53.8, 62.0, 67.9, 73.2, 77.2, 80.7, 83.5, 86.1],
    first: [11.5, 26.3, 30.0, 29.7, 29.2, 28.2, 26.5, 24.0, 20.5, 18.1, 15.7, 13.7, 11.7, 10.1, 8.8],
    second: [12.1, 14.8, 11.3, 5.9, 2.0, -1.9, -9.8, -10.0, -9.7, -8.9, -8.1, -7.2, -6.2, -5.5, -4.7]
  )

  /// The mean and both directions of ``Bitmap/colorDetail()``, and its standard deviation from the curves.
  private static let detailScore = (
    point: Point(7.690, -1.498, 0.004), deviation: 1.102
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
    mean: [3.209, 3.584, 3.835, 4.053, 4.280, 4.425, 4.554, 4.685, 4.912, 5.050, 5.313, 5.687, 6.089, 6.718],
    first: [
      -0.693, -0.777, -0.794, -0.866, -0.950, -0.976, -0.989, -1.001, -1.048, -1.036, -1.052, -1.068, -1.033,
      -0.901,
    ],
    second: [
      -0.502, -0.415, -0.334, -0.282, -0.222, -0.176, -0.150, -0.094, -0.035, 0.022, 0.103, 0.222, 0.356,
      0.483,
    ]
  )

  private static let plainDissimilarity = (
    mean: [
      2.243, 2.640, 2.881, 3.199, 3.446, 3.693, 4.132, 4.421, 4.704, 4.993, 5.307, 5.553, 5.824, 6.108, 6.297,
    ],
    first: [
      -0.668, -1.013, -1.142, -1.274, -1.406, -1.492, -1.751, -1.808, -1.810, -1.843, -1.839, -1.802, -1.773,
      -1.742, -1.661,
    ],
    second: [
      0.761, 0.760, 0.696, 0.617, 0.557, 0.471, 0.074, -0.003, -0.088, -0.163, -0.276, -0.338, -0.430, -0.529,
      -0.521,
    ]
  )

  private static let ditheredDissimilarity = (
    mean: [
      1.768, 1.963, 2.120, 2.403, 2.605, 3.019, 3.489, 3.817, 4.143, 4.495, 4.874, 5.190, 5.497, 5.810, 6.025,
    ],
    first: [
      -0.565, -0.812, -0.913, -1.041, -1.134, -1.445, -1.719, -1.757, -1.775, -1.868, -1.931, -1.945, -1.909,
      -1.882, -1.801,
    ],
    second: [
      0.792, 0.829, 0.792, 0.745, 0.707, 0.529, 0.064, 0.003, -0.092, -0.174, -0.279, -0.358, -0.453, -0.561,
      -0.564,
    ]
  )

  /// The mean and both directions of ``Bitmap/colorDetail()``, and its standard deviation from the curves.
  private static let detailDissimilarity = (
    point: Point(7.690, 1.616, -0.015), deviation: 0.876
  )
}
