"""What the component keeps of members: under whose key, in which element and tab, when it asks, what it forgets."""
import email.utils
from gate import *

# Each test begins with an open gate, and with members of its own.

def test_names(one):
    """Members whose names are parts of each other's keep to themselves: what waits, what is sent, what is forgotten."""
    members = ["ann", "ann lee", "a", "a b", "a%20c", "a action 1", "ann/lee", "a\"]", "😀", "a view"]
    joined = {}
    for member in members:
        visit(one, member)
        synced(one)
    Gate.refusal = away
    for member in members:
        visit(one, member)
        joined[member] = join(one, place=len(joined) % 4)
        synced(one)
    Gate.refusal = None
    visit(one, "ann")
    Gate.refusal = away
    assert one.run(all_elements + "return all[0].forget()") in [0, 1]
    Gate.refusal = None
    Gate.seen.clear()
    for member in members[1:]:
        visit(one, member)
        synced(one)
    assert sorted(sent()) == sorted((member, joined[member]) for member in members[1:]), sent()
    for member in members[1:]: assert actions(member) == [("join", joined[member])], (member, actions(member))
    # An element that gets another member keeps nothing of the one before.
    same = one.run(all_elements + """
        const articles = () => [...all[0].shadowRoot.querySelectorAll('article')];
        const before = articles();
        all[0].setAttribute('member', 'a b');
        return articles().filter(article => before.includes(article)).length;""")
    assert len(shown(one)) == 6 and same == 0, same

def test_no_member(one):
    """A word that a template writes for nobody is no member: nothing is asked, shown or kept for it."""
    Gate.seen.clear()
    words = ["undefined", "null", "NaN", "[object Object]"]
    visit(one, *words)
    one.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert not Gate.seen and all(shown(one, number) == [] for number in range(len(words))), Gate.seen
    assert not [key for key in kept(one) if any(word in key for word in words)], kept(one)

def test_forget(one):
    """What was not sent is counted and named, and an answer that comes afterwards writes nothing."""
    visit(one, "forgetful", "forgetful")
    synced(one)
    Gate.opened.clear()
    groups = [join(one), join(one, 1)]
    until("the joins", lambda: sent() and sent()[-1] == ("forgetful", groups[0]))
    assert one.run(all_elements + "return all[1].forget()") == 2
    named = one.run("""
        return window.forgotten.map(all => all.map(action => [action.kind, action.groupId, !!action.title]))""")
    assert named == [[["join", group, True] for group in groups]], named
    Gate.opened.set()
    one.driver.execute_async_script("setTimeout(arguments[0], 300)")
    synced(one)
    assert kept(one) == {} and shown(one) == shown(one, 1) == [], kept(one)
    # The site may show the member again.
    one.run(all_elements + "all[0].token = async request => window.token(request)")
    one.wait("a list", all_elements + "return all[0].shadowRoot.querySelectorAll('article').length > 1")
    # What the daemon has is not lost, even where no list came after it.
    synced(one)
    Gate.refusal = lambda request: 503 if request.command == "GET" else None
    join(one, place=2)
    synced(one)
    assert one.run(all_elements + "return all[0].forget()") == 0 and len(actions("forgetful")) > 0

def test_two_elements(one):
    """Two elements of a member agree at once, however long each is, and an action is sent once."""
    visit(one, "twin")
    one.run(f"add('twin', {{limit: 3, src: '{gate}/'}})")
    synced(one)
    assert len(shown(one)) == 6 and len(shown(one, 1)) == 3 and shown(one)[:3] == shown(one, 1)
    Gate.seen.clear()
    group = join(one, 1)
    assert stubs(one) == stubs(one, 1) == [group]
    synced(one)
    assert stubs(one) == stubs(one, 1) == [group]
    assert sent() == [("twin", group)] and actions("twin") == [("join", group)], sent()
    one.run(all_elements + "all[1].shadowRoot.querySelector('.more').click()")
    assert len(shown(one)) == 6 and len(shown(one, 1)) == 6
    # In another tab, too.
    tab = one.driver.current_window_handle
    one.driver.switch_to.new_window("tab")
    visit(one, "twin")
    synced(one)
    Gate.refusal = away
    other = join(one)
    one.driver.switch_to.window(tab)
    one.wait("the other tab's join", all_elements + """
        return all.every(each => each.shadowRoot.querySelector(`article[data-group="${arguments[0]}"] .stub`))""", other)
    # What one tab forgets, no tab keeps.
    one.run("window.forgotten = []")
    assert one.run(all_elements + "return all[0].forget()") == 1
    for window in one.driver.window_handles:
        one.driver.switch_to.window(window)
        one.wait("nothing", all_elements + "return !all.some(each => each.shadowRoot.querySelector('article'))")
    Gate.refusal = None
    synced(one)
    assert kept(one) == {}, kept(one)
    one.driver.close()
    one.driver.switch_to.window(tab)

def test_two_tabs(one):
    """Of two tabs that come back to the network at the same time one sends, where the browser has locks."""
    visit(one, "tabs")
    synced(one)
    assert one.run("return !!navigator.locks")
    Gate.refusal = away
    group = join(one)
    synced(one)
    tabs = [one.driver.current_window_handle]
    one.driver.switch_to.new_window("tab")
    tabs.append(one.driver.current_window_handle)
    visit(one, "tabs")
    synced(one)
    Gate.refusal = None
    Gate.seen.clear()
    Gate.opened.clear()
    for tab in tabs:
        one.driver.switch_to.window(tab)
        one.run(all_elements + "window.done = all[0].sync()")
    until("a request", lambda: Gate.seen)
    # The other tab has a moment for a request of its own.
    time.sleep(.5)
    assert sent() == [("tabs", group)], sent()
    Gate.opened.set()
    for tab in tabs:
        one.driver.switch_to.window(tab)
        one.driver.execute_async_script("window.done.then(arguments[0])")
    # A browser may tell a tab of the end of a lock before it tells it what the other tab has removed.
    assert set(sent()) == {("tabs", group)} and actions("tabs") == [("join", group)], sent()
    one.driver.close()
    one.driver.switch_to.window(tabs[0])

def test_removed(one):
    """A removed element asks for nothing more, a moved one goes on, and what the member did is sent all the same."""
    visit(one, "leaver", "leaver")
    synced(one)
    Gate.seen.clear()
    Gate.opened.clear()
    one.run(all_elements + "all[0].sync()")
    until("a request", lambda: Gate.seen)
    one.run(all_elements + "all[0].remove()")
    one.run(all_elements + "document.querySelector('h1').after(all[0])")
    one.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert not Gate.closed and len(Gate.seen) == 1
    one.run(all_elements + "all[0].remove()")
    # Every request ends after 15 seconds.
    until("the end of the request", lambda: Gate.closed, seconds=10)
    Gate.opened.set()
    visit(one, "leaver")
    synced(one)
    Gate.seen.clear()
    group = one.run(all_elements + "addEventListener('coterie-join', () => all[0].remove());") or join(one)
    until("the join", lambda: actions("leaver") == [("join", group)])
    visit(one, "leaver")
    synced(one)
    assert group not in shown(one)

def test_token(one):
    """A token is asked for once until it ends, for several elements, and again when it is refused or replaced."""
    visit(one, "bearer", "bearer")
    for _ in range(3): synced(one)
    one.run("add('bearer')")
    synced(one)
    asked = lambda: one.run("return window.asked.map(each => [each.member, each.isRefused])")
    assert asked() == [["bearer", False]], asked()
    refused = []
    def once(request):
        if not refused: return refused.append(request) or 401
    Gate.refusal = once
    synced(one)
    Gate.refusal = None
    synced(one)
    assert refused and asked() == [["bearer", False], ["bearer", True]], asked()
    # A token of another member is not kept.
    Gate.refusal = lambda request: 403
    synced(one)
    Gate.refusal = None
    synced(one)
    assert asked()[2:] == [["bearer", False]], asked()
    one.run(all_elements + "for (const each of all) each.token = async request => window.token(request)")
    synced(one)
    assert len(asked()) == 4, asked()
    # The callback of an element that takes the place of others is the one that is called.
    one.run(all_elements + """
        for (const each of all) each.remove();
        add('bearer').token = request => { window.isAnothers = true; return window.token(request); };""")
    synced(one)
    assert one.run("return window.isAnothers") and len(asked()) == 5, asked()
    # One that is about to end serves a single request.
    Gate.lifetime = "20s"
    Gate.seen.clear()
    visit(one, "bearer")
    synced(one)
    Gate.lifetime = "1h"
    assert len(asked()) == len(Gate.seen) > 1, (asked(), len(Gate.seen))

def test_seen(one):
    """From an own action on, what is asked for has an address of its own: no cache has an older answer there."""
    def numbers():
        return [(each.path.split("/")[-1].split("?")[0], *urllib.parse.parse_qs(each.path).get("seen", []))
            for each in Gate.seen if each.command == "GET"]
    visit(one, "cached")
    synced(one)
    assert set(numbers()) == {("changes",), ("recommendations",)}, numbers()
    times = []
    for _ in range(2):
        Gate.seen.clear()
        join(one, place=2)
        synced(one)
        [at] = [action["atMilliseconds"] for each in Gate.seen if each.command == "POST"
            for action in json.loads(each.body)["interactions"]]
        assert set(numbers()) == {("changes", str(at)), ("recommendations", str(at))}, (numbers(), at)
        times.append(at)
    # In the next visit, too.
    Gate.seen.clear()
    visit(one, "cached")
    synced(one)
    assert {tuple(found) for _, *found in numbers()} == {(str(times[1]),)}, numbers()

def test_pause(one):
    """A list that is paused says so, until when, and is there again when the member wants it."""
    def state(): return one.run("return document.querySelector('coterie-groups').dataset.state")
    def is_hidden(part): return one.run("return root.querySelector(`[part~=${arguments[0]}]`).hidden", part)
    visit(one, "restful")
    synced(one)
    before = shown(one)
    assert state() == "ready" and is_hidden("resume")
    tell("restful", id="p1", kind="pause", days=7)
    synced(one)
    assert (state(), shown(one)) == ("paused", []) and not is_hidden("resume") and is_hidden("again"), state()
    assert one.notice().startswith("You have paused suggestions until "), one.notice()
    one.look()
    # It is kept, and said before the daemon answers.
    Gate.opened.clear()
    visit(one, "restful")
    one.wait("the pause", "return document.querySelector('coterie-groups').dataset.state === 'paused'")
    Gate.opened.set()
    synced(one)
    Gate.seen.clear()
    one.run("const button = root.querySelector('[part~=resume]'); button.focus(); button.click()")
    one.wait("the list", "return root.querySelectorAll('article').length === arguments[0]", len(before))
    synced(one)
    assert (state(), shown(one)) == ("ready", before) and is_hidden("resume") and one.notice() == ""
    assert one.focused()[0] == before[0], one.focused()
    assert actions("restful") == [("pause", ""), ("resume", "")], actions("restful")
    tell("restful", id="p2", kind="pause")
    synced(one)
    assert state() == "paused" and one.notice() == "You have paused suggestions.", one.notice()
    # What cannot be sent now is sent later.
    Gate.refusal = lambda request: 503 if request.command == "POST" else None
    one.run("root.querySelector('[part~=resume]').click()")
    synced(one)
    Gate.refusal = None
    visit(one, "restful")
    one.wait("the list", "return root.querySelectorAll('article').length === arguments[0]", len(before))

def test_waits(one):
    """What the daemon asks for is kept, in seconds and as a date, also when the member acts meanwhile."""
    # A date has whole seconds.
    for isDate in [False, True]:
        visit(one, "waiter")
        synced(one)
        Gate.refusal, earliest = away, time.monotonic() + 3
        Gate.fields = {"Retry-After": email.utils.formatdate(time.time() + 4.1, usegmt=True) if isDate else "3"}
        Gate.seen.clear()
        synced(one)
        Gate.refusal = None
        assert [each.command for each in Gate.seen] == ["GET"], Gate.seen
        for _ in range(3): synced(one)
        state = (len(Gate.seen), "cannot be updated" in one.notice())
        assert state == (1, True) or time.monotonic() > earliest, state
        one.wait("an answer", "return root.querySelector('.notice').textContent == ''")
        assert Gate.seen[1].at >= earliest, Gate.seen[1].at - earliest
    # A daemon that takes no actions for long still has lists, and is not asked to take them again.
    visit(one, "quota")
    synced(one)
    Gate.fields = {"Retry-After": "9999999999"}
    Gate.refusal = lambda request: 429 if request.command == "POST" else None
    Gate.seen.clear()
    join(one)
    for _ in range(3): synced(one)
    commands = [each.command for each in Gate.seen]
    assert commands.count("POST") == 1 and commands.count("GET") >= 3, commands

def test_jitter(one):
    """The next request comes within a minute; it and the answer to `online` are at other moments in other tabs."""
    plans = []
    for part in [0, .999]:
        script = one.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            Math.random = () => %s;
            window.delays = [];
            const original = setTimeout;
            window.setTimeout = (act, delay, ...rest) => { delays.push(delay); return original(act, delay, ...rest); };
            """ % part})
        visit(one, "steady")
        synced(one)
        regular = one.run("return delays.filter(delay => delay > 20_000).at(-1)")
        Gate.seen.clear()
        plans.append((regular, one.run("dispatchEvent(new Event('online')); return delays.at(-1)")))
        one.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script["identifier"]})
    (first, online), (second, later) = plans
    assert 30_000 < first < second - 10_000 < 60_000 and second <= 60_000 and later - online > 2_000, plans

def test_earlier_keys(one):
    """What an earlier module kept goes to its member, and to nobody else."""
    visit(one)
    one.run("""
        const action = (id, groupId, atMilliseconds) =>
            JSON.stringify({id, kind: 'join', groupId, title: 'T', atMilliseconds});
        const ids = ['a', 'b', 'c'].map(letter => letter.repeat(24));
        const source = arguments[0];
        const keep = (member, name, value) => { localStorage[`coterie-groups ${source} ${member} ${name}`] = value; };
        keep('old', 'session', '"s1"');
        keep('old', `action ${ids[0]}`, action(ids[0], 'autumn-leaves', 1700000000000));
        keep('old lee', `action ${ids[1]}`, action(ids[1], 'october-light', 1700000000000));
        keep('old action 1', 'view', JSON.stringify({rows: [{groupId: 'october-light'}]}));
        keep(`old action ${ids[2]}`, `action ${ids[2]}`, action(ids[2], 'fall-foliage-report', 1700000000000));""", gate)
    Gate.seen.clear()
    joined = {
        "old": "autumn-leaves", "old lee": "october-light", f"old action {'c' * 24}": "fall-foliage-report"}
    for member, group in joined.items():
        visit(one, member)
        synced(one)
        assert actions(member) == [("join", group)], (member, actions(member))
    assert len(sent()) == 3, sent()
    visit(one, "old action 1")
    synced(one)
    assert actions("old action 1") == []
    left = [key for key in kept(one) if key.startswith("coterie-groups http")]
    assert not left, left

def test_damaged(one):
    """What no module has written is not shown, and does not keep the list away."""
    for view in ["{", "5", '{"rows":3}', '{"rows":[null]}']:
        visit(one, "damaged")
        synced(one)
        one.run("""
            const key = Object.keys(localStorage).find(key => key.endsWith(' view'));
            localStorage[key] = arguments[0];
            localStorage[key.replace(' view', ' action 1')] = '{}';""", view)
        visit(one, "damaged")
        synced(one)
        assert len(shown(one)) == 6 and one.notice() == "", (view, shown(one), one.notice())

def test_full(one):
    """Where there is no room, an action of the member takes that of the list."""
    visit(one, "crowded")
    synced(one)
    Gate.refusal = away
    one.run("""
        let text = 'x'.repeat(1 << 20);
        for (let number = 0; text; number += 1) {
            try { localStorage['filling' + number] = text; } catch { text = text.slice(0, text.length / 2); }
        }""")
    group = join(one)
    Gate.seen.clear()
    visit(one, "crowded")
    Gate.refusal = None
    synced(one)
    assert actions("crowded") == [("join", group)], actions("crowded")

def test_denied(one):
    """A browser that keeps nothing: elements agree all the same, and an action outlives its element."""
    visit(one, "denied", "denied")
    synced(one)
    assert one.run("try { localStorage.length; return false; } catch { return true; }")
    Gate.refusal = away
    group = join(one)
    assert stubs(one) == stubs(one, 1) == [group]
    synced(one)
    one.run(all_elements + "for (const each of all) each.remove()")
    Gate.refusal = None
    one.driver.execute_async_script("setTimeout(arguments[0], 50)")
    one.run("add('denied')")
    synced(one)
    assert actions("denied") == [("join", group)], actions("denied")

def test_slow(one):
    """An action during a slow request is sent once, after it."""
    visit(one, "patient")
    synced(one)
    Gate.opened.clear()
    Gate.seen.clear()
    one.run(all_elements + "all[0].sync()")
    until("a request", lambda: Gate.seen)
    group = join(one)
    assert stubs(one) == [group]
    Gate.opened.set()
    synced(one)
    assert sent() == [("patient", group)] and stubs(one) == [group], sent()

def test_back(one):
    """A page that comes back from the back/forward cache shows nothing of a member who was forgotten meanwhile."""
    visit(one, "returner")
    synced(one)
    one.run("location.href = '/away'")
    one.wait("the other page", "return location.pathname == '/away' && !!customElements.get('coterie-groups')")
    one.run("""
        const element = document.createElement('coterie-groups');
        element.setAttribute('src', arguments[0]);
        element.setAttribute('member', 'returner');
        element.forget();""", gate)
    one.driver.back()
    one.wait("the first page", "return location.pathname == '/page'")
    assert one.run("return window.isFromCache"), one.run("return performance.getEntriesByType('navigation')[0]")
    one.wait("nothing", "return !root.querySelector('article')")
    synced(one)
    assert shown(one) == [] and kept(one) == {}, kept(one)

def test_impressions(one):
    """A group counts once for each list, after a second in view, however many elements, tabs and visits show it."""
    looks = {"no-impressions": None, "photos": 0}
    visit(one, "looker", **looks)
    one.run(f"add('looker', {json.dumps(looks)})")
    synced(one)
    until("impressions", impressions)
    # The rows that are further down come into view.
    one.run("document.querySelector('coterie-groups').scrollIntoView()")
    one.wait("a look", "scrollTo(0, document.body.scrollHeight); return true")
    until("all impressions", lambda: sum(len(rows) for _, rows in impressions()) == 6, seconds=15)
    rows = [row for _, rows in impressions() for row in rows]
    listed = shown(one)
    assert sorted(row["groupId"] for row in rows) == sorted(listed), (rows, listed)
    assert len({row["recommendationId"] for row in rows}) == 1 and len({row["id"] for row in rows}) == 6
    assert all(listed[row["position"] - 1] == row["groupId"] for row in rows), rows
    times = [at for at, _ in impressions()]
    assert all(later - earlier > 4.5 for earlier, later in zip(times, times[1:])), times
    until("the daemon's impressions", lambda: len(actions("looker")) == 6)
    # Another visit, and another tab, show the same list.
    Gate.seen.clear()
    visit(one, "looker", **looks)
    synced(one)
    time.sleep(3)
    assert impressions() == [], impressions()

def test_hidden_impressions(one):
    """A hidden tab, a refusal and `no-impressions` send none, and a refusal never holds up an action."""
    visit(one, "resting")
    synced(one)
    time.sleep(2.5)
    assert impressions() == []
    Gate.refusal = lambda request: 429 if b'"impression"' in request.body else None
    Gate.fields = {"Retry-After": "60"}
    visit(one, "quoted", **{"no-impressions": None})
    synced(one)
    until("a refusal", impressions)
    group = join(one)
    synced(one)
    assert actions("quoted") == [("join", group)] and one.run(all_elements + """
        return all[0].shadowRoot.querySelector('.notice').textContent""") == ""
    assert len(impressions()) == 1
    # What a hidden tab shows is not seen; its requests for lists go on.
    Gate.refusal, Gate.fields = None, {}
    one.driver.execute_script("Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})")
    one.run("add('hidden', {'no-impressions': null})")
    one.run(all_elements + "all[0].remove()")
    one.wait("rows", all_elements + "return all[0].shadowRoot.querySelector('article')")
    Gate.seen.clear()
    time.sleep(2.5)
    assert impressions() == []
    one.driver.execute_script("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    until("impressions", impressions)

def test_leaving(one):
    """A click and what was seen arrive although the page goes at once."""
    visit(one, "clicker", **{"no-impressions": None})
    synced(one)
    time.sleep(1.3)
    group = one.run(all_elements + """
        const link = all[0].shadowRoot.querySelector('.title a');
        link.href = '/away';
        link.click();
        return link.closest('article').dataset.group;""")
    one.wait("the other page", "return location.pathname == '/away'")
    until("the click", lambda: ("click", group) in actions("clicker"))
    assert ("impression", group) in actions("clicker")
    size = sum(len(rows) for _, rows in impressions())
    assert size and len(impressions()) == 1, impressions()

secure = device("--unsafely-treat-insecure-origin-as-secure=http://photos.test")
try:
    denied = device(preferences={"profile.default_content_setting_values.cookies": 2})
    for name, test in [(name, test) for name, test in globals().items() if name.startswith("test_")]:
        Gate.refusal, Gate.fields = None, {}
        Gate.opened.set()
        Gate.seen.clear()
        Gate.closed.clear()
        print(name)
        browser = denied if test is test_denied else secure
        browser.driver.get(origin + "/away")
        browser.run("try { localStorage.clear(); } catch {}")
        test(browser)
    print("all is well")
finally:
    for each in devices: each.driver.quit()
