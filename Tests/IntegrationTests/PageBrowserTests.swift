import Foundation
import TestSupport
import Testing

/// Clicks through the pages for operators in Chromium, and lets axe-core look at each in light and dark.
@Suite("The pages in a browser", .aFewAtATime)
struct PageBrowserTests {
    /// A virtual environment with Selenium and axe-core; nil if it or the browser cannot be had.
    private static let environment = PythonEnvironment.folder(
        "browser", needing: ["chromium", "chromedriver"],
        test: #""$0/bin/python" -c 'import selenium, axe_playwright_python'"#,
        installing: "selenium==4.51.0", "--no-deps axe-playwright-python==0.1.8")

    private static let program = """
        import pathlib, sys
        import axe_playwright_python
        from selenium import webdriver
        from selenium.webdriver.common.by import By
        from selenium.webdriver.common.keys import Keys
        from selenium.webdriver.support.ui import WebDriverWait

        address, token = sys.argv[1:]
        axe = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for option in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,900"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        wait = WebDriverWait(driver, 30)

        def find(selector): return driver.find_element(By.CSS_SELECTOR, selector)
        def heading(): return driver.execute_script("return document.querySelector('h1')?.textContent")
        def press(label):
            driver.find_element(By.XPATH, f"//main//button[normalize-space()='{label}']").click()
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
            trouble = [line["message"] for line in driver.get_log("browser") if "404" not in line["message"]]
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

            press("Hide from everybody")
            wait.until(lambda d: "nobody is shown it" in d.page_source)
            press("Show again")
            wait.until(lambda d: "nobody is shown it" not in d.page_source)

            press("Curate for newcomers")
            arrive("Curation")
            find("#group").send_keys("street-candid" + Keys.ENTER)
            wait.until(lambda d: len(d.find_elements(By.CSS_SELECTOR, "tbody tr")) == 2)
            rows = lambda: driver.execute_script(
                "return [...document.querySelectorAll('tbody td:nth-child(2) a')].map(link => link.textContent)")
            before = rows()
            driver.find_element(By.XPATH, "//main//tbody/tr[2]//button[starts-with(., 'Up')]").send_keys(Keys.ENTER)
            wait.until(lambda d: rows() == before[::-1])
            look()

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

            for path, title in [("", "Overview"), ("/versions", "Versions"), ("/groups", "Groups"),
                    ("/experiments", "Experiments"), ("/groups/no-such-group", "Unknown group")]:
                driver.get(address + "/admin" + path)
                arrive(title)
                look()
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
        .enabled(if: environment != nil, "chromium, chromium-driver, python3-venv or the network is missing"))
    func pages() async throws {
        let environment = try #require(Self.environment)
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let daemon = try await RunningDaemon(workspace, "--keys", "keys.json", "--pages")
        try await daemon.wait { $0.status == "ready" }
        let token = try await workspace.succeed("token", "--admin", "--keys", "keys.json")
        let program = try workspace.write(Self.program, to: "program.py")
        let run = try await RunningCommand(
            "/usr/bin/timeout",
            [
                "240", "\(environment)/bin/python", program, "http://127.0.0.1:\(daemon.port)",
                String(try #require(token.lines.first)),
            ], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == 0 && run.text.contains("all is well"), "\(run.testDescription)")
    }
}
