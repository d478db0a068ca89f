from support import *

_, member, token = sys.argv[1:]
element = f'<coterie-groups src="{daemon}" member="{member}" no-scroll no-impressions></coterie-groups>'
policy = (f"default-src 'none'; script-src 'self'; connect-src 'self' {daemon}; "
    "img-src 'self' http://pictures.test; require-trusted-types-for 'script'")
routes |= {
    "/token": lambda query: ("text/plain", token),
    "/plain": lambda query: ("text/html", page(element, "/page.js")),
    "/strict": lambda query: ("text/html", page(element, "/page.js"), {"Content-Security-Policy": policy}),
    "/root": lambda query: ("text/html", page('<div id="root"></div>', "/root.js")),
    "/page.js": lambda query: ("text/javascript", """
        import '/coterie-groups.js';
        const list = document.querySelector('coterie-groups');
        list.token = async () => (await fetch('/token')).text();"""),
    "/root.js": lambda query: ("text/javascript", """
        import '/coterie-groups.js';
        // A framework's root: a component with a shadow tree, that renders by replacing and moving nodes.
        class AppRoot extends HTMLElement {
            connectedCallback() { this.attachShadow({mode: 'open'}); this.render(); }
            render() {
                const list = this.list ??= Object.assign(document.createElement('coterie-groups'),
                    {token: async () => (await fetch('/token')).text()});
                list.setAttribute('no-impressions', '');
                list.setAttribute('src', '%s'); list.setAttribute('member', '%s');
                const box = document.createElement('section');
                box.append(list);
                this.shadowRoot.replaceChildren(box);
            }
        }
        customElements.define('app-root', AppRoot);
        document.querySelector('#root').append(document.createElement('app-root'));
        """ % (daemon, member)),
}

def api(path, body=None):
    request = urllib.request.Request(
        f"{daemon}/v1/users/{member}/{path}", headers={"Authorization": "Bearer " + token})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    return json.load(urllib.request.urlopen(request))

def states():
    answer = api("changes?session=test")
    return {group["groupId"]: group["state"] for group in answer["groups"] if group["state"] != "recommended"}

try:
    one = device()
    one.open("/plain")
    one.settled()
    first = one.groups()
    session = one.run("return JSON.parse(localStorage[Object.keys(localStorage).find(key => key.endsWith(' session'))])")
    assert first == [row["groupId"] for row in api("recommendations?limit=6&session=" + session)["recommendations"]]
    assert one.driver.title == "Site" and one.run("return root.querySelectorAll('.title img').length") == 0
    assert token not in one.driver.page_source
    assert one.run("return Object.values(localStorage).join()").find(token) < 0
    one.wait("photos", "return [...root.querySelectorAll('.strip img')].some(i => i.naturalWidth)")
    one.look()
    # Photos without sizes get the places that their pictures ask for: whole rows of equal width.
    one.wait("rows of photos", """
        return [...root.querySelectorAll('.strip')].some(strip => {
            const boxes = [...strip.querySelectorAll('img')].map(image => image.getBoundingClientRect());
            const ends = boxes.filter(box => Math.abs(box.right - strip.getBoundingClientRect().right) < 1);
            return ends.length && new Set(boxes.map(box => Math.round(box.width))).size > 1;
        })""")
    cases = [
        ([1, 1, 1, 1], {}, 710, 1, [[10, 10, 340, 340], [360, 10, 340, 340], [710, 10, 340, 340], [10, 360, 340, 340]]),
        ([1, 4, 1.1], {"width": 1000, "rowHeight": 250}, 418, 1,
            [[10, 10, 194, 194], [214, 10, 776, 194], [10, 214, 213.4, 194]]),
        ([1, 2], {"width": 200, "rowHeight": 100}, 300, 0, [[10, 10, 180, 180], [10, 200, 180, 90]]),
        ([1, 1, 1, 2.5], {"width": 880}, 654, 0,
            [[10, 10, 280, 280], [300, 10, 280, 280], [590, 10, 280, 280], [10, 300, 860, 344]]),
        ([.5, 1.5, 1, 1.8, .4, .7, .9, 1.1, 1.7, 2, 2.1], {}, 1268.619325801832, 0, [
            [10, 10, 170, 340], [190, 10, 510, 340], [710, 10, 340, 340],
            [10, 360, 633.103448275862, 351.7241379310344],
            [653.103448275862, 360, 140.68965517241378, 351.7241379310344],
            [803.7931034482758, 360, 246.20689655172407, 351.7241379310344],
            [10, 721.7241379310344, 248.10810810810813, 275.6756756756757],
            [268.1081081081081, 721.7241379310344, 303.2432432432433, 275.6756756756757],
            [581.3513513513515, 721.7241379310344, 468.64864864864865, 275.6756756756757],
            [10, 1007.39981360671, 502.43902439024396, 251.21951219512198],
            [522.439024390244, 1007.39981360671, 527.5609756097562, 251.21951219512198]]),
        ([5], {}, 228, 0, [[10, 10, 1040, 208]]),
    ]
    for ratios, settings, height, widows, boxes in cases:
        layout = one.driver.execute_async_script("""
            const [ratios, settings, done] = arguments;
            import('/coterie-groups.js').then(({justify}) => done(justify(ratios, settings)));""", ratios, settings)
        assert [layout["height"], layout["widows"]] == [height, widows], layout
        assert [[box[side] for side in ["left", "top", "width", "height"]] for box in layout["boxes"]] == boxes, layout
    print("laid out")

    # Each action by click, and its undoing.
    one.press(first[0], "dismiss")
    assert one.focused() == [first[0], "button undo"], one.focused()
    one.settled()
    assert states()[first[0]] == "dismissed"
    one.look()
    one.press(first[0], "undo")
    one.settled()
    assert first[0] not in states()
    assert one.groups() == first, one.groups()
    assert one.focused()[0] == first[0]

    # The same by keyboard, and "Why this?".
    one.run("article(arguments[0]).focus()", first[1])
    one.key(Keys.PAGE_DOWN)
    assert one.focused()[0] == first[2]
    one.key(Keys.PAGE_UP, Keys.TAB, Keys.TAB)
    while "dismiss" not in (one.focused()[1] or ""): one.key(Keys.TAB)
    one.key(Keys.ENTER)
    one.settled()
    assert states()[first[1]] == "dismissed", states()
    one.key(Keys.ENTER)
    one.settled()
    assert first[1] not in states()
    one.press(first[0], "why-button")
    assert one.run("const list = article(arguments[0]).querySelector('ul'); return !list.hidden && list.children.length",
        first[0])
    one.press(first[2], "join")
    one.settled()
    assert states()[first[2]] == "joined"
    one.press(first[2], "undo")
    one.settled()
    assert first[2] not in states()
    print("clicked and typed")

    # The next page: by its button, by Page Down at the end, and by scrolling.
    one.run("root.querySelector('.more').focus()")
    one.key(Keys.ENTER)
    one.wait("a second page", "return root.querySelectorAll('article').length == 12")
    assert one.focused()[0] == one.groups()[6], one.focused()
    one.run("[...root.querySelectorAll('article')].at(-1).focus()")
    one.key(Keys.PAGE_DOWN)
    one.wait("a third page", "return root.querySelectorAll('article').length == 18")
    assert len(set(one.groups())) == 18
    one.quiet()

    one.driver.get(origin + "/strict")
    one.wait("rows", "return root?.querySelectorAll('article').length == 18")
    one.settled()
    one.wait("photos", "return [...root.querySelectorAll('.strip img')].some(i => i.naturalWidth)")
    one.quiet()
    assert one.run("return getComputedStyle(root.querySelector('.strip')).position") == "relative"
    one.driver.get(origin + "/root")
    one.wait("rows", "return root?.querySelectorAll('article').length >= 18")
    for _ in range(2): one.driver.execute_script("document.querySelector('app-root').render()")
    one.settled()
    assert one.groups()[:6] == first
    one.wait("photos", "return [...root.querySelectorAll('.strip img')].some(i => i.naturalWidth)")
    one.run("[...root.querySelectorAll('article')].at(-1).scrollIntoView()")
    one.wait("a page by scrolling", "return root.querySelectorAll('article').length > 18")
    one.quiet()
    print("strict, in a root, scrolled")

    # Right to left.
    one.open("/plain")
    one.settled()
    one.driver.execute_script("document.documentElement.dir = 'rtl'")
    left, right = one.run("""
        return [...root.querySelector('.strip').querySelectorAll('img')].slice(0, 2)
            .map(image => image.getBoundingClientRect().left)""")
    assert left > right, (left, right)
    one.look()

    # Two tabs of one device.
    one.open("/plain")
    one.settled()
    tab = one.driver.current_window_handle
    one.driver.switch_to.new_window("tab")
    one.open("/plain")
    one.settled()
    one.press(first[3], "dismiss")
    one.settled()
    one.driver.switch_to.window(tab)
    one.wait("the other tab's action", "return !article(arguments[0])", first[3])
    assert states()[first[3]] == "dismissed"

    # Two devices without a network, each with actions of its own; one tab is reloaded meanwhile.
    two = device()
    two.open("/plain")
    two.settled()
    # The daemon cannot be reached, and the page is loaded again: it shows what it had, and what the member did.
    one.driver.execute_cdp_cmd("Network.enable", {})
    one.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [daemon + "/*"]})
    one.press(first[2], "dismiss")
    one.open("/plain")
    one.wait("the notice",
        "return /cannot be updated.*1 of your actions/.test(root.querySelector('.notice').textContent)")
    assert one.run("return !!article(arguments[0]).querySelector('.stub')", first[2])
    # The page that went may have sent the action past the block, but nobody heard the answer.
    assert len(one.groups()) >= 6
    one.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    one.settled()
    assert states()[first[2]] == "dismissed"
    two.settled()

    # The second device's session has a list of its own.
    both = next(group for group in one.groups() if group in two.groups())
    ours = next(group for group in one.groups() if group != both)
    back, theirs = [group for group in two.groups() if group not in [both, ours]][:2]
    before = states()
    for machine in [one, two]: machine.offline(True)
    one.press(ours, "join")
    one.press(both, "dismiss")
    two.press(both, "dismiss")
    two.press(back, "dismiss")
    two.press(back, "undo")
    two.press(theirs, "join")
    for machine in [one, two]:
        machine.wait("the notice", "return /offline.*later/.test(root.querySelector('.notice').textContent)")
    one.look()
    assert states() == before
    two.offline(False)
    two.wait("agreement", "return root.querySelector('.notice').textContent == ''")
    assert states() == {**before, both: "dismissed", theirs: "joined"}, (before, states())
    one.offline(False)
    one.wait("agreement", "return root.querySelector('.notice').textContent == ''")
    after = {**before, both: "dismissed", theirs: "joined", ours: "joined"}
    assert states() == after, (after, states())
    for machine in [one, two]:
        machine.open("/plain")
        machine.settled()
        shown = machine.groups()
        assert not set(shown) & set(after), (shown, after)
        mine = machine.run("""
            const key = Object.keys(localStorage).find(key => key.endsWith(' view'));
            return JSON.parse(localStorage[key]).states""")
        assert {group: state for group, state in mine.items() if state != "recommended"} == after, (mine, after)
        assert not machine.run("return Object.keys(localStorage).filter(k => k.includes(' action '))")
    print("all is well")
finally:
    for each in devices: each.driver.quit()
