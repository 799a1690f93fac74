"""Measures and encoders of the library in this process: its C is compiled into shared libraries in FOLDER (.libraries).

SSIMULACRA2, SSIM and PSNR are those of `CPixels`; butteraugli (the 3-norm) is that of libjxl, if it is installed.
"""
import ctypes as C, os, resource, shutil, subprocess, sys, time
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "Sources")
FOLDER = os.environ.get("CALOTYPE_LIBRARIES", os.path.join(HERE, ".libraries"))


def library(target, *links, sources=None, options=()):
    """Compiles a C target of the package, if it has changed, and loads it."""
    folder = sources or os.path.join(SOURCES, target)
    out = os.path.join(FOLDER, f"lib{target}.so")
    files = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if name[-2:] in (".c", ".h")]
    if not os.path.exists(out) or os.path.getmtime(out) < max(os.path.getmtime(file) for file in files):
        os.makedirs(FOLDER, exist_ok=True)
        compiler = shutil.which("clang") or sys.exit("clang, as in the Swift toolchain, is not in the PATH")
        subprocess.run([compiler, "-O2", "-fPIC", "-shared", *options, "-I" + os.path.join(folder, "include"),
                        *[file for file in files if file.endswith(".c")], "-o", out, "-lm", *links], check=True)
    return C.CDLL(out)


class Picture(C.Structure):
    _fields_ = [("pixels", C.c_void_p), ("bytes_per_row", C.c_size_t), ("width", C.c_uint32), ("height", C.c_uint32), ("background", C.c_int)]


pixels = library("CPixels")
for name in ("cpx_ssimulacra2_reference_size", "cpx_ssimulacra2_workspace_size"):
    getattr(pixels, name).restype, getattr(pixels, name).argtypes = C.c_size_t, [C.c_uint32, C.c_uint32]
pixels.cpx_ssim_workspace_size.restype, pixels.cpx_ssim_workspace_size.argtypes = C.c_size_t, [C.c_uint32]
pixels.cpx_ssimulacra2_prepare.restype = None
pixels.cpx_ssimulacra2_prepare.argtypes = [C.POINTER(Picture), C.c_void_p, C.c_void_p, C.c_int]
pixels.cpx_ssimulacra2.restype = pixels.cpx_ssim.restype = pixels.cpx_squared_error.restype = C.c_double
pixels.cpx_ssimulacra2.argtypes = [C.c_void_p, C.POINTER(Picture), C.c_void_p, C.c_int]
pixels.cpx_ssim.argtypes = [C.POINTER(Picture), C.POINTER(Picture), C.c_void_p, C.c_int]
BEST = 3


def aligned(size):
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + size]


def rgbx(array):
    """Returns pixels of four bytes."""
    return np.ascontiguousarray(np.dstack([array, np.full(array.shape[:2], 255, np.uint8)]))


def picture_of(array): return Picture(array.ctypes.data, array.strides[0], array.shape[1], array.shape[0], -1)


class Reference:
    """An original, of 8-bit RGB, to compare others with."""
    def __init__(self, array):
        self.rgb, self.array = np.ascontiguousarray(array), rgbx(array)
        self.height, self.width = array.shape[:2]
        self.prepared = aligned(pixels.cpx_ssimulacra2_reference_size(self.width, self.height))
        self.workspace = aligned(pixels.cpx_ssimulacra2_workspace_size(self.width, self.height))
        pixels.cpx_ssimulacra2_prepare(C.byref(picture_of(self.array)), self.prepared.ctypes.data, self.workspace.ctypes.data, BEST)

    def score(self, array):
        """Returns SSIMULACRA2."""
        assert array.shape == self.rgb.shape, (array.shape, self.rgb.shape)
        other = rgbx(array)
        return pixels.cpx_ssimulacra2(self.prepared.ctypes.data, C.byref(picture_of(other)), self.workspace.ctypes.data, BEST)

    def ssim(self, array):
        other, workspace = rgbx(array), aligned(pixels.cpx_ssim_workspace_size(self.width))
        return pixels.cpx_ssim(C.byref(picture_of(self.array)), C.byref(picture_of(other)), workspace.ctypes.data, BEST)

    def psnr(self, array):
        error = ((self.rgb.astype(np.float64) - array) ** 2).mean()
        return 10 * np.log10(65025 / max(error, 1e-9))

    def butteraugli(self, array):
        return butteraugli(self.rgb, np.ascontiguousarray(array))


def load_butteraugli():
    try: jxl = C.CDLL("libjxl.so.0.7")
    except OSError: return None
    class Format(C.Structure): _fields_ = [("channels", C.c_uint32), ("type", C.c_int), ("endianness", C.c_int), ("align", C.c_size_t)]
    for function, result, arguments in [
        ("Create", C.c_void_p, [C.c_void_p]), ("Destroy", None, [C.c_void_p])]:
        each = getattr(jxl, "JxlButteraugliApi" + function)
        each.restype, each.argtypes = result, arguments
    jxl.JxlButteraugliCompute.restype = C.c_void_p
    jxl.JxlButteraugliCompute.argtypes = [C.c_void_p, C.c_uint32, C.c_uint32, C.POINTER(Format), C.c_void_p, C.c_size_t, C.POINTER(Format), C.c_void_p, C.c_size_t]
    jxl.JxlButteraugliResultGetDistance.restype, jxl.JxlButteraugliResultGetDistance.argtypes = C.c_float, [C.c_void_p, C.c_float]
    jxl.JxlButteraugliResultDestroy.restype, jxl.JxlButteraugliResultDestroy.argtypes = None, [C.c_void_p]
    bytes_of_rgb = Format(3, 2, 0, 0)
    def distance(a, b):
        api = jxl.JxlButteraugliApiCreate(None)
        result = jxl.JxlButteraugliCompute(api, a.shape[1], a.shape[0], C.byref(bytes_of_rgb), a.ctypes.data, a.nbytes, C.byref(bytes_of_rgb), b.ctypes.data, b.nbytes)
        value = jxl.JxlButteraugliResultGetDistance(result, 3.0)
        jxl.JxlButteraugliResultDestroy(result)
        jxl.JxlButteraugliApiDestroy(api)
        return value
    return distance


butteraugli = load_butteraugli()


class JPEGSettings(C.Structure):
    """`cjpeg_picture`."""
    _fields_ = [
        ("rows", C.c_void_p), ("bytes_per_row", C.c_size_t), ("width", C.c_uint32), ("height", C.c_uint32), ("layout", C.c_int),
        ("opaque", C.c_int), ("background", C.c_uint8 * 3), ("only_luminance", C.c_int), ("quality", C.c_int),
        ("luma_horizontal", C.c_int), ("luma_vertical", C.c_int), ("optimized", C.c_int), ("progressive", C.c_int),
        ("standard_tables", C.c_int), ("trims", C.c_int), ("exif", C.c_void_p), ("xmp", C.c_void_p), ("profile", C.c_void_p),
        ("exif_count", C.c_size_t), ("xmp_count", C.c_size_t), ("profile_count", C.c_size_t)]


class JPEG:
    """The encoder of JPEG, which calls the installed libjpeg-turbo."""
    def __init__(self, sources=None): self.library = library("CJPEG", "-ljpeg", sources=sources)

    def encode(self, array, quality, sampling=2, optimized=1, progressive=0, standard=0, trims=0):
        """Returns the file of four-byte pixels."""
        height, width = array.shape[:2]
        settings = JPEGSettings(array.ctypes.data, array.strides[0], width, height, 0, 1, (C.c_uint8 * 3)(), 0, quality, sampling, sampling,
                                optimized, progressive, standard, trims)
        file, count, message = C.c_void_p(), C.c_size_t(), C.create_string_buffer(256)
        outcome = self.library.cjpeg_encode(C.byref(settings), None, C.byref(file), C.byref(count), message)
        if outcome: raise RuntimeError(f"{outcome}: {message.value.decode()}")
        bytes_ = C.string_at(file, count.value)
        free(file)
        return bytes_


free = C.CDLL(None).free
free.argtypes = [C.c_void_p]


def decoded(data):
    """Returns the pixels of a file, by Pillow."""
    import io
    from PIL import Image
    return np.ascontiguousarray(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))


def command(path, *words):
    """Runs the command; returns its processor time in milliseconds, without those of other processes."""
    child = os.posix_spawn(path, [path, *words], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status: sys.exit(f"{path} {' '.join(words)}: status {os.waitstatus_to_exitcode(status)}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def timed(function, *arguments, rounds=1):
    """Returns the result of a function, and the least processor time of its calls in milliseconds."""
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        result = function(*arguments)
        least = min(least, 1000 * (time.process_time() - start))
    return result, least
