#!/usr/bin/env python3
"""Writes the text on which quality is measured: the tutorial of Python's documentation, from Debian's package.

    write-eval-text.py [--package python3.11-doc_VERSION_all.deb] -o tutorial.txt

Without --package the package is fetched by `apt-get download`. The text is the reStructuredText source of the
tutorial's chapters, in the order of its table of contents, as it is. Its hash is checked, so that every figure that
names this text was measured on the same bytes. Standard library only.
"""
import argparse
import glob
import hashlib
import io
import lzma
import os
import subprocess
import tarfile
import tempfile

PACKAGE = "python3.11-doc"
FOLDER = "./usr/share/doc/python3.11/html/_sources/tutorial/"
# sha256 of the text, from 3.11.2-6+deb12u9. Versions of Debian 12 differ in security fixes, none of them here so far.
TEXT_HASH = "bee4662b8330106ab42a119778491d6b402ecafecbdd0681111a6ed197fdc23a"


def fetch(folder):
    done = subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, capture_output=True, text=True)
    files = glob.glob(os.path.join(folder, PACKAGE + "_*.deb"))
    if done.returncode != 0 or not files:
        raise SystemExit(f"apt-get download {PACKAGE} failed; fetch the package otherwise and give --package\n{done.stderr}")
    return files[0]


def data_of(package):
    """The data.tar.xz of a .deb, which is an ar archive: 60-byte headers, contents padded to even lengths."""
    with open(package, "rb") as file:
        if file.read(8) != b"!<arch>\n":
            raise SystemExit(f"{package} is no Debian package")
        while header := file.read(60):
            name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
            if name == "data.tar.xz":
                return lzma.decompress(file.read(size))
            file.seek(size + size % 2, os.SEEK_CUR)
    raise SystemExit(f"{package} has no data.tar.xz; a package of Debian 12 is needed")


def chapters(index):
    """The entries of the table of contents, in order."""
    lines = index.decode().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(".. toctree::"))
    entries = [line.strip() for line in lines[start + 1 :] if line.startswith("   ") and not line.strip().startswith(":")]
    return [entry for entry in entries if entry]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", help="the .deb file; fetched where not given")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = data_of(options.package or fetch(folder))
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        def read(name):
            return archive.extractfile(FOLDER + name).read()

        names = [entry.removesuffix(".rst") + ".rst.txt" for entry in chapters(read("index.rst.txt"))]
        text = b"\n".join(read(name) for name in names)
    found = hashlib.sha256(text).hexdigest()
    if found != TEXT_HASH:
        raise SystemExit(f"the text's sha256 is {found} and {TEXT_HASH} is expected: the package is of another version")
    with open(options.output, "wb") as file:
        file.write(text)
    print(f"{options.output}: {len(text)} bytes from {len(names)} chapters")


main()
