/// The tags of Exif that are shown.
enum ExifNames {
  private static let hardness = [0: "Normal", 1: "Soft", 2: "Hard"]

  /// Directory 0.
  static let main: [Int: ExifName] = [
    0x010D: ExifName("DocumentName", "Document Name"),
    0x010E: ExifName("ImageDescription", "Image Description"),
    0x010F: ExifName("Make", "Manufacturer"),
    0x0110: ExifName("Model", "Model"),
    0x0112: ExifName(
      "Orientation", "Orientation", .plain,
      [
        1: "Top-left", 2: "Top-right", 3: "Bottom-right", 4: "Bottom-left", 5: "Left-top", 6: "Right-top",
        7: "Right-bottom", 8: "Left-bottom",
      ]),
    0x011A: ExifName("XResolution", "X-Resolution"),
    0x011B: ExifName("YResolution", "Y-Resolution"),
    0x0128: ExifName("ResolutionUnit", "Resolution Unit", .plain, [2: "Inch", 3: "Centimeter"]),
    0x0131: ExifName("Software", "Software"),
    0x0132: ExifName("DateTime", "Date and Time"),
    0x013B: ExifName("Artist", "Artist"),
    0x013C: ExifName("HostComputer", "Host Computer"),
    0x013E: ExifName("WhitePoint", "White Point"),
    0x013F: ExifName("PrimaryChromaticities", "Primary Chromaticities"),
    0x0211: ExifName("YCbCrCoefficients", "YCbCr Matrix Coefficients"),
    0x0213: ExifName("YCbCrPositioning", "YCbCr Positioning", .plain, [1: "Centered", 2: "Co-sited"]),
    0x0214: ExifName("ReferenceBlackWhite", "Reference Black/White"),
    0x4746: ExifName("Rating", "Rating"),
    0x8298: ExifName("Copyright", "Copyright"),
  ]

  /// The Exif directory.
  static let exif: [Int: ExifName] = [
    0x829A: ExifName("ExposureTime", "Exposure Time", .exposureTime),
    0x829D: ExifName("FNumber", "F-Number", .fNumber),
    0x8822: ExifName(
      "ExposureProgram", "Exposure Program", .plain,
      [
        0: "Not defined", 1: "Manual", 2: "Normal program", 3: "Aperture priority", 4: "Shutter priority",
        5: "Creative program (biased toward depth of field)",
        6: "Creative program (biased toward fast shutter speed)", 7: "Portrait mode", 8: "Landscape mode",
      ]),
    0x8824: ExifName("SpectralSensitivity", "Spectral Sensitivity"),
    0x8827: ExifName("ISOSpeedRatings", "ISO Speed Ratings"),
    0x8830: ExifName("SensitivityType", "Sensitivity Type"),
    0x8832: ExifName("RecommendedExposureIndex", "Recommended Exposure Index"),
    0x9000: ExifName("ExifVersion", "Exif Version"),
    0x9003: ExifName("DateTimeOriginal", "Date and Time (Original)"),
    0x9004: ExifName("DateTimeDigitized", "Date and Time (Digitized)"),
    0x9010: ExifName("OffsetTime", "Offset Time For DateTime"),
    0x9011: ExifName("OffsetTimeOriginal", "Offset Time For DateTimeOriginal"),
    0x9012: ExifName("OffsetTimeDigitized", "Offset Time For DateTimeDigitized"),
    0x9101: ExifName("ComponentsConfiguration", "Components Configuration"),
    0x9102: ExifName("CompressedBitsPerPixel", "Compressed Bits per Pixel"),
    0x9201: ExifName("ShutterSpeedValue", "Shutter Speed", .shutterSpeed),
    0x9202: ExifName("ApertureValue", "Aperture", .aperture),
    0x9203: ExifName("BrightnessValue", "Brightness", .exposureBias),
    0x9204: ExifName("ExposureBiasValue", "Exposure Bias", .exposureBias),
    0x9205: ExifName("MaxApertureValue", "Maximum Aperture Value", .aperture),
    0x9206: ExifName("SubjectDistance", "Subject Distance", .distance),
    0x9207: ExifName(
      "MeteringMode", "Metering Mode", .plain,
      [
        0: "Unknown", 1: "Average", 2: "Center-weighted average", 3: "Spot", 4: "Multi spot", 5: "Pattern",
        6: "Partial", 255: "Other",
      ]),
    0x9208: ExifName(
      "LightSource", "Light Source", .plain,
      [
        0: "Unknown", 1: "Daylight", 2: "Fluorescent", 3: "Tungsten incandescent light", 4: "Flash",
        9: "Fine weather", 10: "Cloudy weather", 11: "Shade", 255: "Other",
      ]),
    0x9209: ExifName(
      "Flash", "Flash", .plain,
      [
        0: "Flash did not fire", 1: "Flash fired", 5: "Strobe return light not detected",
        7: "Strobe return light detected", 9: "Flash fired, compulsory flash mode",
        16: "Flash did not fire, compulsory flash mode", 24: "Flash did not fire, auto mode",
        25: "Flash fired, auto mode", 32: "No flash function",
      ]),
    0x920A: ExifName("FocalLength", "Focal Length", .length),
    0x9214: ExifName("SubjectArea", "Subject Area"),
    0x9286: ExifName("UserComment", "User Comment"),
    0x9290: ExifName("SubsecTime", "Sub-second Time"),
    0x9291: ExifName("SubsecTimeOriginal", "Sub-second Time (Original)"),
    0x9292: ExifName("SubsecTimeDigitized", "Sub-second Time (Digitized)"),
    0xA000: ExifName("FlashpixVersion", "FlashPixVersion"),
    0xA001: ExifName(
      "ColorSpace", "Color Space", .plain, [1: "sRGB", 2: "Adobe RGB", 0xFFFF: "Uncalibrated"]),
    0xA002: ExifName("PixelXDimension", "Pixel X Dimension"),
    0xA003: ExifName("PixelYDimension", "Pixel Y Dimension"),
    0xA20E: ExifName("FocalPlaneXResolution", "Focal Plane X-Resolution"),
    0xA20F: ExifName("FocalPlaneYResolution", "Focal Plane Y-Resolution"),
    0xA210: ExifName(
      "FocalPlaneResolutionUnit", "Focal Plane Resolution Unit", .plain, [2: "Inch", 3: "Centimeter"]),
    0xA215: ExifName("ExposureIndex", "Exposure Index"),
    0xA217: ExifName(
      "SensingMethod", "Sensing Method", .plain,
      [
        1: "Not defined", 2: "One-chip color area sensor", 3: "Two-chip color area sensor",
        4: "Three-chip color area sensor",
      ]),
    0xA300: ExifName("FileSource", "File Source", .plain, [3: "DSC"]),
    0xA301: ExifName("SceneType", "Scene Type", .plain, [1: "Directly photographed"]),
    0xA401: ExifName(
      "CustomRendered", "Custom Rendered", .plain, [0: "Normal process", 1: "Custom process"]),
    0xA402: ExifName(
      "ExposureMode", "Exposure Mode", .plain, [0: "Auto exposure", 1: "Manual exposure", 2: "Auto bracket"]),
    0xA403: ExifName(
      "WhiteBalance", "White Balance", .plain, [0: "Auto white balance", 1: "Manual white balance"]),
    0xA404: ExifName("DigitalZoomRatio", "Digital Zoom Ratio"),
    0xA405: ExifName("FocalLengthIn35mmFilm", "Focal Length in 35mm Film"),
    0xA406: ExifName(
      "SceneCaptureType", "Scene Capture Type", .plain,
      [0: "Standard", 1: "Landscape", 2: "Portrait", 3: "Night scene"]),
    0xA407: ExifName(
      "GainControl", "Gain Control", .plain,
      [0: "Normal", 1: "Low gain up", 2: "High gain up", 3: "Low gain down", 4: "High gain down"]),
    0xA408: ExifName("Contrast", "Contrast", .plain, hardness),
    0xA409: ExifName(
      "Saturation", "Saturation", .plain, [0: "Normal", 1: "Low saturation", 2: "High saturation"]),
    0xA40A: ExifName("Sharpness", "Sharpness", .plain, hardness),
    0xA40C: ExifName(
      "SubjectDistanceRange", "Subject Distance Range", .plain,
      [0: "Unknown", 1: "Macro", 2: "Close view", 3: "Distant view"]),
    0xA420: ExifName("ImageUniqueID", "Image Unique ID"),
    0xA430: ExifName("CameraOwnerName", "Camera Owner Name"),
    0xA431: ExifName("BodySerialNumber", "Body Serial Number"),
    0xA432: ExifName("LensSpecification", "Lens Specification"),
    0xA433: ExifName("LensMake", "Lens Make"),
    0xA434: ExifName("LensModel", "Lens Model"),
    0xA435: ExifName("LensSerialNumber", "Lens Serial Number"),
    0xA500: ExifName("Gamma", "Gamma"),
  ]

  /// The GPS directory.
  static let gps: [Int: ExifName] = [
    0x00: ExifName("GPSVersionID", "GPS Tag Version"),
    0x01: ExifName("GPSLatitudeRef", "North or South Latitude"),
    0x02: ExifName("GPSLatitude", "Latitude", .angle),
    0x03: ExifName("GPSLongitudeRef", "East or West Longitude"),
    0x04: ExifName("GPSLongitude", "Longitude", .angle),
    0x05: ExifName("GPSAltitudeRef", "Altitude Reference", .plain, [0: "Sea level", 1: "Below sea level"]),
    0x06: ExifName("GPSAltitude", "Altitude"),
    0x07: ExifName("GPSTimeStamp", "GPS Time (Atomic Clock)", .time),
    0x08: ExifName("GPSSatellites", "GPS Satellites"),
    0x09: ExifName("GPSStatus", "GPS Receiver Status"),
    0x0A: ExifName("GPSMeasureMode", "GPS Measurement Mode"),
    0x0B: ExifName("GPSDOP", "Measurement Precision"),
    0x0C: ExifName("GPSSpeedRef", "Speed Unit"),
    0x0D: ExifName("GPSSpeed", "Speed of GPS Receiver"),
    0x0E: ExifName("GPSTrackRef", "Reference for direction of movement"),
    0x0F: ExifName("GPSTrack", "Direction of Movement"),
    0x10: ExifName("GPSImgDirectionRef", "GPS Image Direction Reference"),
    0x11: ExifName("GPSImgDirection", "GPS Image Direction"),
    0x12: ExifName("GPSMapDatum", "Geodetic Survey Data Used"),
    0x1D: ExifName("GPSDateStamp", "GPS Date"),
  ]
}
