"""How the component looks: its layouts, its place before the list comes, and what it takes over from the site."""
import gzip
from gate import *

def layout(browser, **attributes):
    visit(browser, "looks", **attributes)
    browser.wait("rows", "return root?.querySelectorAll('article').length > 0")
    synced(browser)

def tops(browser):
    return browser.run("return [...root.querySelectorAll('article')].map(each => Math.round(each.offsetTop))")

def test_cards(one):
    """Cards take at most two rows until "More", as many in a row as fit, with one button each."""
    for width, columns in [(280, 1), (700, 2), (1000, 3), (1600, 5)]:
        one.driver.set_window_size(max(width, 500), 900)
        # A window of Chromium is at least 500 pixels wide.
        layout(one, layout="cards", limit="12")
        one.run("document.querySelector('main').style.width = `${arguments[0] - 16}px`", width)
        one.wait("the columns", """
            const tops = [...root.querySelectorAll('article')].map(each => each.offsetTop);
            return tops.filter(top => top === tops[0]).length === arguments[0]
                && tops.length === Math.min(12, 2 * arguments[0])""", columns)
        assert len(set(tops(one))) == 2, tops(one)
        assert one.run("return document.documentElement.scrollWidth - innerWidth") <= 0 or width < 500
    one.driver.set_window_size(1000, 900)
    layout(one, layout="cards")
    assert len(shown(one)) == 6
    # Six groups take about one screen.
    height = one.run("return document.querySelector('coterie-groups').offsetHeight")
    assert height < 850, height
    assert one.run("""
        return [...root.querySelectorAll('article')].every(each => each.querySelectorAll('button').length === 1
            && each.querySelectorAll('.mosaic img').length === 3 && each.querySelectorAll('.why').length === 1)""")
    one.look()
    one.driver.set_window_size(1000, 900)
    one.run("root.querySelector('.more').click()")
    one.wait("more cards", "return root.querySelectorAll('article').length === 12")
    height = one.run("return article(arguments[0]).offsetHeight", shown(one)[0])
    group = join(one)
    assert stubs(one) == [group] and one.run("return article(arguments[0]).offsetHeight", group) == height
    assert one.focused() == [group, "button undo"]
    one.look()
    one.driver.set_window_size(1000, 900)
    # The layout may change at any time.
    one.run("document.querySelector('coterie-groups').removeAttribute('layout')")
    one.wait("rows of photos", "return root.querySelector('article .strip img')")
    one.quiet()

def test_slots(one):
    """The site's heading and link stand above the groups."""
    layout(one, layout="cards")
    one.run("""
        document.querySelector('coterie-groups').insertAdjacentHTML('beforeend',
            '<h3 slot="heading">For you</h3><a slot="see-all" href="/groups">See all</a>');""")
    heading, link, card = one.run("""
        const element = document.querySelector('coterie-groups');
        return [element.querySelector('h3'), element.querySelector('a'), root.querySelector('article')]
            .map(each => each.getBoundingClientRect()).map(({left, right, bottom, top}) => [left, right, bottom, top]);""")
    assert heading[0] < link[0] and heading[2] <= card[3] and link[2] <= card[3], (heading, link, card)

def test_no_jump(one):
    """What stands below does not move when the list and its pictures come, however long they take."""
    for name, attributes in [("list", {}), ("cards", {"layout": "cards"})]:
        for width in [500, 1000]:
            one.driver.set_window_size(width, 900)
            Gate.delay_seconds = 0
            visit(one)
            one.run("localStorage.clear()")
            one.run("""
                window.shift = 0;
                new PerformanceObserver(list => {
                    for (const entry of list.getEntries()) window.shift += entry.value;
                }).observe({ type: 'layout-shift', buffered: true });""")
            Gate.delay_seconds = 1.5
            Gate.seen.clear()
            began = time.monotonic()
            one.run("add('jump', arguments[0]); document.querySelector('main').append('Below')",
                {"limit": 2, **attributes})
            one.wait("the place", "return root.querySelectorAll('.blank').length === 2")
            assert one.run("return document.querySelector('coterie-groups').dataset.state") == "loading"
            one.wait("a list", "return root.querySelectorAll('article').length === 2")
            took = time.monotonic() - began
            one.wait("pictures", "return [...root.querySelectorAll('img')].some(each => each.naturalWidth)")
            time.sleep(.5)
            shift = one.run("return window.shift")
            assert shift < .05, (name, width, shift)
            # The list and the changes are asked together: one wait, not two.
            assert [each.path.split("?")[0].split("/")[-1] for each in Gate.seen][:2] in [
                ["recommendations", "changes"], ["changes", "recommendations"]], Gate.seen
            assert abs(Gate.seen[0].at - Gate.seen[1].at) < 1, Gate.seen
            print(name, width, round(shift, 4), round(took, 1))
    Gate.delay_seconds = 0
    one.driver.set_window_size(1000, 900)

def test_photos(one):
    """A photo is a link with alternative text, and has what the site says of it."""
    layout(one)
    one.wait("photos", "return root.querySelector('.photo img')")
    group, href, alt, stop = one.run("""
        const link = root.querySelector('a.photo');
        return [link.closest('article').dataset.group, link.href, link.querySelector('img').alt, link.tabIndex];""")
    # Each row is as high as the site says, and every photo stands within its strip.
    outside = one.run("""
        return [...root.querySelectorAll('.strip')].filter(strip => {
            const [frame, ...boxes] = [strip, ...strip.children].map(each => each.getBoundingClientRect());
            return boxes.length < 2 || boxes.some(box => box.top < frame.top - 1 || box.bottom > frame.bottom + 1
                || box.left < frame.left - 1 || box.right > frame.right + 1 || Math.abs(box.height - 150) > 1);
        }).length;""")
    assert outside == 0, outside
    assert href == f"{origin}/groups/{group}" and alt.startswith("Photo 1 of ") and stop == -1, (href, alt, stop)
    one.run("""
        document.querySelector('coterie-groups').describe = (photo, group) => ({
            alt: `A picture in ${group.title}`, owner: '<b>Ilse</b>', url: `/photos/${photo.photoId}` });""")
    href, alt, owner, stop = one.run("""
        const link = root.querySelector('a.photo');
        return [link.href, link.querySelector('img').alt, link.querySelector('.owner').textContent, link.tabIndex];""")
    assert href.startswith(origin + "/photos/") and alt.startswith("A picture in ") and owner == "<b>Ilse</b>"
    assert stop == 0
    one.look()
    one.driver.set_window_size(1000, 900)

def test_fits_in(one):
    """The site's colours, font and sizes are taken over, and the element says its state."""
    layout(one)
    state = lambda: one.run("return document.querySelector('coterie-groups').dataset.state")
    assert state() == "ready"
    one.run("""
        document.body.style.cssText = 'background: #102030; color: #fed; font: 20px serif';
        const { style } = document.querySelector('coterie-groups');
        style.setProperty('--coterie-title-size', '31px');
        style.setProperty('--coterie-button', '#ffcc00');
        style.setProperty('--coterie-on-button', '#000');""")
    looks = one.run("""
        const of = (name, key) => getComputedStyle(root.querySelector(name))[key];
        return [of('.all', 'backgroundColor'), of('.title', 'color'), of('.title', 'fontSize'), of('.why', 'fontFamily'),
            of('button.main', 'backgroundColor')];""")
    assert looks == ["rgba(0, 0, 0, 0)", "rgb(255, 238, 221)", "31px", "serif", "rgb(255, 204, 0)"], looks
    one.look()
    one.driver.set_window_size(1000, 900)
    small = one.run("""
        return [...root.querySelectorAll('a, button')].filter(each => each.offsetHeight && each.offsetHeight < 24)
            .map(each => each.outerHTML)""")
    assert not small, small
    # A group that is gone leaves the focus to the one in its place.
    groups = shown(one)
    one.run("article(arguments[0]).focus()", groups[2])
    request = urllib.request.Request(f"{daemon}/v1/users/looks/interactions",
        json.dumps({"interactions": [{"id": "gone", "kind": "dismiss", "groupId": groups[2]}]}).encode(),
        {"Authorization": "Bearer " + token("looks"), "Content-Type": "application/json"})
    urllib.request.urlopen(request)
    synced(one)
    assert groups[2] not in shown(one) and one.focused()[0] == shown(one)[2] == groups[3], one.focused()
    # An error can be tried again, by keyboard too.
    Gate.refusal = away
    synced(one)
    assert state() == "error" and one.run("return !root.querySelector('.again').hidden")
    Gate.refusal = None
    one.run("root.querySelector('.again').focus()")
    one.key(Keys.ENTER)
    one.wait("the list", "return root.querySelector('.again').hidden")
    one.wait("the focus", "return root.activeElement?.matches('article')")
    assert state() == "ready"

def test_languages(one):
    """Each language has every text, with each of its plural forms, and is shown at once or not at all."""
    layout(one)
    for language in languages:
        assert len(gzip.compress(component(f"coterie-groups.{language}.js").encode())) <= 2048, language
        wrong = one.driver.execute_async_script("""
            const [language, done] = arguments;
            import(`/coterie-groups.${language}.js`).then(({ default: texts }) => {
                const english = document.createElement('coterie-groups').texts;
                const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort().join();
                const names = text => [...new Set(text.match(/[{]\\w+[}]/g))].sort().join();
                done(Object.keys({ ...english, ...texts }).filter(key => {
                    const [text, model] = [texts[key], english[key]];
                    if (typeof model === 'string') return typeof text !== 'string' || names(text) !== names(model);
                    // A form for one or two things may say the number in words.
                    return Object.keys(text ?? {}).sort().join() !== forms || names(text.other) !== names(model.other);
                }));
            }, error => done(String(error)));""", language)
        assert wrong == [], (language, wrong)
    def speak(language):
        visit(one)
        one.run("document.documentElement.lang = arguments[0]; add('speaker')", language)
        one.wait("rows", "return root?.querySelector('article')")
        return one.run("return root.querySelector('[part~=join]').textContent")
    assert speak("de-AT") == "Beitreten" and speak("ar") == "انضمام" and speak("it") == "Join"
    assert "Mitglieder" in (speak("de") and one.run("return root.querySelector('.facts').textContent"))
    # A file that comes too late is for the next page, and one that is missing does no harm.
    file = routes["/coterie-groups.fr.js"]
    routes["/coterie-groups.fr.js"] = lambda query: time.sleep(1.5) or file(query)
    assert speak("fr") == "Join"
    time.sleep(1.6)
    assert one.run("return root.querySelector('[part~=join]').textContent") == "Join"
    routes["/coterie-groups.fr.js"] = file
    del routes["/coterie-groups.es.js"]
    assert speak("es") == "Join"

one = device("--unsafely-treat-insecure-origin-as-secure=http://photos.test")
try:
    for name, test in [(name, test) for name, test in globals().items() if name.startswith("test_")]:
        Gate.refusal, Gate.fields = None, {}
        Gate.seen.clear()
        print(name)
        one.driver.get(origin + "/away")
        one.run("localStorage.clear()")
        test(one)
    print("all is well")
finally:
    for each in devices: each.driver.quit()
