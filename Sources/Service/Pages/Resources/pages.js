// Pages work without scripts. This module keeps the place on the page when a form sends the browser back to it.
const key = `place:${location.pathname}`;
for (const form of document.querySelectorAll('form[method="post"]')) {
    form.addEventListener('submit', () => sessionStorage.setItem(key, String(scrollY)));
}
const place = sessionStorage.getItem(key);
if (place !== null) {
    sessionStorage.removeItem(key);
    scrollTo(0, Number(place));
}
