"""Serves the built site on loopback: ``python site/serve.py [--port N] [FOLDER]``.

Any other static server does as well.
"""

import argparse
import gzip
from contextlib import suppress
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

OUT = Path(__file__).resolve().parent.parent / "build/site"
PACKED = {".whl", ".zip", ".png", ".woff", ".woff2", ".jpg", ".gz"}


class Handler(SimpleHTTPRequestHandler):
    """Static files, compressed on the way as public hosts do, and kept by the browser until they change."""

    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".json": "application/json",
        ".ipynb": "application/json",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
        ".woff2": "font/woff2",
    }

    def send_head(self) -> BytesIO | BinaryIO | None:
        path = Path(self.translate_path(self.path))
        wants = "gzip" in self.headers.get("Accept-Encoding", "")
        if not wants or not path.is_file() or path.suffix in PACKED or "If-Modified-Since" in self.headers:
            return super().send_head()
        status = path.stat()
        body = _packed(path, status.st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", self.date_time_string(int(status.st_mtime)))
        self.send_header("Vary", "Accept-Encoding")
        self.end_headers()
        return BytesIO(body)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Nothing: a reader's steps are nobody's business."""


@cache
def _packed(path: Path, _changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6, mtime=0)


def server(folder: Path, port: int = 0, handler: type[Handler] = Handler) -> ThreadingHTTPServer:
    """A server of `folder` on loopback, not yet running; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(handler, directory=str(folder)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="serve.py", description="Serve the built site on loopback.")
    parser.add_argument("folder", type=Path, nargs="?", default=OUT, help="default: build/site/")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000")
    options = parser.parse_args()
    if not (options.folder / "index.html").is_file():
        raise SystemExit(f"expected a built site in {options.folder}; build it with: make site")
    with server(options.folder, options.port) as running:
        print(f"The site is at http://127.0.0.1:{running.server_port}/ . Ctrl-C stops it.", flush=True)
        with suppress(KeyboardInterrupt):
            running.serve_forever()


if __name__ == "__main__":
    main()
