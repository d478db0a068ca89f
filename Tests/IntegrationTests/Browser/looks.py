"""How the component looks: its layouts, its place before the list comes, and what it takes over from the site."""
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
