#!/usr/bin/env python3
"""An example site with "Groups for you". Usage: site.py PORT DAEMON MEMBER KEYS COTERIE"""
import html
import http.server
import pathlib
import random
import subprocess
import sys
import urllib.parse

PORT, DAEMON, MEMBER, KEYS, COTERIE = sys.argv[1:]
FOLDER = pathlib.Path(__file__).parent
TYPES = {
    "/": ("index.html", "text/html"), "/site.js": ("site.js", "text/javascript"), "/site.css": ("site.css", "text/css"),
}


# What the page may look like, each with the attributes of its address.
VIEWS = {
    "list": "", "cards": "layout=cards", "cards, dark": "layout=cards&scheme=dark", "list, dark": "scheme=dark",
    "cards, light": "layout=cards&scheme=light", "list, right to left": "language=ar",
    "cards, right to left": "layout=cards&language=ar",
}


def page(text, query):
    """Returns the page in the layout, colour scheme and language of a query."""
    language = query.get("language", "en")
    links = " · ".join(f'<a href="/?{html.escape(value)}">{name}</a>' for name, value in VIEWS.items())
    values = {
        "CHOICES": links, "LAYOUT": f'layout="{query.get("layout", "list")}"', "LANGUAGE": language,
        "DIRECTION": "rtl" if language == "ar" else "ltr", "SCHEME": query.get("scheme", "light dark"),
        "DAEMON": DAEMON, "MEMBER": MEMBER,
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", value if name in ["CHOICES", "LAYOUT"] else html.escape(value))
    return text


def picture(name):
    """Returns a landscape that stands for a photo, since the sample has none; the name decides how it looks."""
    chance = random.Random(name)
    width, height = chance.choice([(400, 300), (300, 400), (300, 300), (640, 360)])
    hue, is_night = chance.randrange(360), chance.random() < .3
    sky = [f"hsl({hue} 45% {light}%)" for light in ([10, 34] if is_night else [62, 88])]
    sun = f'<circle cx="{chance.uniform(.15, .85) * width:.0f}" cy="{chance.uniform(.15, .4) * height:.0f}"'
    sun += f' r="{height * chance.uniform(.05, .1):.0f}" fill="hsl({hue + 30} 80% 92%)"/>'
    hills = ""
    for depth in range(4):
        top, steps = height * (.45 + .13 * depth), 6
        points = [top + chance.uniform(-.12, .08) * height / (1 + depth * .4) for _ in range(steps + 1)]
        line = f"M0 {points[0]:.0f}"
        for step in range(steps):
            left, right = step * width / steps, (step + 1) * width / steps
            middle = (left + right) / 2
            begin, end = points[step], points[step + 1]
            line += f" C{middle:.0f} {begin:.0f} {middle:.0f} {end:.0f} {right:.0f} {end:.0f}"
        light = (26 if is_night else 58) - depth * (6 if is_night else 11)
        hills += f'<path d="{line} V{height} H0 Z" fill="hsl({hue + 25 + depth * 12} 35% {light}%)"/>'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">
        <linearGradient id="sky" x2="0" y2="1"><stop stop-color="{sky[0]}"/>
        <stop offset=".7" stop-color="{sky[1]}"/></linearGradient>
        <rect width="100%" height="100%" fill="url(#sky)"/>{sun}{hills}</svg>"""


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *values):
        pass

    def do_GET(self):
        address, status = urllib.parse.urlsplit(self.path), 200
        path, query = address.path, dict(urllib.parse.parse_qsl(address.query))
        if query.get("layout", "list") not in ["list", "cards"]:
            query = {}
        if path in TYPES:
            name, kind = TYPES[path]
            text = page((FOLDER / name).read_text(), query)
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
