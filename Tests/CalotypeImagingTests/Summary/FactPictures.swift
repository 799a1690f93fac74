import Testing

@testable import CalotypeImaging

/// What other programs make of some of the test images, shrunk as the library shrinks them.
///
/// BlurHashes by blurhash-python 1.2.2 (the C program of the authors), ThumbHashes by thumbhash-python 1.0.1, both of
/// PyPI, from the very same pixels.
struct FactPicture: CustomTestStringConvertible {
  let file: String
  /// The size of a made picture, instead of a file.
  var pattern: PixelSize?
  /// 4 components on the longer side, 3 on the shorter one; `nil` for pictures with transparency.
  var blurHash: String?
  /// Nine by nine components.
  var longBlurHash: String?
  /// In base 64.
  let thumbHash: String
  /// The size of what ThumbHash shows, and its first, middle and last pixel.
  let shown: PixelSize
  let pixels: [[UInt8]]

  var testDescription: String { file }

  func small() throws -> Bitmap {
    if let pattern {
      return try ResamplePictures.make(pattern.width, pattern.height, opaque: false) { x, y in
        [x * 7 + y * 3, x * x + y * 11, x * y * 5, min(255, (x * 13 + y * 17) % 300)].map { UInt8($0 & 255) }
      }
    }
    return try CoderRegistry.standard.decode(Fixture.data("Corpus/" + file)).bitmap.shrunkForFacts()
  }

  static let all = [
    FactPicture(
      file: "webp/generated/quality-50.webp", blurHash: "LAEM2s4:IT$$_4D%9Fxu^%IU9Z$%",
      longBlurHash:
        "|AEM2s4:IT$$%hspD*oMMy_4D%9Fxut5R-oIogWV^%IU9Z$%b_xua~Rjn$x[t5D%kCxtR*WVWXjExZMxM|xZWAt7WXoIt7juW;M{x]"
        + "WCxuaJWBt7xuM{t7t7RjV@j[oLNG-:IoWBs:bboza#WBjYtRV@s:s:aeoMaxxaRj",
      thumbHash: "3AcGDYJQ2DcvoYhLkno4OJOVL0n6", shown: PixelSize(width: 32, height: 23),
      pixels: [[74, 67, 70, 255], [75, 86, 98, 255], [168, 136, 133, 255]]),
    FactPicture(
      file: "jpeg/exif/Canon_40D.jpg", blurHash: "L6Av?=J701?Y57-QR*R,0KNG?aRR",
      longBlurHash:
        "|6Av?=J701?YWCRkxYWCsD57-QR*R,nixtxss-xt0KNG?aRRE2t6s.oxWBNI%Lw^E3-pNFRkoeR*jYWFIX%0s:V[ofj]t6axV[xtWU"
        + "RQbHWXR+oct6tPWAoIS2t5oJWBs.tPbExZkBxst6oKt5RlxZt5W;xZWBj[j@WUs:",
      thumbHash: "kQgGDYIIapeRhpdhe2aah7X3Kgtc", shown: PixelSize(width: 32, height: 23),
      pixels: [[46, 53, 15, 255], [83, 78, 64, 255], [99, 71, 43, 255]]),
    FactPicture(
      file: "jpeg/conformance/peacock.default.jpeg", blurHash: "LIJjr2?F}P9wA9?FOGRj0L9tWUoK",
      longBlurHash:
        "|IJjr2?F}P9w5CR*^h9uxvA9?FOGRj$yRkEQt3Rj0L9tWUoKbcE2M_s.j]xBbIbwWV%0RQj@Iqof^*-ps;R*sk%1X9M|n~xaWCa{ob"
        + "R+W=s-slR+9Gj?kBo2ofRjWBogV@-:WUadWEIpofoeWBs:ozt6o0Rks;a{WVjaWX",
      thumbHash: "IRkGJYi9E9bDZ2pAh4iIvPmaiH+I", shown: PixelSize(width: 32, height: 23),
      pixels: [[198, 140, 60, 255], [229, 177, 124, 255], [191, 133, 96, 255]]),
    FactPicture(
      file: "png/conformance/hippopotamus.regular.png", blurHash: "LWG9]Y9F^+xu0fozMxRi^+o}Vsn$",
      longBlurHash:
        "|WG9]Y9F^+xuwbx]xGxto20fozMxRis-WoV@aefl^+o}Vsn$R+jFS2V[WVnhM|f6xabIaeozaxaen$%2SgRjofW;WBkCoLwcNGozoL"
        + "R*j[WVbHaeiwkCR*WBofWBfkfkaysms.ozkCayazj[bHofaeRjS2kCWBoff6Wpjt",
      thumbHash: "IqcJFYjimZmCdYifhmeHmMVgXiz2", shown: PixelSize(width: 32, height: 23),
      pixels: [[146, 177, 191, 255], [99, 167, 169, 255], [255, 219, 222, 255]]),
    FactPicture(
      file: "png/icc/icc_profile.png", blurHash: "UbOpMds:~qtRb^W;%MoMxVa{D%ay-po2IUS1",
      longBlurHash:
        "|bOpMds:~qtRIot7Rjofxtb^W;%MoMM{ayWBf6ofxVa{D%ayt7aft7j[Rj-po2IUS1tQj[t7kBRjtQbbV[jFaeayWVofjtoMjZofbH"
        + "off6WBj[kCoejZRka|oyofj[WBay%MWpRjoLjuj[WBaeoLIUn*t7WVoff6Rjj[of",
      thumbHash: "rigODwL4V3h3inZ6hKhYh3h3mAX2DEEJ", shown: PixelSize(width: 32, height: 32),
      pixels: [[224, 220, 205, 255], [108, 80, 80, 255], [219, 209, 181, 255]]),
    FactPicture(
      file: "jpeg/exif/WWL__Polaroid__ION230.jpg", blurHash: "TDFY+F%J.6%1%M%L0Jo#RjtQRja#",
      longBlurHash:
        "|DFY+F%J.69FIn_3M_%Mt7%1%M%L-pt7a$RjR%of0Jo#Rj?bogITxvR*aytQRja#WBWBxuxuoMWBocIURjogRjs;ayWBbIITWBRjWX"
        + "j[Woaxa_ofRja#j]WAWBWCWBa}axR%ofjZWXRjRjj]oea#oeoyofWAofofaeWBay",
      thumbHash: "4PcFDQLKYKmqCGiNh1hGaO9re7YK", shown: PixelSize(width: 23, height: 32),
      pixels: [[126, 135, 109, 255], [137, 129, 151, 255], [110, 127, 126, 255]]),
    FactPicture(
      file: "webp/conformance/color_index.webp", thumbHash: "HgiCBQAYaH38m8OxWsf5xpf6d4dpf/hqlw==",
      shown: PixelSize(width: 32, height: 32),
      pixels: [[125, 121, 119, 208], [125, 121, 119, 158], [125, 121, 119, 82]]),
    FactPicture(
      file: "pattern 40×28", pattern: PixelSize(width: 40, height: 28),
      thumbHash: "HviFFIgJBWhXmHR4eaB1BzhYCnFnpcQiBA==",
      shown: PixelSize(width: 32, height: 26),
      pixels: [[51, 116, 102, 153], [169, 135, 127, 153], [60, 126, 123, 153]]),
    FactPicture(
      file: "pattern 28×40", pattern: PixelSize(width: 28, height: 40),
      thumbHash: "XxiGDAYJIEilZXlzCXWUUDJmknhqVBa3AA==",
      shown: PixelSize(width: 26, height: 32),
      pixels: [[37, 112, 79, 153], [164, 133, 134, 153], [145, 115, 113, 153]]),
    FactPicture(
      file: "pattern 30×30", pattern: PixelSize(width: 30, height: 30),
      thumbHash: "XxiGFQYZMGdmWpN2eWBpBkeEaXJ2g6YFlg==",
      shown: PixelSize(width: 32, height: 32),
      pixels: [[51, 98, 90, 59], [153, 138, 125, 151], [133, 90, 95, 193]]),
  ]
}
