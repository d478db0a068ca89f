#!/usr/bin/env python3
"""An example site with "Groups for you". Usage: site.py PORT DAEMON MEMBER KEYS COTERIE"""
import http.server
import pathlib
import subprocess
import sys

PORT, DAEMON, MEMBER, KEYS, COTERIE = sys.argv[1:]
FOLDER = pathlib.Path(__file__).parent
TYPES = {
    "/": ("index.html", "text/html"), "/site.js": ("site.js", "text/javascript"), "/site.css": ("site.css", "text/css"),
}


def picture(name):
    """Returns a picture for a photo, since the sample has none."""
    number = sum(name.encode())
    width, height = [(400, 300), (300, 400), (300, 300), (640, 360)][number % 4]
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">
        <rect width="100%" height="100%" fill="hsl({number * 37 % 360} 35% 55%)"/>
        <circle cx="50%" cy="60%" r="20%" fill="hsl({number * 53 % 360} 45% 75%)"/></svg>"""


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *values):
        pass

    def do_GET(self):
        path, status = self.path.split("?")[0], 200
        if path in TYPES:
            name, kind = TYPES[path]
            text = (FOLDER / name).read_text().replace("@DAEMON@", DAEMON).replace("@MEMBER@", MEMBER)
        elif path == "/token":
            # A site asks here whether the visitor has signed in. The token is short-lived, and only the member's.
            command = [COTERIE, "token", "--user", MEMBER, "--expires", "1h", "--keys", KEYS]
            token = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            kind, text = "text/plain", token.strip()
        elif path.startswith("/photos/"):
            kind, text = "image/svg+xml", picture(path.split("/")[-1].split("_")[0])
        else:
            status, kind, text = 404, "text/plain", "there is nothing here"
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store" if path == "/token" else "no-cache")
        self.send_header(
            "Content-Security-Policy",
            f"default-src 'none'; script-src 'self' {DAEMON}; connect-src 'self' {DAEMON}; img-src 'self'; "
            "style-src 'self'")
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer(("127.0.0.1", int(PORT)), Site).serve_forever()
