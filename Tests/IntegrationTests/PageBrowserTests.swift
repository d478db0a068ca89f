import Foundation
import TestSupport
import Testing

/// Clicks through the pages for operators in Chromium, and lets axe-core look at each in light and dark.
@Suite("The pages in a browser", .aFewAtATime, .drill)
struct PageBrowserTests {
    /// Groups that are hard to show: in Arabic, without a title, with a long one or a long word, and with markup.
    private static let hardGroups = """
        group_id\ttitle\tvisibility\ttopics
        closer-than-life\tتصوير المقربة\tpublic\tmacro
        focus-stackers\t\tpublic\tmacro
        street-candid\t\(String(repeating: "Donaudampfschifffahrt", count: 9))\tpublic\tstreet
        kitchen-table-macro\tKitchen Table Macro with a title that somebody has made so long that no table has room for it\tpublic\tmacro
        <img src=x onerror=hacked()>\t<script>hacked()</script>\tpublic\t"><svg onload=hacked()>

        """

    private static let program = """
        import pathlib, subprocess, sys
        import axe_playwright_python
        from selenium import webdriver
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.by import By
        from selenium.webdriver.common.keys import Keys
        from selenium.webdriver.support.ui import WebDriverWait

        address, token, coterie, former = sys.argv[1:]
        axe = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # A page that still scrolls moves away under a click.
        for option in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,900",
                "--force-prefers-reduced-motion"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        wait = WebDriverWait(driver, 30)

        def find(selector): return driver.find_element(By.CSS_SELECTOR, selector)
        def heading(): return driver.execute_script("return document.querySelector('h1')?.textContent")
        def press(label):
            driver.find_element(By.XPATH, f"//main//button[normalize-space()='{label}']").send_keys(Keys.ENTER)
        # The script may replace an element between its search and its text, so both are one step.
        def text(selector): return driver.execute_script(
            "return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        def focus(): return driver.execute_script("return document.activeElement.textContent")
        def arrive(title): wait.until(lambda d: heading() == title, f"{heading()} is not {title}")

        def look():
            for scheme in ["light", "dark"]:
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                driver.execute_script(axe)
                found = driver.execute_async_script(
                    "const done = arguments[0]; axe.run().then(r => done(r.violations));")
                assert not found, (driver.current_url, scheme, [(v["id"], v["nodes"][0]["html"]) for v in found])
            for width in [320, 1200]:
                driver.set_window_size(width, 900)
                wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
                assert wide <= 0, (driver.current_url, width, wide)
            trouble = [line["message"] for line in driver.get_log("browser") if "status of 40" not in line["message"]]
            assert not trouble, trouble

        try:
            driver.get(address + "/admin/groups/macro-mondays")
            arrive("Sign in")
            look()
            find("#token").send_keys("nonsense")
            press("Sign in")
            wait.until(lambda d: d.find_elements(By.ID, "failure"))
            find("#token").send_keys(token)
            press("Sign in")
            arrive("Macro Mondays")
            assert token not in driver.current_url and token not in driver.page_source
            look()

            driver.execute_script("window.stays = true")
            hidden = lambda: "nobody is shown it" in text("main")
            press("Hide from everybody")
            wait.until(lambda d: hidden())
            assert text("#said").startswith("The group is hidden.") and focus() == "Undo", (text("#said"), focus())
            look()
            find("#said button").send_keys(Keys.ENTER)
            wait.until(lambda d: not hidden())
            press("Hide from everybody")
            wait.until(lambda d: hidden())
            press("Show again")
            wait.until(lambda d: not hidden())
            assert driver.execute_script("return window.stays"), "the page was loaded again"

            press("Curate for newcomers")
            arrive("Curation")
            find("#group").send_keys("street-candid" + Keys.ENTER)
            wait.until(lambda d: len(d.find_elements(By.CSS_SELECTOR, "tbody tr")) == 2)
            rows = lambda: driver.execute_script(
                "return [...document.querySelectorAll('tbody td:nth-child(2) a')].map(link => link.textContent)")
            before = rows()
            driver.find_element(By.XPATH, "//main//tbody/tr[2]//button[starts-with(., 'Up')]").send_keys(Keys.ENTER)
            wait.until(lambda d: rows() == before[::-1] and "Moved." in text("#said"))
            assert focus().startswith("Down"), focus()
            find("#said button").click()
            wait.until(lambda d: rows() == before and "Taken back." in text("#said"))
            # Another move comes before the Undo, which is refused; the page then shows what is so.
            driver.find_element(By.XPATH, "//main//tbody/tr[2]//button[starts-with(., 'Up')]").send_keys(Keys.ENTER)
            wait.until(lambda d: rows() == before[::-1] and "Moved." in text("#said"))
            driver.execute_async_script('''
                const [done, { elements }] = [arguments[0], document.querySelector('tbody tr:last-child form')];
                const fields = { secret: elements.secret.value, group: elements.group.value, position: 1 };
                fetch('/admin/curation', { method: 'POST', body: new URLSearchParams(fields) }).then(() => done());''')
            find("#said button").click()
            wait.until(lambda d: rows() == before and "This has changed since" in text("#said"))

            find("#group").send_keys("night-walkers" + Keys.ENTER)
            wait.until(lambda d: len(rows()) == 3)
            handles = driver.find_elements(By.CSS_SELECTOR, ".handle")
            (ActionChains(driver).move_to_element(handles[2]).click_and_hold().move_to_element(handles[1])
                .move_to_element(handles[0]).release().perform())
            wait.until(lambda d: rows()[1:] == before and "Moved." in text("#said"))
            find("#said button").click()
            wait.until(lambda d: rows()[:2] == before and "Taken back." in text("#said"))
            handles = driver.find_elements(By.CSS_SELECTOR, ".handle")
            (ActionChains(driver).move_to_element(handles[2]).click_and_hold().move_to_element(handles[0])
                .send_keys(Keys.ESCAPE).release().perform())
            assert rows()[:2] == before
            handles[0].send_keys(Keys.ARROW_DOWN)
            wait.until(lambda d: rows()[:2] == before[::-1] and "Moved." in text("#said"))
            driver.refresh()
            assert rows()[:2] == before[::-1]
            look()
            find("tbody summary").click()
            driver.execute_script("document.querySelector('[name=until]').value = '2020-01-01T00:00'")
            driver.execute_script("document.querySelector('[name=from]').value = '2021-01-01T00:00'")
            find("tbody details button").click()
            wait.until(lambda d: "The end is not after the start" in text("#said"))
            find("tr:nth-child(3) .actions form:last-child button").click()
            wait.until(lambda d: len(rows()) == 2)

            find("#search-words").send_keys("macro" + Keys.ENTER)
            arrive("Search: macro")
            look()
            find("#search-words").clear()
            find("#search-words").send_keys("laura-100" + Keys.ENTER)
            arrive("Search: laura-100")
            find("main p a").click()
            arrive("laura-100")
            look()
            find("#group").send_keys("macro-mondays" + Keys.ENTER)
            wait.until(lambda d: d.find_elements(By.ID, "why"))

            long = "Kitchen Table Macro with a title that somebody has made so long that no table has room for it"
            for path, title in [("", "Overview"), ("/versions", "Versions"), ("/groups", "Groups"),
                    (f"/versions/{former}", "Compare two versions"), ("/groups/closer-than-life", "تصوير المقربة"),
                    ("/groups/focus-stackers", "focus-stackers"), ("/groups/kitchen-table-macro", long),
                    ("/groups/%3Cimg%20src%3Dx%20onerror%3Dhacked%28%29%3E", "<script>hacked()</script>"),
                    ("/search?q=hacked", "Search: hacked"), ("/photos/50000000001", "Photo 50000000001"),
                    ("/groups/no-such-group", "Unknown group"), ("/data", "Data"), ("/decisions", "Decisions")]:
                driver.get(address + "/admin" + path)
                arrive(title)
                look()

            driver.get(address + "/admin/map")
            arrive("Map")
            find("#map-words").send_keys("macro mondays")
            wait.until(lambda d: find("#map-words").send_keys(Keys.ENTER) or "Macro Mondays" in text("#map-chosen"))
            look()
            canvas, chosen = find(".map canvas"), set()
            for key in [Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, "+", "-", "0"]:
                canvas.send_keys(key)
                chosen.add(text("#map-chosen a"))
            assert len(chosen) > 1, chosen
            name = text("#map-chosen a")
            canvas.send_keys(Keys.ENTER)
            arrive(name)

            # With fingers: one moves the map, two zoom about their middle, and neither chooses a group.
            driver.get(address + "/admin/map")
            arrive("Map")
            find("#map-words").send_keys("macro mondays")
            wait.until(lambda d: find("#map-words").send_keys(Keys.ENTER) or "Macro Mondays" in text("#map-chosen"))
            driver.execute_script('''
                document.querySelector('.map canvas').scrollIntoView({ block: 'center' });
                const write = CanvasRenderingContext2D.prototype.fillText;
                CanvasRenderingContext2D.prototype.fillText = function (words, x, y) {
                    if (words === 'Macro Mondays') window.written = x;
                    write.call(this, words, x, y);
                };''')
            left, top, width, height = driver.execute_script('''
                const box = document.querySelector('.map canvas').getBoundingClientRect();
                return [box.left, box.top, box.width, box.height];''')
            def touch(*ways, steps=4):
                at = lambda part: [{"id": number, "x": left + width / 2 + a + (b - a) * part, "y": top + height / 2}
                    for number, (a, b) in enumerate(ways)]
                kinds = ["touchStart"] + ["touchMove"] * steps + ["touchEnd"]
                for step, kind in enumerate(kinds):
                    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind,
                        "touchPoints": at(step / steps) if kind != "touchEnd" else []})
            def is_written(aside): wait.until(lambda d: d.execute_script(
                "return Math.abs(window.written - arguments[0]) < 2", width / 2 + aside), (aside, width / 2))
            touch((0, 60))
            is_written(60)
            # The group is 60 right of the middle, which stays where it is: twice as far apart, twice as far off.
            touch((-50, -100), (50, 100))
            is_written(120)
            assert text("#map-chosen a") == "Macro Mondays", text("#map-chosen")
            driver.execute_script("document.querySelector('#map-chosen').textContent = ''")
            touch((120, 120), steps=1)
            wait.until(lambda d: text("#map-chosen a") == "Macro Mondays")

            driver.get(address + "/admin/versions")
            names = lambda: driver.execute_script(
                "return [...document.querySelectorAll('tbody tr')].map(row => row.innerText)"
                ".filter(text => text.includes('serves'))")
            assert former not in names()[0]
            press("Serve this one " + former)
            wait.until(lambda d: names() and former in names()[0] and "Undo" in text("#said"))
            find("#said button").click()
            wait.until(lambda d: names() and former not in names()[0])

            driver.get(address + "/admin/experiments")
            look()
            for name, value in [("name", "less-variety"), ("value", "0.5"), ("members", "1000"), ("effect", "5")]:
                find(f"[name={name}]").send_keys(value)
            find("[name=setting]").send_keys("lambda")
            press("Start")
            arrive("less-variety")
            look()
            find("[name=sure]").send_keys(Keys.SPACE)
            press("Stop")
            wait.until(lambda d: text(".subtitle").startswith("stopped"))

            driver.get(address + "/admin/jobs")
            arrive("Jobs")
            look()
            work = subprocess.Popen([coterie, "import", "users", "-", "--format", "tsv"], stdin=subprocess.PIPE)
            wait.until(lambda d: (d.refresh() or True) and "runs" in text("tbody tr"))
            driver.execute_script("window.stays = true")
            look()
            work.communicate(b"user_id\\nnew-member\\n")
            wait.until(lambda d: "done" in text("tbody tr") and "1 new or changed" in text("tbody tr"))
            assert driver.execute_script("return window.stays"), "the page was loaded again"
            driver.find_element(By.XPATH, "//button[.='Sign out']").click()
            arrive("Sign in")
            driver.get(address + "/admin")
            arrive("Sign in")
            print("all is well")
        finally:
            driver.quit()
        """

    @Test(
        "Work by click and by keyboard, without a violation that axe-core finds, at any width",
        .enabled(
            if: PythonEnvironment.browser != nil, "chromium, chromium-driver, python3-venv or the network is missing"))
    func pages() async throws {
        let environment = try #require(PythonEnvironment.browser)
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let daemon = try await RunningDaemon(workspace, "--keys", "keys.json", "--pages")
        try await daemon.wait { $0.status == "ready" }
        let former = try await workspace.currentVersion()
        let groups = try workspace.write(Self.hardGroups, to: "hard.tsv")
        try await workspace.succeed("import", "groups", groups)
        try await workspace.succeed("recompute")
        let token = try await workspace.succeed("token", "--admin", "--keys", "keys.json")
        let program = try workspace.write(Self.program, to: "program.py")
        let run = try await RunningCommand(
            "/usr/bin/timeout",
            [
                "480", "\(environment)/bin/python", program, "http://127.0.0.1:\(daemon.port)",
                String(try #require(token.lines.first)), Checkout.program, former,
            ], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == 0 && run.text.contains("all is well"), "\(run.testDescription)")
    }
}
