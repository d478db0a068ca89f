"""A site of another origin than the daemon's, and browsers that visit it. First argument: the daemon's address."""
import http.client, json, pathlib, select, sys, threading, time, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import axe_playwright_python
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

daemon = sys.argv[1]
axe = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
def component(name): return urllib.request.urlopen(f"{daemon}/components/{name}").read().decode()

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *values): pass
    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items(): self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

def picture(path):
    number = sum(path.split("_")[0].encode())
    width, height = [(400, 300), (300, 400), (300, 300), (640, 360), (900, 300)][number % 5]
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">
        <rect width="100%" height="100%" fill="hsl({number * 37 % 360} 40% 50%)"/></svg>"""

def page(content, script):
    return f"""<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
        <title>Site</title><meta name="color-scheme" content="light dark">
        <link rel="icon" href="/icon.svg">
        <main><h1>Site</h1><h2>Groups for you</h2>{content}</main>
        <script type="module" src="{script}"></script>"""

# The answers by path: a function of the query, which returns a type and a text, and maybe header fields.
# The site has copies of the component's files.
routes = {}
def copy(name):
    text = component(name)
    routes["/" + name] = lambda query: ("text/javascript", text)
languages = ["ar", "de", "es", "fr", "ja", "pt"]
for name in ["coterie-groups.js"] + [f"coterie-groups.{language}.js" for language in languages]: copy(name)

class Site(Handler):
    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        route = (lambda query: ("image/svg+xml", picture(self.path))) if address.path.endswith(".svg") else \
            routes.get(address.path)
        if not route: return self.answer(404, {}, b"")
        kind, text, *headers = route(dict(urllib.parse.parse_qsl(address.query)))
        fields = {"Content-Type": f"{kind}; charset=utf-8", "Cache-Control": "no-cache"}
        for others in headers: fields |= others
        self.answer(200, fields, text.encode())

def serve(handler):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port

site = serve(Site)
# The browser takes these names to the site above; other origins than the daemon's, and no secure ones.
origin = "http://photos.test"
names = f"MAP photos.test 127.0.0.1:{site}, MAP pictures.test 127.0.0.1:{site}"

class Browser:
    """A device: a browser with a profile of its own."""
    def __init__(self, *arguments, preferences={}):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for option in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1000,900",
                "--host-resolver-rules=" + names, *arguments]:
            options.add_argument(option)
        options.add_experimental_option("prefs", preferences)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    def run(self, script, *values):
        return self.driver.execute_script("""
            const root = (document.querySelector('coterie-groups')
                ?? document.querySelector('app-root')?.shadowRoot.querySelector('coterie-groups'))?.shadowRoot;
            const article = id => root?.querySelector(`article[data-group="${id}"]`);
            """ + script, *values)
    def wait(self, what, script, *values):
        try: return WebDriverWait(self.driver, 20).until(lambda d: self.run(script, *values))
        except Exception:
            seen = self.run("return root?.textContent")
            raise AssertionError((what, seen, self.driver.get_log("browser"))) from None
    def open(self, page):
        self.driver.get(origin + page)
        self.wait("rows", "return root?.querySelectorAll('article').length > 0")
    def groups(self):
        return self.run("""
            return [...root.querySelectorAll('article:not(:has(.stub))')].map(element => element.dataset.group)""")
    def press(self, group, part):
        self.run("article(arguments[0]).querySelector(`[part~=${arguments[1]}]`).click()", group, part)
    def key(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()
    def focused(self):
        return self.run("""
            const element = root.activeElement;
            return [element?.closest('article')?.dataset.group, element?.getAttribute('part')]""")
    def notice(self): return self.run("return root.querySelector('.notice').textContent")
    def settled(self):
        self.driver.execute_async_script("""
            const done = arguments[0];
            const list = document.querySelector('coterie-groups')
                ?? document.querySelector('app-root').shadowRoot.querySelector('coterie-groups');
            list.sync().then(done);""")
    def offline(self, is_offline):
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions",
            {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    def look(self):
        for scheme in ["light", "dark"]:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"}]})
            self.driver.execute_script(axe)
            found = self.driver.execute_async_script(
                "const done = arguments[0]; axe.run().then(result => done(result.violations));")
            assert not found, (self.driver.current_url, scheme, [(v["id"], v["nodes"][0]["html"]) for v in found])
        for width in [320, 1000]:
            self.driver.set_window_size(width, 900)
            wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (self.driver.current_url, width, wide)
    def quiet(self):
        trouble = [line["message"] for line in self.driver.get_log("browser")]
        assert not trouble, trouble

devices = []
def device(*arguments, **options):
    devices.append(Browser(*arguments, **options))
    return devices[-1]
