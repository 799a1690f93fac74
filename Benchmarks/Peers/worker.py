"""Runs the peers that live in Python, one request at a time, and makes the files that all are measured on.

A request is one line of JSON on standard input, {"operation": name, "file": path, "loops": count}; "make" also has
"photos", the folder of the sample photos. Each is answered by one line: {"seconds": CPU time of one loop, "result":
pixels decoded, frames composited or bytes written}, or {"error": text, "isMissing": whether a package is missing}.

CPU time is that of the whole process, user and system, all threads: work in a thread is work. One thread is asked for.
"""

import functools
import gc
import io
import json
import os
import resource
import sys

os.environ["VIPS_CONCURRENCY"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"


# Peers. Each takes a path and returns what "result" is. What is cached is there before the clock starts.


@functools.cache
def contents(path):
    with open(path, "rb") as file:
        return file.read()


@functools.cache
def samples(path):
    """Height × width × channels, as an encoder takes them."""
    import numpy
    from PIL import Image

    return numpy.array(Image.open(path))


@functools.cache
def vips():
    import pyvips

    # No result may be taken from the loop before.
    pyvips.cache_set_max(0)
    return pyvips


def vips_decode(path):
    image = vips().Image.new_from_buffer(contents(path), "", access="sequential").copy_memory()
    return image.width * image.height


def vips_image(path):
    """The samples, as libvips takes them."""
    pixels = samples(path)
    height, width, channels = pixels.shape
    return vips().Image.new_from_memory(pixels, width, height, channels, "uchar").copy(interpretation="srgb")


def vips_encode_png(path):
    return len(vips_image(path).write_to_buffer(".png[compression=6,filter=all]"))


def mozjpeg(path):
    """libvips with mozjpeg, at its best."""
    return len(vips_image(path).jpegsave_buffer(Q=82, optimize_coding=True, interlace=True, trellis_quant=True, overshoot_deringing=True, optimize_scans=True, quant_table=3))


def pillow_frames(path):
    from PIL import Image

    image = Image.open(io.BytesIO(contents(path)))
    for index in range(image.n_frames):
        image.seek(index)
        image.convert("RGBA")
    return image.n_frames


def pillow_load(path):
    from PIL import Image

    image = Image.open(io.BytesIO(contents(path)))
    image.load()
    return image.width * image.height


def pillow_thumbnail(path):
    from PIL import Image

    image = Image.open(io.BytesIO(contents(path)))
    image.thumbnail((320, 240), Image.Resampling.LANCZOS)
    return image.width * image.height


def pillow_heif_thumbnail(side):
    """A peer for HEIF: Pillow with libheif, which decodes by libde265 in one thread."""

    def run(path):
        from PIL import Image
        import pillow_heif

        pillow_heif.options.DECODE_THREADS = 1
        pillow_heif.register_heif_opener()
        image = Image.open(io.BytesIO(contents(path)))
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
        return image.width * image.height

    return run


def imagecodecs_frames(path):
    import imagecodecs

    return imagecodecs.apng_decode(contents(path)).shape[0]


def imagecodecs_jxl(path):
    import imagecodecs

    shape = imagecodecs.jpegxl_decode(contents(path), numthreads=1).shape
    return shape[0] * shape[1]


def vips_thumbnail(path):
    image = vips().Image.thumbnail_buffer(contents(path), 320, height=240).copy_memory()
    return image.width * image.height


@functools.cache
def noise(size, alpha):
    """Height × width × 4; the same kind of picture as the resizes of the library see."""
    import numpy

    pixels = numpy.random.default_rng(1).integers(0, 256, (size[1], size[0], 4), dtype=numpy.uint8)
    if not alpha:
        pixels[..., 3] = 255
    return pixels


@functools.cache
def fir(level):
    from cykooz_resizer import CpuExtensions, Resizer

    resizer = Resizer()
    resizer.cpu_extensions = getattr(CpuExtensions, level)
    return resizer


@functools.cache
def four_channels(size, alpha):
    """A picture of Pillow: without alpha as four channels that mean nothing."""
    from PIL import Image

    mode = "RGBA" if alpha else "CMYK"
    return Image.frombuffer(mode, size, noise(size, alpha), "raw", mode, 0, 1)


def resize(peer):
    """A peer of resizing: the "file" is `4000x3000 800x600 lanczos3 alpha`."""

    def run(task):
        source, target, filter_name, kind = task.split()
        source = tuple(map(int, source.split("x")))
        target = tuple(map(int, target.split("x")))
        return peer(source, target, filter_name, kind == "alpha")

    return run


def resize_fir(level):
    def run(source, target, filter_name, alpha):
        from PIL import Image
        from cykooz_resizer import FilterType, ResizeAlg, ResizeOptions

        pixels = four_channels(source, alpha)
        result = Image.new(pixels.mode, target)
        algorithm = ResizeAlg.convolution(getattr(FilterType, filter_name))
        fir(level).resize_pil(pixels, result, ResizeOptions(resize_alg=algorithm, use_alpha=alpha))
        return target[0] * target[1]

    return resize(run)


def resize_pillow(source, target, filter_name, alpha):
    from PIL import Image

    resampling = {"lanczos3": Image.Resampling.LANCZOS, "bilinear": Image.Resampling.BILINEAR}[filter_name]
    four_channels(source, alpha).resize(target, resampling)
    return target[0] * target[1]


def resize_opencv(source, target, filter_name, alpha):
    import cv2

    cv2.setNumThreads(1)
    cv2.resize(noise(source, alpha), target, interpolation=cv2.INTER_AREA)
    return target[0] * target[1]


def resize_vips(source, target, filter_name, alpha):
    kernel = {"lanczos3": "lanczos3", "bilinear": "linear"}[filter_name]
    pixels = noise(source, alpha)
    image = vips().Image.new_from_memory(pixels, source[0], source[1], 4, "uchar").copy(interpretation="srgb")
    # It has no alpha unless told: "premultiply" is what its users call before and after.
    if alpha:
        image = image.premultiply()
    image = image.resize(target[0] / source[0], vscale=target[1] / source[1], kernel=kernel, gap=0)
    if alpha:
        image = image.unpremultiply().cast("uchar")
    image.copy_memory()
    return image.width * image.height


def vips_drawing(path):
    image = vips().Image.thumbnail_buffer(contents(path), 512, height=512).copy_memory()
    return image.width * image.height


PEERS = {
    "vips-drawing": vips_drawing,
    "vips-thumbnail": vips_thumbnail,
    "resize-fir-best": resize_fir("avx2"),
    "resize-fir-sse4": resize_fir("sse4_1"),
    "resize-pillow": resize(resize_pillow),
    "resize-opencv-area": resize(resize_opencv),
    "resize-vips": resize(resize_vips),
    "vips-decode": vips_decode,
    "vips-encode-png": vips_encode_png,
    "mozjpeg": mozjpeg,
    "pillow-frames": pillow_frames,
    "pillow-load": pillow_load,
    "pillow-thumbnail": pillow_thumbnail,
    "pillow-heif-320": pillow_heif_thumbnail(320),
    "pillow-heif-1600": pillow_heif_thumbnail(1600),
    "imagecodecs-frames": imagecodecs_frames,
    "imagecodecs-jxl": imagecodecs_jxl,
}


# Files. Each maker takes the folder of the photos and returns a picture, or all frames of an animation.


def photo(photos, size=None):
    from PIL import Image

    image = Image.open(os.path.join(photos, "dandelion.jpg")).convert("RGB")
    return image.resize(size, Image.Resampling.LANCZOS) if size else image


def camera(photos, size=None):
    """The photo with what a sensor adds and what JPEG and scaling took away: else it is easier than a camera's."""
    import numpy
    from PIL import Image

    pixels = numpy.asarray(photo(photos, size))
    random = numpy.random.default_rng(1)
    grey = random.normal(0, 4, (*pixels.shape[:2], 1))
    color = random.normal(0, 2, pixels.shape)
    return Image.fromarray((pixels + grey + color).clip(0, 255).astype(numpy.uint8))


def with_alpha(image):
    """Opaque at the top, transparent at the bottom."""
    from PIL import Image

    image.putalpha(Image.linear_gradient("L").transpose(Image.Transpose.ROTATE_180).resize(image.size))
    return image


def pan(photos):
    """A window that moves over the photo: every pixel changes."""
    scene = photo(photos, (960, 540))
    return [scene.crop((8 * i, 3 * i, 8 * i + 480, 3 * i + 360)) for i in range(50)]


def pan_in_palette(photos):
    frames = pan(photos)
    palette = frames[0].quantize(255)
    return [frame.quantize(palette=palette) for frame in frames]


def sprite(photos):
    """A ball of twelve colours that circles on a transparent ground."""
    import numpy
    from PIL import Image

    y, x = numpy.mgrid[-24:24, -24:24]
    distance = numpy.hypot(x + 6, y + 6)
    ball = numpy.where(numpy.hypot(x, y) < 24, 1 + (distance * 0.38).astype(numpy.uint8).clip(0, 11), 0)
    colors = [0, 0, 0] + [value for i in range(12) for value in (255 - 16 * i, 200 - 15 * i, 40 + 6 * i)]
    frames = []
    for index in range(60):
        angle = index * numpy.pi / 30
        left, top = int(104 + 90 * numpy.cos(angle)), int(104 + 90 * numpy.sin(angle))
        canvas = numpy.zeros((256, 256), numpy.uint8)
        canvas[top : top + 48, left : left + 48] = ball
        frame = Image.fromarray(canvas, "P")
        frame.putpalette(colors)
        frame.info["transparency"] = 0
        frames.append(frame)
    return frames


def in_colors(frames):
    return [frame.convert("RGBA") for frame in frames]


LARGE, MEDIUM = None, (2000, 1500)
# Name: (maker, what Pillow's save is told).
FILES = {
    "photo-12mp.png": (lambda p: photo(p, LARGE), {"compress_level": 6}),
    "camera-12mp.png": (lambda p: camera(p, LARGE), {"compress_level": 6}),
    "camera-12mp-rgba.png": (lambda p: with_alpha(camera(p, LARGE)), {"compress_level": 6}),
    "camera-12mp-lossless.webp": (lambda p: camera(p, LARGE), {"lossless": True, "quality": 20, "method": 0}),
    "photo-12mp.avif": (lambda p: photo(p, LARGE), {"quality": 63, "speed": 8}),
    "photo-12mp.bmp": (lambda p: photo(p, LARGE), {}),
    "photo-12mp-lzw.tif": (lambda p: photo(p, LARGE), {"compression": "tiff_lzw"}),
    "photo-12mp-deflate.tif": (lambda p: photo(p, LARGE), {"compression": "tiff_adobe_deflate"}),
    "photo-12mp-jpeg.tif": (lambda p: photo(p, LARGE), {"compression": "jpeg", "quality": 85}),
    "photo-12mp.gif": (lambda p: photo(p, LARGE).quantize(256), {}),
    "photo-12mp-progressive.jpg": (lambda p: photo(p, LARGE), {"quality": 85, "progressive": True}),
    "photo-12mp.jpg": (lambda p: photo(p, LARGE), {"quality": 85}),
    "photo-12mp.webp": (lambda p: photo(p, LARGE), {"quality": 80, "method": 4}),
    "photo-12mp-lossless.webp": (lambda p: photo(p, LARGE), {"lossless": True, "quality": 50, "method": 3}),
    "photo-3mp.png": (lambda p: photo(p, MEDIUM), {"compress_level": 1}),
    "camera-3mp.png": (lambda p: camera(p, MEDIUM), {"compress_level": 1}),
    "pan.gif": (pan_in_palette, {"optimize": False}),
    "pan.webp": (pan, {"quality": 75, "method": 4}),
    "pan.png": (lambda p: in_colors(pan(p)), {}),
    "sprite.gif": (sprite, {"disposal": 2, "transparency": 0, "optimize": False}),
    "sprite.webp": (lambda p: in_colors(sprite(p)), {"lossless": True}),
    "sprite.png": (lambda p: in_colors(sprite(p)), {"disposal": 1}),
}


def make_batch(folder, photos):
    """500 crops of 1 to 3 MP, of all shapes, from photos with a sensor's noise: what cameras and phones would send."""
    import random
    import shutil

    import numpy
    from PIL import Image, ImageOps

    choose, noise = random.Random(7), numpy.random.default_rng(7)
    scenes = []
    for name in ("dandelion.jpg", "mountains.jpg", "stream.jpg", "sunset.webp"):
        scene = ImageOps.fit(Image.open(os.path.join(photos, name)).convert("RGB"), (4000, 3000))
        pixels = numpy.asarray(scene).astype(numpy.float32)
        pixels += noise.normal(0, 4, (*pixels.shape[:2], 1)).astype(numpy.float32)
        pixels += noise.normal(0, 2, pixels.shape).astype(numpy.float32)
        scenes.append(Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8)))
    # Whole or not at all.
    part = folder + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    for number in range(500):
        scene = scenes[number % len(scenes)]
        area = choose.uniform(1.0, 3.0) * 1e6
        width = int((area * choose.choice([4 / 3, 3 / 4, 3 / 2, 16 / 9, 1])) ** 0.5)
        height = int(area / width)
        left, top = choose.randint(0, 4000 - width), choose.randint(0, 3000 - height)
        crop = scene.crop((left, top, left + width, top + height))
        crop.save(os.path.join(part, f"{number:03d}.jpg"), quality=85, subsampling=2)
    os.rename(part, folder)


def drawing():
    """An SVG of the kind that applications export: gradients, many curves, groups with opacity, text, a blurred shadow."""
    shapes = []
    for k in range(300):
        x, y, size = 37 * k % 900, 61 * k % 600, 20 + 13 * k % 90
        paint = "url(#sky)" if k % 5 == 0 else f"#{(k * 2654435761) % 0xFFFFFF:06x}"
        shapes.append(
            f'<path d="M{x},{y} c{size},{-size} {2 * size},{size} {size},{size} s{-size},{size} {-size // 2},{-size} z" '
            f'fill="{paint}" stroke="#222" stroke-width="{1 + k % 3}" opacity="{0.4 + k % 6 / 10:.1f}"/>')
    text = "".join(f'<text x="{40 * k}" y="{590 - 20 * k}" font-size="24">Calotype {k}</text>' for k in range(12))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 680">'
        '<defs><linearGradient id="sky"><stop offset="0" stop-color="#fa0"/><stop offset="1" stop-color="#05c"/>'
        '</linearGradient><filter id="shadow"><feGaussianBlur stdDeviation="6"/></filter></defs>'
        f'<rect x="60" y="60" width="500" height="300" filter="url(#shadow)"/>{"".join(shapes)}{text}</svg>')


def make(path, photos):
    if os.path.basename(path) == "drawing.svg":
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.part", "w") as file:
            file.write(drawing())
        return os.replace(f"{path}.part", path)
    if os.path.basename(path) == "batch":
        return make_batch(path, photos)
    if os.path.basename(path) == "photo-12mp.heic":
        import heic

        data = heic.grid(photo(photos, (4032, 3024)), tile=512, quality=60, thumbnail=(320, 240))
        with open(f"{path}.part", "wb") as file:
            file.write(data)
        return os.replace(f"{path}.part", path)
    maker, options = FILES[os.path.basename(path)]
    picture = maker(photos)
    if isinstance(picture, list):
        options = {**options, "save_all": True, "append_images": picture[1:], "duration": 40, "loop": 0}
        picture = picture[0]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Whole or not at all.
    stem, extension = os.path.splitext(path)
    picture.save(f"{stem}.part{extension}", **options)
    os.replace(f"{stem}.part{extension}", path)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def answer(request):
    path = request["file"]
    if request["operation"] == "make":
        make(path, request["photos"])
        return {}
    peer = PEERS[request["operation"]]
    loops = request.get("loops", 1)
    if (peer, path) not in prepared:
        prepared.add((peer, path))
        peer(path)
    gc.collect()
    gc.disable()
    start = cpu_seconds()
    for _ in range(loops):
        result = peer(path)
    seconds = (cpu_seconds() - start) / loops
    gc.enable()
    return {"seconds": seconds, "result": result}


prepared = set()

if __name__ == "__main__":
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}", "isMissing": isinstance(error, ImportError)}
        print(json.dumps(reply), flush=True)
