"""A gate between the browser and the daemon, and a page that shows any members. Arguments: coterie and its keys."""
import collections, contextlib, subprocess
from support import *

_, coterie, keys = sys.argv[1:]

def token(member):
    return subprocess.run([coterie, "token", "--user", member, "--expires", Gate.lifetime, "--keys", keys],
        check=True, capture_output=True, text=True).stdout.strip()

def actions(member):
    request = urllib.request.Request(f"{daemon}/v1/users/{urllib.parse.quote(member, safe='')}/interactions",
        headers={"Authorization": "Bearer " + token(member)})
    try: found = json.load(urllib.request.urlopen(request))["interactions"]
    except urllib.error.HTTPError as error:
        # A member who has done nothing yet may be unknown.
        assert error.code == 404, error.read()
        return []
    return sorted((action["kind"], action.get("groupId", "")) for action in found)

def tell(member, **action):
    """Tells the daemon of an action of the member, as the site's own pages do."""
    request = urllib.request.Request(f"{daemon}/v1/users/{urllib.parse.quote(member, safe='')}/interactions",
        json.dumps({"interactions": [action]}).encode(),
        {"Authorization": "Bearer " + token(member), "Content-Type": "application/json"})
    urllib.request.urlopen(request).read()

Request = collections.namedtuple("Request", "command path body at")

class Gate(Handler):
    """What stands between the browser and the daemon: it counts requests, keeps them waiting, and refuses them."""
    seen, closed, opened = [], [], threading.Event()
    # A function that returns the status of a refusal or nothing, the fields of refusals, and the lifetime of tokens.
    refusal, fields, lifetime = None, {}, "1h"
    delay_seconds = 0
    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.command, self.path, body, time.monotonic())
        self.seen.append(request)
        time.sleep(Gate.delay_seconds)
        while not Gate.opened.wait(.02):
            if select.select([self.connection], [], [], 0)[0]:
                self.closed.append(request)
                self.close_connection = True
                return
        refusal = Gate.refusal and Gate.refusal(request)
        if refusal:
            return self.answer(refusal, {"Access-Control-Allow-Origin": origin, "Content-Type": "application/json",
                "Access-Control-Expose-Headers": "Retry-After", **Gate.fields}, b'{"status":503}')
        connection = http.client.HTTPConnection(daemon.removeprefix("http://"))
        connection.request(self.command, self.path, body or None, dict(self.headers))
        answer = connection.getresponse()
        headers = {name: value for name, value in answer.getheaders()
            if name.lower() not in ["content-length", "connection", "transfer-encoding"]}
        # Nobody reads the answer to a request that the page has given up.
        with contextlib.suppress(ConnectionError): self.answer(answer.status, headers, answer.read())
    do_GET = do_POST = pass_on
    def do_OPTIONS(self):
        self.answer(204, {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "authorization, content-type", "Access-Control-Max-Age": "600"}, b"")

Gate.opened.set()
gate = f"http://127.0.0.1:{serve(Gate)}"

def sent():
    """Returns the actions that came to the gate, as members and groups."""
    return [(urllib.parse.unquote(each.path.split("/")[3]), action.get("groupId")) for each in Gate.seen
        if each.command == "POST" for action in json.loads(each.body)["interactions"]]

routes |= {
    "/token": lambda query: ("text/plain", token(query["member"])),
    "/away": lambda query: ("text/html", page("", "/away.js")),
    "/away.js": lambda query: ("text/javascript", "import '/coterie-groups.js';"),
    "/page": lambda query: ("text/html", page("", "/page.js")),
    "/page.js": lambda query: ("text/javascript", """
        import '/coterie-groups.js';
        const { members = [], attributes = {} } = JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}');
        window.asked = [];
        window.forgotten = [];
        window.token = async request => {
            window.asked.push(request);
            return (await fetch('/token?member=' + encodeURIComponent(request.member))).text();
        };
        window.add = (member, others = {}) => {
            const element = Object.assign(document.createElement('coterie-groups'), { token: window.token });
            for (const [name, value] of Object.entries({
                src: '%s', member, 'no-scroll': '', 'no-impressions': '', ...others })) {
                if (value !== null) element.setAttribute(name, value);
            }
            document.querySelector('main').append(element);
            return element;
        };
        addEventListener('coterie-forget', event => window.forgotten.push(event.detail.actions));
        addEventListener('pageshow', event => { window.isFromCache = event.persisted; });
        for (const member of members) add(member, attributes);
        window.isReady = true;""" % gate),
}

def visit(browser, *members, **attributes):
    browser.driver.get("about:blank")
    browser.driver.get(origin + "/page#" + urllib.parse.quote(json.dumps(
        {"members": members, "attributes": attributes})))
    browser.wait("the page", "return window.isReady")

all_elements = "const all = [...document.querySelectorAll('coterie-groups')];"

def synced(browser):
    return browser.driver.execute_async_script(
        all_elements + "Promise.all(all.map(each => each.sync())).then(() => arguments[0]());")

def shown(browser, number=0):
    return browser.run(all_elements + """
        return [...all[arguments[0]].shadowRoot.querySelectorAll('article')]
            .map(element => element.dataset.group)""", number)

def stubs(browser, number=0):
    return browser.run(all_elements + """
        return [...all[arguments[0]].shadowRoot.querySelectorAll('article:has(.stub)')]
            .map(element => element.dataset.group)""", number)

def join(browser, number=0, place=0):
    return browser.run(all_elements + """
        const button = [...all[arguments[0]].shadowRoot.querySelectorAll('[part~=join]')][arguments[1]];
        const { group } = button.closest('article').dataset;
        button.click();
        return group;""", number, place)

def impressions():
    """Returns the requests with impressions that came to the gate, each as its time and its rows."""
    found = [(each.at, json.loads(each.body)["interactions"]) for each in Gate.seen if each.command == "POST"]
    return [(at, rows) for at, rows in found if any(row["kind"] == "impression" for row in rows)]

def kept(browser): return browser.run("return {...localStorage}")

def until(what, condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(.02)

def away(request): return 503
