import CalotypeURLs
import Testing

/// Each option, as it is read and written again. On the left the text that is read, on the right the one that is written.
@Suite("Options of URLs")
struct OptionTests {
  static let written: [(String, String)] = [
    // Size.
    ("rs:fill:300:200", "rs:fill:300:200"), ("resize:fill:300:200:1", "rs:fill:300:200:1"),
    ("rs:fill-down:1:2:0:1:no:3:4", "rs:fill-down:1:2:0/ex:1:no:3:4"), ("rs::100", "w:100"),
    ("rs:force", "rt:force"), ("rs::", ""), ("s:10:20", "s:10:20"), ("size:10", "w:10"),
    ("s::20:1", "h:20/el:1"),
    ("s:100:200:1:1:ce", "s:100:200:1/ex:1:ce"), ("rt:auto/w:5", "rs:auto:5"), ("w:0", "w:0"),
    ("width:+5", "w:5"),
    ("h:007", "h:7"), ("mw:3/min-height:4", "mw:3/mh:4"), ("z:2", "z:2"), ("zoom:2:3", "z:2:3"),
    ("z:1.5:1.5", "z:1.5"),
    ("dpr:2.0", "dpr:2"), ("dpr:1e-1", "dpr:0.1"), ("el:t", "el:1"), ("enlarge:False", "el:0"),
    ("ex:1", "ex:1"), ("extend:true:fp:0.5:0.25", "ex:1:fp:0.5:0.25"), ("exar:1:so", "exar:1:so"),
    ("extend_ar:0", "exar:0"), ("extend_aspect_ratio:1:ce:0:-2", "exar:1:ce:0:-2"),
    ("ra:lanczos2", "ra:lanczos2"),
    // Geometry.
    ("g:no", "g:no"), ("gravity:soea:1:-0.5", "g:soea:1:-0.5"), ("g:ce::5", "g:ce::5"), ("g:sm", "g:sm"),
    ("g:fp:0:1", "g:fp:0:1"), ("g:fp::", "g:fp:0:0"), ("g:obj", "g:obj"),
    ("g:obj:face:cat", "g:obj:face:cat"),
    ("g:objw:all:2:face:3.5", "g:objw:all:2:face:3.5"), ("c:100", "c:100:0"),
    ("crop:0.5:0.25:nowe:3", "c:0.5:0.25:nowe:3"),
    ("c:1:2:sm", "c:1:2:sm"), ("car:1.5", "car:1.5"), ("crop_ar:2:1", "car:2:1"),
    ("t:10", "t:10"), ("trim:10:FfF", "t:10:ffffff"), ("t:5::1:0", "t:5::1:0"), ("t:", "t:"),
    ("t::::1", "t::::1"),
    ("pd:10", "pd:10"), ("pd:10:20", "pd:10:20"), ("pd:1:2:3", "pd:1:2:3"), ("pd:1:2:1:2", "pd:1:2"),
    ("padding:1:2:3:4", "pd:1:2:3:4"), ("pd:10::30", "pd:10:10:30"), ("pd::5", "pd:0:5"),
    ("pd:1:2:1:4", "pd:1:2:1:4"),
    ("ar:0", "ar:0"), ("rot:90", "rot:90"), ("rotate:-90", "rot:270"), ("rot:450", "rot:90"),
    ("rot:0", "rot:0"),
    ("fl:1", "fl:1"), ("flip::1", "fl::1"), ("fl:", "fl:"), ("fl:f:f", "fl:0:0"),
    // Colours.
    ("bg:255:128:0", "bg:ff8000"), ("background:abc", "bg:aabbcc"), ("bg:", "bg:"), ("bga:0.5", "bga:0.5"),
    ("a:10:0.5:1.5", "br:10/co:0.5/sa:1.5"), ("adjust::2", "co:2"), ("br:-255", "br:-255"), ("mc:1", "mc:1"),
    ("monochrome:0.5:0f0", "mc:0.5:00ff00"), ("dt:1::fff", "dt:1::ffffff"),
    ("col:0.5:000:1", "col:0.5:000000:1"),
    ("gr:1:f00:up:0.25", "gr:1:ff0000:up:0.25"), ("gradient:1::45::0.5", "gr:1::45::0.5"),
    // Filters.
    ("bl:0.5", "bl:0.5"), ("sharpen:.5", "sh:0.5"), ("pix:5", "pix:5"), ("ush:always", "ush:always"),
    ("unsharp_masking::2", "ush::2"),
    ("ba:5:0:0:0.5:0.5:0.5:0.5:0.25:0.25", "ba:5:0:0:0.5:0.5:0.5:0.5:0.25:0.25"),
    ("ba:0", "ba:0"), ("pbl:3:left:0:1", "pbl:3:left:0:1"),
    // Watermark.
    ("wm:0.5", "wm:0.5"), ("watermark:1:re:10:20:0.6", "wm:1:re:10:20:0.6"), ("wm:1::5", "wm:1::5"),
    ("wm:1:ch", "wm:1:ch"), ("wm:1:ce:0:0:0", "wm:1:ce:0:0:0"), ("wm:1:no:1:2:3:4:5", "wm:1:no:1:2:3"),
    ("wmu:aHR0cDovL2EvYg==", "wmu:aHR0cDovL2EvYg"), ("wmt:Zm8", "wmt:Zm8"), ("wms:10", "wms:10:0"),
    ("wms::20", "wms:0:20"),
    ("wm_rot:45", "wmr:45"), ("wmsh:2", "wmsh:2"),
    // The whole.
    ("sm:1/kcr:0/scp:true/ph:F/eth:1", "sm:1/kcr:0/scp:1/ph:0/eth:1"), ("dpi:72", "dpi:72"),
    ("cp:srgb", "cp:srgb"), ("icc:my%20profile", "cp:my%20profile"), ("q:55", "q:55"),
    ("fq:jpg:80:webp:70", "fq:jpg:80:webp:70"),
    ("fq:webp:1/fq:jpeg:2:webp:3", "fq:jpg:2:webp:3"),
    ("aq:dssim:0.02:70:80:0.002", "aq:dssim:0.02:70:80:0.002"),
    ("aq::", "aq:"), ("mb:1024", "mb:1024"), ("jpgo:true::::true", "jpgo:1::::1"),
    ("jpego:1:0:1:0:1:5", "jpgo:1:0:1:0:1:5"),
    ("pngo:0:1:64", "pngo:0:1:64"), ("webpo:near_lossless:1:photo", "webpo:near_lossless:1:photo"),
    ("avifo:off", "avifo:off"),
    ("pg:3/pgs:2", "pg:3/pgs:2"), ("da:1", "da:1"), ("st:YXtifQ", "st:YXtifQ"),
    ("fiu:aHR0cDovL2EvYg", "fiu:aHR0cDovL2EvYg"),
    ("hs:none:whatever", "hs:none"),
    ("hs:md5:D41D8CD98F00B204E9800998ECF8427E", "hs:md5:d41d8cd98f00b204e9800998ecf8427e"),
    ("skp:png:jpg/skp:gif:png", "skp:gif:jpg:png"), ("raw:1/f:png", "f:png/raw:1"), ("cb:v2", "cb:v2"),
    ("cachebuster:a%20b", "cb:a%20b"),
    ("cb:", "cb:"), ("bc:1", "bc:1"), ("ct:a:b:a", "ct:a:b"), ("ct:a/ct:b", "ct:a:b"), ("exp:0", "exp:0"),
    ("exp:-5", "exp:-5"),
    ("fn:name", "fn:name"), ("fn:dGhlX2ltYWdlLmpwZw:1", "fn:the_image.jpg"),
    ("filename:a%20b", "fn:YSUyMGI:1"),
    ("att:1", "att:1"),
    ("msr:10.5/msfs:1000/maf:5/mafr:0/mrd:2000", "msr:10.5/msfs:1000/maf:5/mafr:0/mrd:2000"),
    // Pipelines.
    ("w:1/-/w:2/q:3", "w:1/q:3/-/w:2"), ("-/w:2", "-/w:2"), ("w:1/-", "w:1/-"),
    ("w:1/-/-/h:2", "w:1/-/-/h:2"),
  ]

  @Test(arguments: written) func isWrittenAsRead(_ text: String, _ expected: String) throws {
    let dialect = try ImgproxyDialect.permissive()
    let canonical = try dialect.canonical(text)
    #expect(canonical == expected)
    // The written text is read as the same values.
    if !canonical.isEmpty { #expect(try dialect.options(canonical) == dialect.options(text)) }
  }

  static let refused: [(String, ImageURLError.Fault)] = [
    ("w:-1", .invalidArgument), ("w:1.5", .invalidArgument), ("w:", .invalidArgument),
    ("w:1:2", .argumentCount),
    ("w:0x10", .invalidArgument), ("w:1_000", .invalidArgument), ("w:99999999999", .invalidArgument),
    ("w: 1", .invalidArgument),
    ("w:99999999999999999999999999", .invalidArgument), ("w:١", .invalidArgument),
    ("h:+-5", .invalidArgument),
    ("rs:fit:1:2:1:1:no:1:2:3", .argumentCount), ("rs:stretch:1:1", .invalidArgument),
    ("s:1:1:1:1:no:1:2:3", .argumentCount),
    ("rs:fit:1:1:1:1:sm", .invalidArgument), ("z:0", .invalidArgument), ("z:1:", .invalidArgument),
    ("z:1:2:3", .argumentCount),
    ("dpr:0", .invalidArgument), ("dpr:-1", .invalidArgument), ("dpr:NaN", .invalidArgument),
    ("dpr:Inf", .invalidArgument),
    ("dpr:1e999", .invalidArgument), ("dpr:0x1p4", .invalidArgument), ("dpr:1e", .invalidArgument),
    ("dpr:.", .invalidArgument),
    ("dpr:1,5", .invalidArgument), ("dpr:infinity", .invalidArgument), ("dpr:1:2", .argumentCount),
    ("ex:1:sm", .invalidArgument), ("ex:1:re", .invalidArgument), ("ex:1:obj:face", .invalidArgument),
    ("ex:1:obj", .invalidArgument),
    ("ex:1:no:1:2:3", .argumentCount),
    ("g:re", .invalidArgument), ("g:sm:1", .argumentCount), ("g:fp:0.5", .argumentCount),
    ("g:fp:1.1:0", .invalidArgument),
    ("g:fp:0:-0.1", .invalidArgument), ("g:ce:1:2:3", .argumentCount), ("g:no:NaN", .invalidArgument),
    ("g:", .invalidArgument),
    ("g:objw:face", .argumentCount), ("g:objw:face:x", .invalidArgument), ("g:obj::a", .invalidArgument),
    ("g:no:-5:5/g:fp::", .invalidArgument), ("c:", .invalidArgument), ("c:-1", .invalidArgument),
    ("c:1::no", .invalidArgument),
    ("c:1:1:re", .invalidArgument), ("c:1:1:ce:1:2:3", .argumentCount), ("c:NaN", .invalidArgument),
    ("t:10:red", .invalidArgument), ("t:10:#fff", .invalidArgument), ("t:10:ffff", .invalidArgument),
    ("t:1:fff:1:1:1", .argumentCount), ("t:x", .invalidArgument),
    ("pd:-1", .invalidArgument), ("pd:1:2:3:4:5", .argumentCount), ("rot:45", .invalidArgument),
    ("rot:x", .invalidArgument),
    ("fl:1:1:1", .argumentCount), ("bg:1:2", .argumentCount), ("bg:256:0:0", .invalidArgument),
    ("bg:+1:0:0", .invalidArgument),
    ("bg:1:2:3:4", .argumentCount), ("bg:red", .invalidArgument), ("q:-1", .invalidArgument),
    ("q:101", .invalidArgument),
    ("fq:jpg", .argumentCount), ("fq:foo:1", .unknownFormat), ("fq:best:1", .unknownFormat),
    ("fq:jpg:101", .invalidArgument),
    ("skp:jpg:bad_format", .unknownFormat), ("f:tif", .unknownFormat), ("f:PNG", .unknownFormat),
    ("f:", .unknownFormat),
    ("f:png:jpg", .argumentCount), ("wm:2", .invalidArgument), ("wm:", .invalidArgument),
    ("wm:1:sm", .invalidArgument), ("wm:1:fp", .invalidArgument),
    ("wm:1:ce:1:1:-1", .invalidArgument), ("wm:1:ce:1:1:1:1:1:1", .argumentCount), ("cb:a:b", .argumentCount),
    ("exp:abc", .invalidArgument), ("exp:", .invalidArgument), ("fn:!!:1", .invalidArgument),
    ("fn:a:b:c", .argumentCount),
    ("fn:YQ0K:1", .invalidArgument), ("maf:0", .invalidArgument), ("msr:-1", .invalidArgument),
    ("msr:NaN", .invalidArgument),
    ("bl:-1", .invalidArgument), ("pix:-1", .invalidArgument), ("bga:2", .invalidArgument),
    ("br:256", .invalidArgument),
    ("co:-1", .invalidArgument), ("mc:2", .invalidArgument), ("ba:1:0:0:1", .argumentCount),
    ("ba:1:0:0:1:2", .invalidArgument),
    ("ush:maybe", .invalidArgument), ("ush:auto:0", .invalidArgument),
    ("gr:1:fff:sideways", .invalidArgument),
    ("hs:md5:00", .invalidArgument), ("hs:crc32:00", .invalidArgument), ("aq:ml", .unsupportedOption),
    ("aq:dssim:0.1:0", .invalidArgument),
    ("jpgo:1:1:1:1:1:9", .invalidArgument), ("pngo:1:1:1", .invalidArgument),
    ("webpo:best", .invalidArgument), ("avifo:1", .invalidArgument),
    ("icc:..%2Fsecret", .invalidArgument), ("icc:..", .invalidArgument), ("icc:a%00", .invalidArgument),
    ("icc:%zz", .invalidArgument),
    ("wmu:!", .invalidArgument), ("wmt:_w", .invalidArgument), ("cb:é", .invalidArgument),
    ("pgs:0", .invalidArgument),
    ("bd:5:face", .unsupportedOption), ("vts:1", .unsupportedOption),
    ("vtt:1:3:3:320:240:t", .unsupportedOption),
    ("op:ce", .unsupportedOption), ("unknown:1", .unknownOption), (":1", .unknownOption),
    ("W:1", .unknownOption),
    ("min_width:1", .unknownOption), ("pr:missing", .unknownPreset), ("pr:", .unknownPreset),
  ]

  @Test(arguments: refused) func isRefused(_ text: String, _ fault: ImageURLError.Fault) throws {
    #expect(try ImgproxyDialect.permissive().fault(text) == fault)
  }

  @Test func valuesArriveWhereTheyBelong() throws {
    let dialect = try ImgproxyDialect.permissive()
    let options = try dialect.options(
      "rs:fill:300:200:1:1:no:1:2/g:soea:0.1:-3/c:0.5:10:fp:0.25:0.75/t:5:f0f:1/pd:1:2:3:4/wm:0.5:nowe:1:2:0.3/dpr:2"
    )
    let stage = options.stages[0]
    #expect(
      stage.resizingType == .fill && stage.width == 300 && stage.height == 200 && stage.enlarges == true)
    #expect(stage.extend == .init(true, gravity: .compass(.north, x: 1, y: 2)))
    #expect(stage.gravity == .compass(.southEast, x: 0.1, y: -3))
    #expect(stage.crop == .init(width: 0.5, height: 10, gravity: .focusPoint(x: 0.25, y: 0.75)))
    #expect(
      stage.trim
        == .init(threshold: 5, color: .init(red: 255, green: 0, blue: 255), isEqualHorizontally: true))
    #expect(stage.padding == .init(top: 1, right: 2, bottom: 3, left: 4))
    #expect(stage.watermark == .init(0.5, position: .compass(.northWest), x: 1, y: 2, scale: 0.3))
    #expect(options.dpr == 2 && options.stages.count == 1)
  }

  @Test(arguments: [
    ("w:100/w:200", "w:200"), ("g:no:5:5/g:ea", "g:ea:5:5"), ("g:no:5:5/g:sm/g:ea", "g:ea"),
    ("g:no:5:6/g:so::7", "g:so:5:7"),
    ("c:50:60/c:70", "c:70:60"), ("c:1:2:no:3/c:4:5:so", "c:4:5:so:3"), ("t:10:fff:1/t:5", "t:5::1"),
    ("t:10/t:", "t:"),
    ("ex:1:no:1/ex:0", "ex:0:no:1"), ("bg:fff/bg:", "bg:"), ("wm:1:no:1:2:3/wm:0.5", "wm:0.5:no:1:2:3"),
    ("rs:fill:1:2/rs::3", "rs:fill:3:2"), ("pd:1:2:3:4/pd:5", "pd:5"), ("pd::1:2/pd::3", "pd:0:3:2"),
    ("fl:1:1/fl:0", "fl:0:1"),
    ("fn:a/fn:b", "fn:b"),
    ("a:1:2:3/a::4", "br:1/co:4/sa:3"), ("jpgo:1/jpgo::1", "jpgo:1:1"),
    ("f:png/f:webp/raw:1", "f:webp/raw:1"),
    ("cb:a/cb:", "cb:"), ("z:2:3/z:4", "z:4"),
  ])
  func laterOnesOverwriteWhatTheySet(_ text: String, _ expected: String) throws {
    #expect(try ImgproxyDialect.permissive().canonical(text) == expected)
  }

  @Test func otherTextThanBooleanValuesIsFalseAndNoticed() throws {
    let dialect = try ImgproxyDialect.permissive()
    let request = try dialect.parse(path: "el:yes/ar:1/plain/http://a/b")
    #expect(request.options.enlarges == false && request.options.autoRotates == true)
    #expect(request.notices.map(\.kind) == [.notBoolean] && request.notices[0].place.segment == 0)
  }

  @Test func theOpenSourceEditionHasNothingOfPro() throws {
    let dialect = try ImgproxyDialect.permissive(.openSource)
    for text in ["f:best", "bga:1", "g:obj:a", "wm:1:ch", "a:1", "hs:none", "bc:1", "bd:1", "vts:1"] {
      #expect(dialect.fault(text) != nil, "\(text)")
    }
    #expect(dialect.fault("bd:1") == .unknownOption)
    // Neither pipelines nor encrypted sources: both are read as sources.
    #expect(dialect.fault("w:1/-/h:1") == .invalidSource)
    #expect(dialect.fault(path: "enc/aHR0cDovL2EvYg") == .invalidSource)
    #expect(dialect.fault(path: "plain/http://a/b@best") == .unknownFormat)
    var best = ProcessingOptions()
    best.format = .best
    #expect(fault { _ = try dialect.path(for: "http://a/b", best) } == .unwritable)
    var chain = ProcessingOptions(stages: [.init(), .init()])
    #expect(fault { _ = try dialect.path(for: "http://a/b", chain) } == .unwritable)
    chain = ProcessingOptions()
    chain.gravity = Gravity(.objects([]))
    #expect(fault { _ = try dialect.path(for: "http://a/b", chain) } == .unwritable)
    chain.gravity = nil
    chain.contrast = 2
    #expect(fault { _ = try dialect.path(for: "http://a/b", chain) } == .unwritable)
  }

  @Test func optionsThatLoosenLimitsMustBeAllowed() throws {
    let dialect = try ImgproxyDialect()
    for text in ["msr:1", "msfs:1", "maf:1", "mafr:1", "mrd:1"] {
      #expect(dialect.fault(text) == .securityOption)
    }
    #expect(dialect.fault("bc:1") == .cacheBypass)
    var options = ProcessingOptions()
    options.maxResultDimension = 1
    #expect(fault { _ = try dialect.path(for: "http://a/b", options) } == .securityOption)
    #expect(ImageURLError(.securityOption, "", remedy: "").status == 403)
  }

  @Test func onlyAllowedNamesAreRead() throws {
    let strict = try ImgproxyDialect.with { $0.allowedOptions = ["w", "h", "pr", "resize"] }
    #expect(strict.fault("w:1/h:2") == nil)
    #expect(strict.fault("w:1/bl:2") == .forbiddenOption)
    #expect(strict.fault("rs:fit:1:1") == .forbiddenOption)
    #expect(strict.fault("unknown:1") == .forbiddenOption)
    let lenient = try ImgproxyDialect.with {
      $0.allowedOptions = ["w", "resize"]
      $0.allowedOptionsCoverSynonyms = true
    }
    #expect(lenient.fault("rs:fit:1:1/width:1") == nil)
    #expect(lenient.fault("h:1") == .forbiddenOption)
    var options = ProcessingOptions()
    options.blur = 1
    #expect(fault { _ = try strict.path(for: "http://a/b", options) } == .forbiddenOption)
  }

  @Test func expiredURLsAreRefused() throws {
    let dialect = try ImgproxyDialect()
    #expect(dialect.fault("exp:1000", at: 1001) == .expired)
    #expect(dialect.fault("exp:1000", at: 1000) == nil)
    #expect(dialect.fault("exp:0", at: 1000) == nil)
    #expect(dialect.fault("exp:1000") == nil)
    // The first that has passed ends it, as in imgproxy.
    #expect(dialect.fault("exp:5/exp:0", at: 1000) == .expired)
  }

  @Test func errorsNameTheSegment() throws {
    let dialect = try ImgproxyDialect()
    let error = try #require(throws: ImageURLError.self) { _ = try dialect.options("w:1/h:2/q:999") }
    #expect(error.place == .init(segment: 2, text: "q:999"))
    #expect(error.code == "invalidArgument" && error.status == 404)
    #expect(error.description.contains("segment 2") && error.description.contains("0…100"))
  }

  @Test func normalizedOptionsAreEqualIfTheyMeanTheSame() throws {
    let dialect = try ImgproxyDialect.permissive()
    for text in [
      "w:0/h:0/rt:fit/el:0/mw:0/mh:0/z:1/dpr:1/ex:0/exar:0:no/g:ce:0:0/c:0:0/car:0/t:/pd:0/rot:0/fl:0:0",
      "bg:/bga:1/a:0:1:1/mc:0/dt:0/col:0/gr:0/bl:0/sh:0/pix:1/ush:/ba:0/pbl:0/wm:0/wmu:/wmt:/wms:0:0/wmr:0/wmsh:0/ra:lanczos3",
      "dpi:0/cp:/q:0/aq:/mb:0/jpgo:/pngo:/webpo:/avifo:/pg:0/pgs:1/da:0/st:/fiu:/hs:none/raw:0/cb:/bc:0/exp:0",
      "-/-/w:0",
    ] {
      #expect(try dialect.options(text) != ProcessingOptions())
      #expect(try dialect.options(text).normalized() == ProcessingOptions(), "\(text)")
    }
    #expect(try dialect.options("ar:0/sm:0").normalized() == dialect.options("sm:0/ar:0"))
  }
}
