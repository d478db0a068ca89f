// Pages work without scripts. This module sends forms without a reload, takes changes back, and orders by dragging.
const said = document.getElementById('said');
const main = () => document.querySelector('main');
const key = `place:${location.pathname}`;

// Keeps the place on the page when a form sends the browser back to it.
const place = sessionStorage.getItem(key);
if (place !== null) {
    sessionStorage.removeItem(key);
    scrollTo(0, Number(place));
}

function say(words, undo) {
    said.textContent = words;
    if (!undo) return;
    const button = document.createElement('button');
    button.textContent = 'Undo';
    button.addEventListener('click', undo);
    said.append(' ', button);
}

/** Shows the content of a page in place of this one, and keeps the focus on what it was on. */
function show(page) {
    const active = document.activeElement;
    const id = main().contains(active) ? active.dataset.key ?? active.id : null;
    const row = active.closest?.('tr[data-id]')?.dataset.id;
    const had = main().contains(active);
    const scrolled = [...main().querySelectorAll('.scroll')].map(box => box.scrollLeft);
    const open = [...main().querySelectorAll('details')].map(details => details.open);
    main().replaceWith(page.querySelector('main'));
    document.title = page.title;
    const lists = [...main().querySelectorAll('details')];
    if (lists.length === open.length) lists.forEach((details, index) => { details.open = open[index]; });
    [...main().querySelectorAll('.scroll')].forEach((box, index) => { box.scrollLeft = scrolled[index] ?? 0; });
    enliven();
    if (!had) return;
    const all = [...main().querySelectorAll('[data-key], [id]')];
    const same = id && all.find(element => (element.dataset.key ?? element.id) === id);
    const near = [...main().querySelectorAll('tr[data-id]')].find(other => other.dataset.id === row);
    (same || near?.querySelector('.actions button') || said.querySelector('button') || main()).focus();
}

async function pageOf(response) {
    return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Asks for the page again, and shows it. Returns whether it came. */
async function renew() {
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok || new URL(response.url).pathname !== location.pathname) return false;
    show(await pageOf(response));
    return true;
}

/** Returns the field of a page with what its forms about the same thing were drawn from. */
const seen = (page, path, group) => [...page.querySelectorAll('input[name="seen"]')].find(({ form }) =>
    form.getAttribute('action') === path && (form.elements.group?.value ?? null) === group);

/** Does what `post` does. What is pressed meanwhile is dropped: the page that it is on is no longer so. */
let sending = null;
const send = (...all) => sending ??= post(...all).finally(() => { sending = null; });

/**
 * Sends fields; the page that comes back takes the place of this one. Returns whether they were accepted.
 *
 * The fields of undo take the change back, and are refused once somebody has changed the same again.
 */
async function post(path, given, done, undo) {
    const fields = new URLSearchParams(given);
    fields.set('secret', secret());
    let response;
    try {
        response = await fetch(path, { method: 'POST', body: fields });
    } catch {
        say('The daemon does not answer. Nothing is known of the change: reload the page.');
        return false;
    }
    const page = await pageOf(response);
    if (!response.ok) {
        say(page.querySelector('main p')?.textContent ?? 'Nothing was changed.');
        if (response.status === 409) await renew();
        return false;
    }
    if (new URL(response.url).pathname !== location.pathname) {
        location.assign(response.url);
        return true;
    }
    const now = seen(page, path, fields.get('group'));
    const note = now?.closest('tr')?.querySelector('[data-note]')?.textContent;
    const back = undo && new URLSearchParams(undo);
    if (back && fields.has('seen')) back.set('seen', now?.value ?? back.get('seen') ?? '');
    say(note ? `${done.slice(0, -1)}: it is ${note}.` : done, back && (() => send(path, back, 'Taken back.')));
    show(page);
    return true;
}

const secret = () => document.querySelector('input[name="secret"]').value;

document.addEventListener('submit', event => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.done === undefined) {
        sessionStorage.setItem(key, String(scrollY));
        return;
    }
    event.preventDefault();
    send(form.getAttribute('action'), new FormData(form), form.dataset.done, form.dataset.undo);
});

/** Makes the rows of a table movable with a pointer, and with arrow keys on their handles. */
function order(box) {
    const path = box.dataset.order;
    const rows = () => [...box.querySelectorAll('tr[data-id]')];
    // The other rows move around the row: it keeps the focus and the pointer.
    const put = (row, at) => {
        const all = rows();
        const now = all.indexOf(row);
        if (at < now) row.after(...all.slice(at, now));
        if (at > now) row.before(...all.slice(now + 1, at + 1));
    };
    const sendPlace = (row, from) => {
        const id = row.dataset.id;
        const at = rows().indexOf(row);
        if (at === from) return;
        const fields = { group: id, position: at + 1, seen: row.querySelector('input[name="seen"]').value };
        send(path, fields, 'Moved.', { group: id, position: from + 1 }).then(isMoved => {
            if (!isMoved) put(row, from);
        });
    };
    for (const row of rows()) {
        const handle = document.createElement('button');
        handle.type = 'button';
        handle.className = 'handle';
        handle.dataset.key = `handle ${row.dataset.id}`;
        handle.setAttribute('aria-label', `Move ${row.dataset.id}: drag, or press the arrow keys`);
        handle.textContent = '\u2807';
        row.cells[0].prepend(handle);
        handle.addEventListener('keydown', event => {
            const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
            if (!step) return;
            event.preventDefault();
            const from = rows().indexOf(row);
            if (!rows()[from + step]) return;
            put(row, from + step);
            sendPlace(row, from);
        });
        handle.addEventListener('pointerdown', event => {
            if (event.button !== 0) return;
            const from = rows().indexOf(row);
            handle.setPointerCapture(event.pointerId);
            row.classList.add('dragged');
            const move = ({ clientY }) => {
                const over = rows().find(other => {
                    const { top, bottom } = other.getBoundingClientRect();
                    return clientY >= top && clientY < bottom;
                });
                if (over) put(row, rows().indexOf(over));
            };
            const end = isDone => {
                handle.removeEventListener('pointermove', move);
                removeEventListener('keydown', escape);
                handle.onpointerup = handle.onpointercancel = null;
                row.classList.remove('dragged');
                if (isDone) return sendPlace(row, from);
                put(row, from);
            };
            const escape = event => { if (event.key === 'Escape') end(false); };
            handle.addEventListener('pointermove', move);
            handle.onpointerup = () => end(true);
            handle.onpointercancel = () => end(false);
            addEventListener('keydown', escape);
        });
    }
}

/** Asks for the page again every few seconds, for as long as it says that something runs. */
let timer;
function refresh(box) {
    clearTimeout(timer);
    if (!box) return;
    timer = setTimeout(async () => {
        if (!await renew()) refresh(box); // The daemon may be restarting.
    }, 1000 * Number(box.dataset.refresh));
}

/** Offers groups that have the words so far; the choice is the group's title or id. */
function complete(input) {
    const list = document.createElement('datalist');
    list.id = `${input.id}-found`;
    input.after(list);
    input.setAttribute('list', list.id);
    input.autocomplete = 'off';
    let timer;
    let asked = '';
    input.addEventListener('input', () => {
        clearTimeout(timer);
        const words = input.value.trim();
        if (words.length < 2 || words === asked) return;
        timer = setTimeout(async () => {
            asked = words;
            const response = await fetch(`/admin/search?q=${encodeURIComponent(words)}`).catch(() => null);
            if (!response?.ok || input.value.trim() !== words) return;
            const page = await pageOf(response);
            const links = [...page.querySelectorAll('main a[href^="/admin/groups/"]')].slice(0, 12);
            list.replaceChildren(...links.map(link => {
                const id = decodeURIComponent(link.getAttribute('href').split('/').pop());
                return input.dataset.complete === 'id' ? new Option(link.textContent, id) : new Option(id, link.textContent);
            }));
        }, 150);
    });
}
const search = document.getElementById('search-words');
if (search) complete(search);

// "/" leads to the search, unless something is being written.
document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.('input, textarea, select, [contenteditable]')) return;
    if (!search) return;
    event.preventDefault();
    search.focus();
});

// A page that "Back" brings out of the browser's memory is asked for again: the session may have ended.
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });

function enliven() {
    document.querySelectorAll('[data-order]').forEach(order);
    main().querySelectorAll('[data-complete]').forEach(complete);
    refresh(document.querySelector('[data-refresh]'));
    const map = document.querySelector('[data-map]');
    if (map) import('./map.js').then(module => module.drawMap(map));
}
enliven();
