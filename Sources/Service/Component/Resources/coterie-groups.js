// <coterie-groups>: "Groups for you" on any page. One module, no framework, no dependency.
//
//     <script type="module" src="https://groups.example/components/coterie-groups.js"></script>
//     <coterie-groups src="https://groups.example" member="laura-100"></coterie-groups>
//     document.querySelector('coterie-groups').token = async () => (await fetch('/my-token')).text();
//
// The element keeps what it has shown and what the member does in localStorage. It shows both at once, without a
// network too, sends actions when it can, and then takes over what the daemon has.

/**
 * Returns boxes in rows of equal width, as Flickr's justified-layout 4.1.0 does.
 *
 * @param {number[]} ratios the widths divided by the heights
 * @returns {{height: number, widows: number, boxes: {left: number, top: number, width: number, height: number}[]}}
 */
export function justify(ratios, options = {}) {
    const { width = 1060, padding = 10, spacing = 10, rowHeight = 320, tolerance = 0.25, showsWidows = true } = options;
    const rowWidth = width - 2 * padding;
    const [narrowest, widest] = [1 - tolerance, 1 + tolerance].map(part => rowWidth / rowHeight * part);
    const room = count => rowWidth - (count - 1) * spacing;
    const sum = row => row.reduce((total, ratio) => total + ratio, 0);
    const boxes = [];
    let [row, top, lastHeight] = [[], padding, rowHeight];

    function close(wanted, fillsWidth) {
        const height = Math.max(rowHeight * 0.5, Math.min(wanted, rowHeight * 2.5));
        // A row whose height was limited is stretched to its width.
        const stretch = wanted === height ? 1 : (room(row.length) / height) / (room(row.length) / wanted);
        let left = padding;
        const items = row.map(ratio => {
            const box = { left, top, width: ratio * height * stretch, height };
            left += box.width + spacing;
            return box;
        });
        if (fillsWidth) {
            const error = (left - spacing - padding - rowWidth) / items.length;
            const shift = index => Math.round(index * error);
            items.forEach((box, index) => {
                if (items.length > 1) box.left -= shift(index);
                box.width -= items.length > 1 ? shift(index + 1) - shift(index) : Math.round(error);
            });
        }
        boxes.push(...items);
        top += height + spacing;
        lastHeight = height;
        row = [];
    }

    function add(ratio) {
        const together = sum(row) + ratio;
        if (together < narrowest) {
            row.push(ratio);
            return true;
        }
        const miss = items => Math.abs(sum(items) - room(items.length) / rowHeight);
        const isTaken = together <= widest || row.length === 0 || miss([...row, ratio]) <= miss(row);
        if (isTaken) row.push(ratio);
        close(room(row.length) / sum(row), true);
        return isTaken;
    }

    for (const ratio of ratios) if (!add(ratio)) add(ratio);
    const widows = showsWidows ? row.length : 0;
    if (widows) close(lastHeight, false);
    return { height: top - spacing + padding, widows, boxes };
}

/**
 * All words that the element shows; a site may replace any of them: `element.texts = {join: 'Enter'}`.
 *
 * A text with a number has a form for each of the language's plural categories, or is one text for all of them.
 */
const english = {
    label: 'Groups for you', join: 'Join', ask: 'Ask to join', dismiss: 'Not interested', undo: 'Undo',
    why: 'Why this?', more: 'More groups', joined: 'You joined {group}.', asked: 'You asked to join {group}.',
    dismissed: '{group} will not be suggested again.', undone: '{group} is back.',
    members: { one: '{count} member', other: '{count} members' },
    photos: { one: '{count} photo', other: '{count} photos' }, photoOf: 'Photo {number} of {group}',
    personal: 'Because you are in {groups}', topic: 'Because you like {topics}', curated: 'Picked for new members',
    trending: 'More people than usual are joining', popular: 'Popular with everybody',
    shared: { one: '{count} member of {group} is here too', other: '{count} members of {group} are here too' },
    alike: { one: '{count} photo of {group} is here too', other: '{count} photos of {group} are here too' },
    related: 'It is like {group}', interest: 'One of your interests is {interest}', joinOf: '{action}: {group}',
    offline: 'You are offline.', unreachable: 'The suggestions cannot be updated now.', again: 'Try again',
    kept: 'This is the list of {time}.', waiting: {
        one: '{count} of your actions will be sent later.', other: '{count} of your actions will be sent later.' },
    signIn: 'Please sign in again.', refused: 'An action was not accepted: {group}.', empty: 'No suggestions yet.',
    loading: 'Loading…', paused: 'You have paused suggestions.', pausedUntil: 'You have paused suggestions until {time}.',
    resume: 'Show again',
};

/** The languages with a file beside this one. */
const languages = ['ar', 'de', 'es', 'fr', 'ja', 'pt'];
const languageMilliseconds = 300;
const spoken = new Map([['en', {}]]);
const fetched = new Map();

/** Fetches the texts of a language, once for all elements; without them it is English. */
function fetchTexts(language) {
    if (!fetched.has(language)) {
        fetched.set(language, import(new URL(`coterie-groups.${language}.js`, import.meta.url))
            .then(file => spoken.set(language, file.default), () => {}));
    }
    return fetched.get(language);
}

/** The longest sides of a photo's sizes, by the text that replaces `{size}` in its address. */
const standardSizes = { t: 100, m: 240, n: 320, z: 640, c: 800, b: 1024 };

const css = `
:host { display: block; container-type: inline-size; font: var(--coterie-font, inherit);
    color: var(--coterie-text, inherit); --radius: var(--coterie-radius, 8px); --gap: var(--coterie-gap, 20px);
    --muted: var(--coterie-muted, color-mix(in srgb, currentColor 80%, transparent));
    --line: var(--coterie-line, color-mix(in srgb, currentColor 20%, transparent));
    --accent: var(--coterie-accent, light-dark(#0b57b0, #8fc1ff));
    --button: var(--coterie-button, var(--accent));
    --on-button: var(--coterie-on-button, var(--coterie-on-accent, light-dark(#fff, #0c1a2b))); }
:host([hidden]), [hidden] { display: none !important; }
:host([theme]) { color: var(--coterie-text, light-dark(#1b1d21, #eceef2)); }
:host([theme]) .all { background: var(--coterie-background, light-dark(#fff, #17191d)); }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
.all { background: var(--coterie-background, transparent); padding: var(--coterie-padding, 0); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 4px 16px; }
.group { padding-block: var(--gap); border-block-end: 1px solid var(--line); }
.title { font-size: var(--coterie-title-size, 1.15em); font-weight: bold; overflow-wrap: anywhere; }
.title a { color: inherit; display: inline-block; min-block-size: 24px; }
p { margin: .25em 0; color: var(--muted); overflow-wrap: anywhere; }
.strip { position: relative; margin-block: .6em; overflow: hidden; }
.photo { display: block; position: absolute; overflow: hidden; min-inline-size: 0; min-block-size: 0;
    background: var(--line); border-radius: calc(var(--radius) / 2); }
.waiting { background: var(--line); border-radius: var(--radius); }
.waiting > .photo { visibility: hidden; }
img { display: block; inline-size: 100%; block-size: 100%; object-fit: cover; }
.owner { position: absolute; inset: auto 0 0; padding: 2px 6px; font-size: .75em; color: #fff; background: #000b;
    overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-block-start: .6em; }
button, .blank span { font: inherit; min-block-size: 36px; padding: 4px 14px; border-radius: var(--radius);
    border: 1px solid var(--line); background: transparent; color: inherit; overflow-wrap: anywhere;
    box-sizing: border-box; }
button { cursor: pointer; }
button.main { background: var(--button); border-color: var(--button); color: var(--on-button); }
:focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
.photo:focus-visible { outline-offset: -3px; }
.stub { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.stub p { margin: 0; }
.cards { display: grid; gap: var(--gap); margin-block: var(--gap);
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 250px), 1fr)); }
.cards:empty { display: none; }
.cards .group { display: flex; flex-direction: column; box-sizing: border-box; min-inline-size: 0; padding: 0 0 12px;
    border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.cards .group > :not(.mosaic) { margin-inline: 12px; }
.cards .title, .cards .why { overflow: hidden; }
.cards .title { white-space: nowrap; text-overflow: ellipsis; margin-block-start: 10px; }
.cards .title a { display: inline; }
.cards .why { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; min-block-size: 2lh; }
.cards .actions { margin-block-start: auto; padding-block-start: 8px; }
.cards .stub { margin-block: auto; padding: 12px 0 0; }
.mosaic { display: grid; gap: 3px; aspect-ratio: 16 / 9; min-block-size: 0;
    grid-template: repeat(2, minmax(0, 1fr)) / minmax(0, 2fr) minmax(0, 1fr); background: var(--line); }
.mosaic .photo { position: relative; border-radius: 0; }
.mosaic :first-child { grid-row: span 2; }
.mosaic > :only-child { grid-column: span 2; }
.mosaic > :nth-child(2):last-child { grid-row: span 2; }
.blank > *, .blank span { color: transparent; border-color: transparent; user-select: none; }
.blank > :is(p, .strip), .blank .title, .blank span { background: var(--line); border-radius: var(--radius); }
ul { margin: .5em 0; padding-inline-start: 1.4em; color: var(--muted); }
.more { margin-block: var(--gap); inline-size: 100%; }
.cards + .more { margin-block-start: 0; }
.notice:not(:empty) { padding: 8px 12px; border: 1px solid var(--line); border-radius: var(--radius); }
.said { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
@media (prefers-reduced-motion: no-preference) {
    .list article { animation: appear .25s ease-out; }
    @keyframes appear { from { opacity: 0; } }
}`;

/** What survives a reload: the list and the actions that the daemon does not have yet, each under a key of its own. */
class Storage {
    #memory = new Map();
    #prefix;

    // JSON escapes both parts and ends by itself, so no member's key begins with another member's prefix.
    constructor(base, member) { this.#prefix = `coterie-groups ${JSON.stringify([base, member])} `; }

    /** Moves what earlier modules kept under keys that were not escaped: the source, the member and a name. */
    takeOver(source, member) {
        const old = `coterie-groups ${source} ${member} `;
        // An address has no space, so the member is what stands between its end and the name.
        if (/\s/.test(source)) return;
        for (const name of this.#namesAfter(old).filter(name => /^(session|view|action [0-9a-f]{24})$/.test(name))) {
            const text = localStorage.getItem(old + name);
            // Where there is no room for it, it stays until the next time.
            if (this.get(name) !== null || this.#write(name, text)) localStorage.removeItem(old + name);
        }
    }

    /** Returns the name that a changed key stands for, '' for all of them, or null if it is another one's key. */
    nameOf(key) { return key === null ? '' : key.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : null; }
    get(name) {
        let text = this.#memory.get(name);
        try { text ??= localStorage.getItem(this.#prefix + name); } catch { /* The browser keeps nothing. */ }
        try { return text == null ? null : JSON.parse(text); } catch { return null; }
    }
    set(name, value) {
        const text = JSON.stringify(value);
        let isWritten = this.#write(name, text);
        if (!isWritten && name !== 'view' && name !== 'seen') {
            // Where there is no room, the list leaves its place: it can be fetched again.
            const view = JSON.stringify(this.get('view'));
            this.remove('view');
            this.#memory.set('view', view);
            isWritten = this.#write(name, text);
        }
        if (!isWritten) this.#memory.set(name, text);
    }
    remove(name) {
        this.#memory.delete(name);
        try { localStorage.removeItem(this.#prefix + name); } catch { /* There is nothing to remove. */ }
    }
    names() { return [...new Set([...this.#namesAfter(this.#prefix), ...this.#memory.keys()])]; }
    // One key for each action: two tabs that write at the same time lose nothing.
    actions() {
        return this.names().filter(name => name.startsWith('action ')).map(name => this.get(name))
            .filter(action => action?.id && action.kind)
            .sort((one, other) => one.atMilliseconds - other.atMilliseconds || (one.id < other.id ? -1 : 1));
    }

    #namesAfter(prefix) {
        try {
            return Object.keys(localStorage).filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length));
        } catch { return []; }
    }
    #write(name, text) {
        try { localStorage.setItem(this.#prefix + name, text); } catch { return false; }
        this.#memory.delete(name);
        return true;
    }
}

/** Returns 64 bits that depend on each character of some texts, as an id (FNV-1a, with two seeds). */
function idOf(...texts) {
    return [0x811c9dc5, 0x9747b28c].map(seed => {
        for (const unit of JSON.stringify(texts)) seed = Math.imul(seed ^ unit.codePointAt(0), 0x01000193);
        return (seed >>> 0).toString(16).padStart(8, '0');
    }).join('');
}

const newID = () => [...crypto.getRandomValues(new Uint8Array(12))].map(n => n.toString(16).padStart(2, '0')).join('');
const isolated = text => `\u2068${text}\u2069`;
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const nameOf = group => group.title || group.groupId;

/** Returns an element whose content is text or other elements, never markup. */
function make(name, attributes = {}, ...content) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (value != null) element.setAttribute(key, value);
    }
    element.append(...content.filter(part => part != null));
    return element;
}

/** A failed request; `status` is 0 if the daemon could not be reached. Until `until`, it is not made again. */
class Failure extends Error {
    constructor(status, problem = {}, waitMilliseconds = 0) {
        super(problem?.detail ?? `status ${status}`);
        Object.assign(this, { status, problem: problem ?? {}, until: performance.now() + waitMilliseconds });
    }
}

/** The states of a group after an action of the member. */
const stateAfter = { join: 'joined', dismiss: 'dismissed', leave: 'recommended', undismiss: 'recommended' };

/** The pixels between the photos of a strip. */
const stripGap = 4;

const isSized = ({ width, height }) => width > 0 && height > 0;
/** How long the photos of a strip wait for each other. */
const patienceMilliseconds = 2_000;

/** The words that a template writes for a member whom it does not know. */
const noMember = /^(undefined|null|NaN|\[object .*\])$/;

const some = milliseconds => milliseconds * Math.random();
const timeoutMilliseconds = 15_000;

/** The time between two requests with impressions, and how many of them are kept in mind. */
const impressionMilliseconds = 5_000;
const impressionLimit = 1_000;
/** The bytes that a page may still send when it goes, and that leave room for requests of the site. */
const keptAliveBytes = 32_768;

const rowsOf = list => list.recommendations.map(row => ({ ...row, listID: list.recommendationId }));

/** Returns a request's body with actions; the daemon does not know their titles. */
const bodyOf = actions => JSON.stringify({ interactions: actions.map(({ title, ...action }) => action) });

/** Returns when a token ends, in milliseconds since 1970, or 0 if it does not say so. */
function endOf(token) {
    try {
        const claims = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
        return JSON.parse(atob(claims)).exp * 1000 || 0;
    } catch { return 0; }
}

/** Calls a function in one tab at a time, as far as the browser can: the daemon knows an action that comes twice. */
async function alone(name, act) {
    await null;
    let result;
    const once = () => result ??= act();
    // A page without TLS has no locks, and another tab may hold one for too long.
    try { await navigator.locks.request(name, { signal: AbortSignal.timeout(timeoutMilliseconds) }, once); } catch {
        await once();
    }
}

/** A member at a daemon, for all elements of this window that show the member; other tabs share what is kept. */
class Store {
    static #stores = new Map();
    #storage;
    #member;
    #address;
    #session;
    #callback = null;
    #token = null;
    #asking = null;
    #failures = {};
    #stops = {};
    #timer;
    #isOld = true;
    #sent = new Set();
    #syncing = null;
    #syncsAgain = false;
    /** The impressions that are not sent yet, and when the next request with some may begin. */
    #impressions = [];
    #impressionsTimer = null;
    #impressionsUntil = 0;
    #leaving = new Set();
    /** The elements that show the member, with what they do after a change. */
    users = new Map();
    view = {};
    /** The groups that the member has just acted on, each with its place. */
    acted = new Map();
    /** The titles of groups whose actions the daemon has refused for good. */
    refused = new Map();
    trouble = null;

    /** Returns the one store of a member at a daemon. */
    static of(source, member) {
        const path = `${source.replace(/\/$/, '')}/`;
        const base = URL.canParse(path, document.baseURI) ? new URL(path, document.baseURI).href : path;
        const key = JSON.stringify([base, member]);
        if (!Store.#stores.has(key)) Store.#stores.set(key, new Store(base, member));
        const store = Store.#stores.get(key);
        store.#storage.takeOver(source, member);
        return store;
    }

    constructor(base, member) {
        this.#storage = new Storage(base, member);
        this.#member = member;
        this.#address = `${base}v1/users/${encodeURIComponent(member.toWellFormed())}/`;
    }

    attach(element, show) {
        if (!this.users.size) this.#open();
        this.users.set(element, show);
        // The element may want a longer list, or more photos.
        this.#isOld = true;
        this.chooseToken();
        // The scripts of a page that loads may set the token yet; doing so is a start, too.
        if (this.#callback || document.readyState === 'complete') queueMicrotask(() => this.sync());
        else addEventListener('load', () => this.sync(), { once: true, signal: this.#stops.GET.signal });
    }

    detach(element) {
        this.users.delete(element);
        if (this.users.size) return this.chooseToken();
        clearTimeout(this.#timer);
        // What the member did, and has seen, is still sent.
        this.#stops.GET.abort();
    }

    #open() {
        this.#stops = { GET: new AbortController(), POST: new AbortController() };
        const { signal } = this.#stops.GET;
        this.view = this.#kept;
        this.acted.clear();
        this.trouble = null;
        addEventListener('offline', () => this.sync(), { signal });
        // Every tab hears of this at the same moment.
        addEventListener('online', () => this.#plan(some(3_000)), { signal });
        addEventListener('storage', ({ key, newValue }) => {
            const name = this.#storage.nameOf(key);
            if (name !== null && name !== 'seen') this.#read(name === 'view' && newValue !== null);
        }, { signal });
        // No event has come to a page that comes back from the back/forward cache.
        addEventListener('pageshow', ({ persisted }) => {
            if (!persisted) return;
            this.#read(true);
            this.sync();
        }, { signal });
        document.addEventListener('visibilitychange', () => {
            if (document.hidden) this.#leave(action => !stateAfter[action.kind]);
            else this.sync();
        }, { signal });
        // A page that goes may never have been hidden before.
        addEventListener('pagehide', () => this.#leave(() => true), { signal });
    }

    /** Takes over what another tab has kept; when it has removed everything, so does this one. */
    #read(hasView) {
        if (this.#session && !this.#storage.get('session')) return this.forget([...this.users.keys()][0]);
        if (hasView) this.view = this.#kept;
        this.#tell();
    }

    /** The kept list, unless this module cannot have written it. */
    get #kept() {
        const view = this.#storage.get('view');
        return view?.rows?.every?.(row => row?.groupId) ? view : {};
    }

    #tell() { for (const show of this.users.values()) show(); }
    actions() { return this.#storage.actions(); }
    #unsent() { return this.actions().filter(({ id }) => !this.#sent.has(id)); }

    /** Removes all that the browser keeps of the member; returns how many actions were not sent yet. */
    forget(element) {
        const actions = this.#unsent();
        for (const name of this.#storage.names()) this.#storage.remove(name);
        const users = [...this.users];
        for (const [user] of users) this.detach(user);
        this.#stops.POST?.abort();
        this.view = {};
        this.trouble = null;
        this.acted.clear();
        this.refused.clear();
        this.#impressions = [];
        this.#session = this.#callback = this.#token = this.#asking = null;
        for (const [, show] of users) show();
        if (actions.length) {
            element.dispatchEvent(new CustomEvent('coterie-forget', {
                bubbles: true, composed: true, detail: { actions } }));
        }
        return actions.length;
    }

    // Requests.

    /** The time by the daemon's clock, as far as it is known. */
    get now() { return Date.now() + (this.view.clock ?? 0); }

    /** Keeps to the callback of one element. Where the site sets another one, the token is asked for again. */
    chooseToken() {
        const callbacks = [...this.users.keys()].map(user => user.token).filter(Boolean);
        if (callbacks.includes(this.#callback)) return;
        this.#callback = callbacks[0] ?? null;
        this.#token = this.#asking = null;
    }

    #lasts(token) { return endOf(token) - 30_000 > this.now; }

    /** Returns the member's token; one that says when it ends is kept until shortly before. */
    async #bearer(refused) {
        if (!this.#callback) return null;
        if (this.#token && this.#token !== refused && this.#lasts(this.#token)) return this.#token;
        const asking = this.#asking ??= Promise.race([
            (async callback => callback({ member: this.#member, isRefused: refused !== undefined }))(this.#callback),
            new Promise((_, refuse) => setTimeout(refuse, timeoutMilliseconds))]);
        try {
            const token = await asking;
            // Requests of one moment share a token that lasts; any other one serves the first of them.
            if (this.#asking !== asking && !this.#lasts(token)) return await this.#bearer(refused);
            if (this.#asking === asking) [this.#token, this.#asking] = [token, null];
            return token;
        } catch {
            if (this.#asking === asking) this.#asking = null;
            throw new Failure(0);
        }
    }

    /** Returns the answer; `lane` tells apart the requests that a failure holds up. */
    async #request(path, options = {}, refused, lane = options.method ?? 'GET') {
        if (this.#failures[lane]?.until > performance.now()) throw this.#failures[lane];
        const { signal } = this.#stops[options.method ?? 'GET'];
        const headers = { Accept: 'application/json' };
        if (options.body) headers['Content-Type'] = 'application/json';
        const token = await this.#bearer(refused);
        if (token) headers.Authorization = `Bearer ${token}`;
        let response;
        try {
            response = await fetch(this.#address + path, { ...options, headers, credentials: 'omit',
                signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]) });
        } catch { throw new Failure(0); }
        if (response.status === 401 && this.#callback && refused === undefined) {
            return this.#request(path, options, token ?? '', lane);
        }
        if ([401, 403].includes(response.status) && this.#token === token) this.#token = null;
        const body = await response.json().catch(() => null);
        if (response.ok && body) return body;
        throw this.#failures[lane] = new Failure(response.ok ? 0 : response.status, body, this.#wait(response));
    }

    /** Returns how long the daemon wants to be left alone, in milliseconds: at most a day. */
    #wait(response) {
        const text = response.headers.get('Retry-After') ?? '0';
        const wait = /^\d+$/.test(text) ? text * 1000 : Date.parse(text) - this.now;
        return Math.min(Math.max(wait || 0, 0), 86_400_000);
    }

    #list(limit, after) {
        const photos = Math.max(0, ...[...this.users.keys()].map(user => user.photoCount));
        const query = new URLSearchParams({ limit, session: this.#sessionID });
        if (after) query.set('after', after);
        if (this.#seen) query.set('seen', this.#seen);
        if (photos) query.set('photos', photos);
        return this.#request(`recommendations?${query}`);
    }

    /** The time of the member's last own action: no cache has an answer from before it under the same address. */
    get #seen() { return Math.max(this.view.seen ?? 0, this.actions().at(-1)?.atMilliseconds ?? 0); }

    get #sessionID() {
        this.#session = this.#storage.get('session');
        if (!this.#session) this.#storage.set('session', this.#session = newID());
        return this.#session;
    }

    // What the daemon has.

    /** Sends what waits, and takes over what the daemon has; at most once at a time. */
    sync() {
        if (!this.users.size) return Promise.resolve();
        this.#syncsAgain = true;
        return this.#syncing ??= this.#rounds().finally(() => { this.#syncing = null; });
    }

    async #rounds() {
        while (this.#syncsAgain) await alone(`coterie-groups ${this.#address}`, () => this.#round());
        if (!this.users.size) return;
        // The next time comes within a minute, and never at the same moment in all tabs.
        const waits = ['GET', 'POST'].map(lane => (this.#failures[lane]?.until ?? 0) - performance.now())
            .filter(wait => wait > 0);
        this.#plan(Math.min(45_000 + some(15_000), ...waits.map(wait => wait + some(1_000 + wait / 4))));
        for (const user of this.users.keys()) {
            user.dispatchEvent(new CustomEvent('coterie-sync', { detail: { isCurrent: this.trouble === null } }));
        }
    }

    #plan(milliseconds) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => { if (!document.hidden) this.sync(); }, milliseconds);
    }

    async #round() {
        this.#syncsAgain = false;
        try {
            // A daemon that takes no actions now, as beyond a quota, still has a list.
            const refusal = await this.#send().catch(error => {
                if (!error.status) throw error;
                return error;
            });
            if (!this.users.size) return;
            const { rows } = this.view;
            const view = await this.#fetchView();
            if (!this.users.size) return;
            if (this.view.rows !== rows) {
                this.#syncsAgain = true;
                return;
            }
            this.view = view;
            // An element that has come meanwhile wants a round of its own.
            this.#isOld = this.#syncsAgain;
            // The list first: whoever reads between the two still sees the actions.
            this.#storage.set('view', view);
            for (const id of this.#sent) this.#storage.remove(`action ${id}`);
            this.#sent.clear();
            this.trouble = refusal;
        } catch (error) {
            this.trouble = error instanceof Failure ? error : new Failure(0);
        }
        this.#tell();
    }

    /** Sends actions; notes the ids of those that the daemon has, or will never take. */
    async #send() {
        const actions = this.#unsent();
        const post = batch => this.#request('interactions', { method: 'POST', body: bodyOf(batch) });
        const isFinal = ({ problem, status }) =>
            problem.status === status && [400, 404, 409, 413, 422].includes(status);
        for (let begin = 0; begin < actions.length; begin += 100) {
            const batch = actions.slice(begin, begin + 100);
            try { await post(batch); } catch (error) {
                if (!isFinal(error)) throw error;
                // One bad action refuses its whole batch, so each is sent alone.
                for (const action of batch) {
                    try { await post([action]); } catch (error) {
                        if (!isFinal(error)) throw error;
                        if (stateAfter[action.kind]) this.refused.set(action.id, action.title);
                        this.acted.delete(action.groupId);
                    }
                    this.#sent.add(action.id);
                }
            }
            for (const { id } of batch) this.#sent.add(id);
        }
        return null;
    }

    async #fetchView() {
        const view = { ...this.view, seen: this.#seen };
        const rows = view.rows ?? [];
        const fetchList = () => this.#list(
            Math.min(200, Math.max(rows.length, ...[...this.users.keys()].map(user => user.pageLength))));
        // Both are asked for together, so that the first list comes after one round trip.
        const fetched = this.#isOld ? fetchList() : null;
        fetched?.catch(() => {});
        const changes = await this.#changes(view);
        const isSame = rows.length && rows.every((row, index) => row.groupId === changes.order[index]);
        if (fetched || !isSame) {
            const list = await (fetched ?? fetchList());
            Object.assign(view, { rows: rowsOf(list), next: list.next });
        }
        view.atMilliseconds = Date.now();
        return view;
    }

    /** Brings the states of groups up to date; returns the last answer. */
    async #changes(view) {
        let answer;
        do {
            const limit = Math.min(200, Math.max(50, view.rows?.length ?? 0));
            const query = new URLSearchParams({ limit, session: this.#sessionID });
            if (view.state) query.set('since', view.state);
            if (view.seen) query.set('seen', view.seen);
            try { answer = await this.#request(`changes?${query}`); } catch (error) {
                if (!view.state || !/cannot-calculate-changes$/.test(error.problem?.type)) throw error;
                // The state is too old: everything is fetched again.
                delete view.state;
                answer = { hasMoreChanges: true };
                continue;
            }
            const states = Object.assign(Object.create(null), view.state ? view.states : {});
            for (const id of answer.destroyed) delete states[id];
            for (const { groupId, state } of answer.groups) states[groupId] = state;
            // The daemon's clock orders the actions of all devices.
            Object.assign(view, {
                states, state: answer.newState, isPaused: answer.paused, pausedUntil: answer.pausedUntilMilliseconds,
                clock: answer.atMilliseconds - Date.now(), daemonTime: answer.atMilliseconds });
        } while (answer.hasMoreChanges);
        return answer;
    }

    /** Adds the next page of the list. */
    async next(limit) {
        const { next, rows } = this.view;
        try {
            const list = await this.#list(limit, next);
            if (!this.users.size || this.view.next !== next) return;
            const known = new Set(rows.map(row => row.groupId));
            const fresh = rowsOf(list).filter(row => !known.has(row.groupId));
            this.view = { ...this.view, rows: [...rows, ...fresh], next: list.next };
            this.#storage.set('view', this.view);
            this.trouble = null;
        } catch (error) { this.trouble = error; }
        this.#tell();
    }

    // What the member does.

    act(row, kind) {
        const last = this.actions().at(-1)?.atMilliseconds ?? 0;
        const action = {
            id: newID(), kind, groupId: row.groupId, title: nameOf(row),
            atMilliseconds: Math.max(Math.round(this.now), last + 1, (this.view.daemonTime ?? 0) + 1),
            recommendationId: row.listID, position: row.rank, origin: row.origin,
        };
        this.refused.clear();
        if (stateAfter[kind]) {
            const index = this.shown().findIndex(other => other.groupId === row.groupId);
            this.acted.set(row.groupId, { row, index });
        }
        this.#storage.set(`action ${action.id}`, action);
        if (stateAfter[kind]) this.#tell();
    }

    /** Whether the member wants to see no groups; "Show again" counts at once. */
    get isPaused() {
        const { isPaused, pausedUntil = Infinity } = this.view;
        return Boolean(isPaused) && this.now < pausedUntil && !this.actions().some(({ kind }) => kind === 'resume');
    }

    resume() {
        this.act({}, 'resume');
        // The list comes with the daemon's answer.
        this.view = { ...this.view, rows: undefined };
        this.#tell();
        return this.sync();
    }

    // What the member has seen.

    /** Notes that a group of a list was seen; each counts once, in all elements, tabs and visits. */
    see(row) {
        const id = idOf(row.listID, row.groupId);
        const seen = this.#storage.get('seen') ?? [];
        if (!this.users.size || !row.listID || seen.includes(id)) return;
        this.#storage.set('seen', [...seen, id].slice(-impressionLimit));
        this.#impressions.push({
            id, kind: 'impression', groupId: row.groupId, atMilliseconds: Math.round(this.now),
            recommendationId: row.listID, position: row.rank, origin: row.origin });
        this.#planImpressions();
    }

    // The groups of a page come into view one after the other, so a request waits for a second, too.
    #planImpressions() {
        this.#impressionsTimer ??= setTimeout(
            () => this.#sendImpressions(), Math.max(1_000, this.#impressionsUntil - performance.now()));
    }

    /** Sends impressions; they are less than actions, so those that are refused are dropped. */
    async #sendImpressions() {
        clearTimeout(this.#impressionsTimer);
        this.#impressionsTimer = null;
        const batch = this.#impressions.splice(0, 100);
        if (!batch.length) return;
        this.#impressionsUntil = performance.now() + impressionMilliseconds;
        try {
            await this.#request('interactions', { method: 'POST', body: bodyOf(batch) }, undefined, 'impressions');
            if (this.#impressions.length) this.#planImpressions();
        } catch (error) {
            // Those that did not arrive wait for the next ones: they have the same ids, so none counts twice.
            if (!error.status && this.#session) this.#impressions = [...batch, ...this.#impressions].slice(-100);
        }
    }

    /** Sends some actions, and all impressions, while the page goes: it waits for no token and for no answer. */
    #leave(isWanted) {
        const token = this.#token;
        if (this.#callback && !(endOf(token ?? '') > this.now)) return;
        const batch = [];
        let bytes = 100;
        const actions = this.#unsent().filter(action => isWanted(action) && !this.#leaving.has(action.id));
        for (const action of [...actions, ...this.#impressions]) {
            bytes += new TextEncoder().encode(bodyOf([action])).length;
            if (bytes > keptAliveBytes || batch.length === 100) break;
            batch.push(action);
        }
        if (!batch.length || this.#failures.POST?.until > performance.now()) return;
        clearTimeout(this.#impressionsTimer);
        this.#impressionsTimer = null;
        this.#impressionsUntil = performance.now() + impressionMilliseconds;
        this.#impressions = this.#impressions.filter(impression => !batch.includes(impression));
        const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
        if (token) headers.Authorization = `Bearer ${token}`;
        for (const { id } of batch) this.#leaving.add(id);
        // The actions are kept until the daemon has said that it has them, maybe in the next visit.
        fetch(`${this.#address}interactions`, {
            method: 'POST', body: bodyOf(batch), headers, credentials: 'omit', keepalive: true,
        }).then(({ ok }) => { if (ok) for (const { id } of batch) this.#sent.add(id); }, () => {})
            .finally(() => this.#leaving.clear());
    }

    /** The state of each group: the daemon's, with the member's own actions on top. */
    #states() {
        const states = new Map(Object.entries(this.view.states ?? {}));
        for (const { groupId, kind } of this.actions()) if (stateAfter[kind]) states.set(groupId, stateAfter[kind]);
        return states;
    }

    /** The groups to show: the list, and those in their old places that the member has just acted on. */
    shown() {
        if (this.isPaused) return [];
        const states = this.#states();
        const waiting = new Set(this.actions().map(action => action.groupId));
        const stateOf = id => states.get(id) ?? 'recommended';
        const shown = (this.view.rows ?? []).filter(({ groupId }) =>
            stateOf(groupId) === 'recommended' || waiting.has(groupId) || this.acted.has(groupId));
        for (const [id, { row, index }] of [...this.acted].sort((one, other) => one[1].index - other[1].index)) {
            if (!shown.some(other => other.groupId === id)) shown.splice(Math.min(index, shown.length), 0, row);
        }
        return shown.map(row => ({ ...row, state: stateOf(row.groupId) }));
    }
}

export class CoterieGroups extends HTMLElement {
    static observedAttributes = ['src', 'member', 'layout', 'lang'];

    #root = this.attachShadow({ mode: 'open' });
    #store = null;
    #isOpen = false;
    #length = 0;
    #elements = new Map();
    #token = null;
    #texts = english;
    #ownTexts = {};
    #pageLanguage = 'en';
    #given = null;
    /** Whether the element waits for the texts of its language. */
    #isMute = false;
    #sizes = standardSizes;
    #describe = null;
    #columns = 1;
    #pagesByScrolling = 0;
    #parts = {};
    /** The articles of which half is in view, each with the timer of its impression. */
    #inView = new Map();
    #watching = new IntersectionObserver(entries => this.#watch(entries), { threshold: [0, .1, .2, .3, .4, .5] });

    constructor() {
        super();
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        this.#root.adoptedStyleSheets = [sheet];
        const { list, notice, again, resume, blank, said, more, end } = this.#parts = {
            notice: make('p', { class: 'notice', part: 'notice', role: 'status' }),
            again: make('button', {
                class: 'again', part: 'button again', type: 'button', hidden: '', onclick: () => this.#tryAgain() }),
            resume: make('button', {
                part: 'button resume', type: 'button', hidden: '', onclick: () => this.#resume() }),
            blank: make('div', { 'aria-hidden': 'true' }),
            list: make('div', { class: 'list', part: 'list', role: 'feed' }),
            said: make('p', { class: 'said', role: 'status' }),
            more: make('button', {
                class: 'more', part: 'button more', type: 'button', hidden: '', onclick: () => this.#next(true) }),
            end: make('div'),
        };
        const head = make('div', { class: 'head', part: 'head' },
            make('slot', { name: 'heading' }), make('slot', { name: 'see-all' }));
        list.addEventListener('keydown', event => this.#turn(event));
        this.#root.append(make('div', { class: 'all', part: 'all' }, head, notice, again, resume, blank, list, more, end, said));
        new ResizeObserver(() => this.#layOut()).observe(list);
        new IntersectionObserver(([entry]) => {
            // After three pages the button is left, so that the end of the site's page can be reached.
            if (entry.isIntersecting && this.#pagesByScrolling < 3 && !this.isCards && !this.hasAttribute('no-scroll')) {
                this.#next(false).then(came => { if (came) this.#pagesByScrolling += 1; });
            }
        }, { rootMargin: '200px' }).observe(end);
    }

    /** A function that returns the member's token, or a promise of it; it gets `{member, isRefused}`. */
    get token() { return this.#token; }
    set token(callback) {
        if (callback != null && typeof callback !== 'function') throw new TypeError('token must be a function');
        this.#token = callback;
        if (!this.#isOpen) return;
        // After `forget()`, it is a start again.
        this.#open();
        this.#store?.chooseToken();
        this.sync();
    }
    get texts() { return this.#texts; }
    set texts(texts) {
        this.#ownTexts = texts;
        this.#renew();
    }
    /** A function that describes a photo: it gets the photo and its group, and returns `{alt, owner, url}`. */
    get describe() { return this.#describe; }
    set describe(describe) {
        if (describe != null && typeof describe !== 'function') throw new TypeError('describe must be a function');
        this.#describe = describe;
        this.#renew();
    }
    get isCards() { return this.getAttribute('layout') === 'cards'; }
    get sizes() { return this.#sizes; }
    set sizes(sizes) { this.#sizes = sizes; }
    get pageLength() { return Math.max(1, Math.min(50, Number(this.getAttribute('limit')) || 6)); }
    get photoCount() {
        return Math.max(0, Math.min(this.isCards ? 3 : 20, Number(this.getAttribute('photos') ?? 8) || 0));
    }

    connectedCallback() {
        // What a site has set before this module came.
        for (const name of ['token', 'texts', 'sizes', 'describe'].filter(name => Object.hasOwn(this, name))) {
            const value = this[name];
            delete this[name];
            this[name] = value;
        }
        this.#isOpen = true;
        this.#open();
    }
    // An element that is only moved is connected again at once.
    disconnectedCallback() { queueMicrotask(() => { if (!this.isConnected) this.#leave(); }); }
    // Before the element is connected, its attributes are read once, by `connectedCallback`.
    attributeChangedCallback(name, before, after) {
        if (!this.#isOpen || before === after) return;
        if (name === 'layout') this.#renew();
        else if (name === 'lang') this.#speak();
        else this.#open();
    }

    /** Sends what waits, and takes over what the daemon has; at most once at a time. */
    sync() { return this.#store?.sync() ?? Promise.resolve(); }

    /** Removes all that this browser keeps of the member, and returns how many actions the daemon does not have yet. */
    forget() { return this.#named?.forget(this) ?? 0; }

    /** The store that the attributes name. */
    get #named() {
        const [source, member] = [this.getAttribute('src'), this.getAttribute('member')];
        if (source === null || !member) return null;
        if (!noMember.test(member)) return Store.of(source, member);
        // All visitors with this word would share one list.
        console.error(`<coterie-groups member="${member}"> has no member's id, and so shows nothing`);
        return null;
    }

    #open() {
        const store = this.#named;
        if (store?.users.has(this)) return;
        this.#leave();
        this.#isOpen = true;
        document.addEventListener('visibilitychange', this.#look);
        this.#store = store;
        this.#length = 0;
        store?.attach(this, () => this.#show());
        // The words of a group may be about the member before.
        this.#speak();
    }

    #leave() {
        this.#store?.detach(this);
        this.#isOpen = false;
        document.removeEventListener('visibilitychange', this.#look);
    }

    // What is in view.

    /** Notes which groups are half in view, or fill half of the window. */
    #watch(entries) {
        for (const { target, isIntersecting, intersectionRatio, intersectionRect, rootBounds } of entries) {
            const isHalf = intersectionRatio >= .5 || intersectionRect.height >= (rootBounds?.height ?? Infinity) / 2;
            if (isIntersecting && isHalf) this.#linger(target);
            else this.#stopLingering(target);
        }
    }

    /** A group counts as seen when it was half in view for a second, in a tab that is shown. */
    #linger(article) {
        if (this.#inView.get(article)) return;
        this.#inView.set(article, document.hidden ? null : setTimeout(() => {
            // The entry stays: the group is still in view, and counts again when it is in another list.
            article.seenList = article.row.listID;
            if (article.isConnected && !this.hasAttribute('no-impressions')) this.#store?.see(article.row);
        }, 1_000));
    }

    #stopLingering(article) {
        clearTimeout(this.#inView.get(article));
        this.#inView.delete(article);
    }

    #look = () => {
        for (const article of [...this.#inView.keys()]) {
            clearTimeout(this.#inView.get(article));
            this.#inView.set(article, null);
            if (!document.hidden) this.#linger(article);
        }
    };

    async #next(byHand) {
        const [store, { list, more }] = [this.#store, this.#parts];
        const count = list.children.length;
        if (more.disabled || more.hidden) return false;
        if (store.shown().length <= count) {
            this.#busy(true);
            await store.next(this.pageLength);
            this.#busy(false);
        }
        if (store !== this.#store || store.shown().length <= count) return false;
        this.#length = count + this.pageLength;
        this.#show();
        if (byHand) list.children[count]?.focus();
        return true;
    }

    #busy(isBusy) {
        this.#parts.more.disabled = isBusy;
        this.#parts.list.setAttribute('aria-busy', isBusy);
        this.#parts.more.textContent = isBusy ? this.#texts.loading : this.#texts.more;
    }

    #act(row, kind) {
        this.#store.act(row, kind);
        if (stateAfter[kind]) {
            this.#elements.get(row.groupId)?.querySelector('.actions button, .stub button')?.focus();
            this.#tell(stateAfter[kind] === 'recommended' ? 'undone' : this.#outcome(row, kind), row);
        }
        const name = { join: 'join', dismiss: 'dismiss', click: 'click' }[kind] ?? 'undo';
        this.dispatchEvent(new CustomEvent(`coterie-${name}`, {
            bubbles: true, composed: true,
            detail: { kind, groupId: row.groupId, title: row.title, joinPolicy: row.joinPolicy } }));
        if (stateAfter[kind]) this.sync();
    }

    #outcome(row, kind) { return kind === 'dismiss' ? 'dismissed' : row.joinPolicy === 'approval' ? 'asked' : 'joined'; }
    #tell(text, row) { this.#parts.said.textContent = this.#say(text, { group: isolated(nameOf(row)) }); }

    async #tryAgain() {
        const { again, list } = this.#parts;
        again.disabled = true;
        await this.sync();
        again.disabled = false;
        if (again.hidden) list.firstElementChild?.focus();
        else again.focus();
    }

    async #resume() {
        const { list, again } = this.#parts;
        await this.#store.resume();
        if (!this.#root.activeElement) (again.hidden ? list.firstElementChild : again)?.focus();
    }

    // What is on the page.

    /** Chooses the language of the page; its texts have a moment to come, before it is English until the next page. */
    #speak() {
        let around = this;
        while (around && !around.lang) around = around.parentElement ?? around.getRootNode().host;
        let page = 'en';
        try { [page = 'en'] = Intl.getCanonicalLocales(around?.lang || 'en'); } catch { /* It is no language. */ }
        const [language] = page.split('-');
        this.#pageLanguage = page;
        this.#isMute = true;
        const choose = () => {
            if (!this.#isMute || this.#pageLanguage !== page) return;
            this.#isMute = false;
            this.#given = spoken.get(language);
            this.#renew();
        };
        if (spoken.has(language) || !languages.includes(language)) choose();
        else {
            this.#renew();
            fetchTexts(language).then(choose);
            setTimeout(choose, languageMilliseconds);
        }
    }

    // English with the numbers and dates of another language is neither, unless the site has texts of its own.
    get #language() { return this.#given || Object.keys(this.#ownTexts ?? {}).length ? this.#pageLanguage : 'en'; }

    /** Returns a text with its values; a number has the form of the language. */
    #say(name, values = {}) {
        const text = this.#texts[name];
        const { count } = values;
        if (count === undefined) return fill(text, values);
        const form = typeof text === 'string' ? text
            : text[new Intl.PluralRules(this.#language).select(count)] ?? text.other;
        return fill(form, { ...values, count: new Intl.NumberFormat(this.#language).format(count) });
    }

    #time(milliseconds) {
        const format = new Intl.DateTimeFormat(this.#language, { dateStyle: 'medium', timeStyle: 'short' });
        return isolated(format.format(milliseconds));
    }

    #listed(names) { return new Intl.ListFormat(this.#language).format(names.map(isolated)); }

    /** Makes everything new, as with other words or in another layout. */
    #renew() {
        this.#texts = { ...english, ...this.#given, ...this.#ownTexts };
        this.#elements.clear();
        this.#parts.list.replaceChildren();
        this.#parts.blank.replaceChildren();
        this.#show();
    }

    /** The groups that the element shows at most. */
    get #most() {
        // Cards take two rows until "More"; a list that is alone shows all that is kept.
        if (this.isCards) return Math.max(this.#length, Math.min(this.pageLength, 2 * this.#columns));
        return this.#store.users.size > 1 ? Math.max(this.#length, this.pageLength) : Infinity;
    }

    get #state() {
        const store = this.#store;
        if (!store?.users.has(this)) return null;
        if (store.trouble && !this.#isMute) return navigator.onLine ? 'error' : 'offline';
        if (store.isPaused && !this.#isMute) return 'paused';
        return !store.view.rows || this.#isMute ? 'loading' : store.shown().length ? 'ready' : 'empty';
    }

    #show() {
        const { list, blank, notice, again, resume, more } = this.#parts;
        const texts = this.#texts;
        const store = this.#store;
        const state = this.#state;
        const isPaused = state === 'paused';
        if (state) this.setAttribute('data-state', state);
        else this.removeAttribute('data-state');
        list.setAttribute('aria-label', texts.label);
        list.setAttribute('aria-busy', state === 'loading');
        const all = this.#isMute ? [] : store?.shown() ?? [];
        // A feed without articles is none.
        list.hidden = state !== 'loading' && !all.length;
        for (const part of [list, blank]) part.classList.toggle('cards', this.isCards);
        this.#columns = this.#countColumns();
        this.#showBlank(state === 'loading');
        const shown = store ? all.slice(0, this.#most) : [];
        const hasMore = Boolean(store?.view.next) || shown.length < all.length;
        const focused = this.#root.activeElement?.closest('article');
        const place = [...list.children].indexOf(focused);
        const kept = new Map();
        shown.forEach((row, index) => {
            let element = this.#elements.get(row.groupId);
            const content = JSON.stringify([row.state, row.title, row.url, row.reasons, row.photos]);
            if (element?.content !== content) {
                const old = element;
                element = this.#article(row);
                element.content = content;
                // A card that becomes a sentence keeps its height.
                if (old && this.isCards) element.style.minBlockSize = `${old.offsetHeight}px`;
                old?.replaceWith(element);
                if (row.state === 'recommended') this.#watching.observe(element);
            }
            const isOtherList = element.row && element.seenList !== row.listID && element.seenList;
            element.row = row;
            if (isOtherList && this.#inView.has(element)) {
                this.#stopLingering(element);
                this.#linger(element);
            }
            kept.set(row.groupId, element);
            element.setAttribute('aria-posinset', index + 1);
            element.setAttribute('aria-setsize', hasMore ? -1 : shown.length);
            if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
        });
        while (list.children.length > shown.length) list.lastChild.remove();
        this.#elements = kept;
        if (focused && !this.#root.activeElement) {
            const same = [...kept.values()].find(element => element.dataset.group === focused.dataset.group);
            // A group that is gone leaves the focus to the one in its place.
            (same?.querySelector('button') ?? list.children[Math.min(place, list.children.length - 1)])?.focus();
        }
        if (!this.#parts.more.disabled) more.textContent = texts.more;
        more.hidden = !hasMore || this.#isMute;
        const words = this.#isMute ? '' : this.#notice(shown);
        if (notice.textContent !== words) notice.textContent = words;
        again.textContent = texts.again;
        again.hidden = !store?.trouble || this.#isMute;
        resume.textContent = texts.resume;
        resume.hidden = !isPaused;
        this.#layOut();
    }

    #countColumns() {
        if (!this.isCards) return 1;
        const list = this.#parts.list.firstChild ? this.#parts.list : this.#parts.blank;
        if (!list.firstChild) list.append(make('div'));
        return getComputedStyle(list).gridTemplateColumns.split(' ').length;
    }

    /** Keeps the place of the groups until they come. */
    #showBlank(isLoading) {
        const { blank } = this.#parts;
        const count = isLoading ? Math.min(this.pageLength, this.#most) : 0;
        if (blank.querySelectorAll('.blank').length === count && count) return;
        blank.replaceChildren(...Array.from({ length: count }, () => this.#blankGroup()));
    }

    #blankGroup() {
        const texts = this.#texts;
        const line = name => make('p', { class: name }, '\u00a0');
        const actions = this.isCards ? ['join'] : ['join', 'dismiss', 'why'];
        const photos = this.photoCount ? make('div', { class: this.isCards ? 'mosaic' : 'strip' }) : null;
        const title = make('div', { class: 'title' }, '\u00a0');
        const row = make('div', { class: 'actions' }, ...actions.map(name => make('span', {}, texts[name])));
        if (photos && !this.isCards) photos.style.blockSize = `${this.#stripHeight(this.photoCount)}px`;
        return make('div', { class: 'group blank' }, ...this.isCards
            ? [photos, title, line('why'), row] : [title, line('why'), line('facts'), photos, row]);
    }

    #notice(shown) {
        const texts = this.#texts;
        const words = [];
        const { trouble, view, refused } = this.#store ?? { view: {}, refused: new Map() };
        const waiting = this.#store?.actions().filter(action => stateAfter[action.kind]).length ?? 0;
        if (trouble) {
            const signIn = trouble.status === 401 || trouble.status === 403;
            words.push(signIn ? texts.signIn : navigator.onLine ? texts.unreachable : texts.offline);
            if (view.atMilliseconds) words.push(this.#say('kept', { time: this.#time(view.atMilliseconds) }));
            if (waiting) words.push(this.#say('waiting', { count: waiting }));
        } else if (this.#store?.isPaused) {
            words.push(view.pausedUntil ? this.#say('pausedUntil', { time: this.#time(view.pausedUntil) }) : texts.paused);
        } else if (!shown.length && view.rows) words.push(texts.empty);
        for (const title of refused.values()) words.push(this.#say('refused', { group: isolated(title) }));
        return words.join(' ');
    }

    #article(row) {
        const texts = this.#texts;
        const id = `group-${newID()}`;
        const button = (text, part, act, attributes = {}) => make('button', {
            type: 'button', part: `button ${part}`, onclick: act,
            'aria-label': this.#say('joinOf', { action: text, group: isolated(nameOf(row)) }), ...attributes }, text);
        const article = make('article', { class: 'group', part: 'group', tabindex: '0', 'data-group': row.groupId, 'aria-labelledby': id });
        if (row.state !== 'recommended') {
            const kind = row.state === 'joined' ? 'join' : 'dismiss';
            const text = this.#say(this.#outcome(row, kind), { group: isolated(nameOf(row)) });
            article.append(make('div', { class: 'stub', part: 'stub' }, make('p', { id }, text),
                button(texts.undo, 'undo', () => this.#act(row, kind === 'join' ? 'leave' : 'undismiss'))));
            return article;
        }
        const { isCards } = this;
        const address = this.#address(row.url);
        const title = address
            ? make('a', { href: address, onclick: () => this.#act(row, 'click') }, make('bdi', {}, nameOf(row)))
            : make('bdi', {}, nameOf(row));
        const details = make('ul', { id: `${id}-why`, hidden: '', part: 'reasons' },
            ...this.#reasons(row).map(text => make('li', {}, text)));
        const facts = ['members', 'photos'].map(name => [name, row[`${name.slice(0, -1)}Count`]])
            .filter(([, count]) => count).map(([name, count]) => this.#say(name, { count }));
        const why = button(texts.why, 'why-button', () => {
            details.hidden = !details.hidden;
            why.setAttribute('aria-expanded', !details.hidden);
        }, { 'aria-expanded': 'false', 'aria-controls': `${id}-why` });
        const photos = row.photos?.slice(0, this.photoCount).filter(photo => this.#address(photo.url)) ?? [];
        const strip = photos.length && !isCards ? make('div', { class: 'strip', part: 'photos' }) : null;
        if (strip) {
            strip.row = row;
            strip.measured = new Set();
            strip.classList.toggle('waiting', !photos.every(isSized));
            strip.photos = photos;
            strip.ratios = photos.map(photo => isSized(photo) ? photo.width / photo.height : 1);
        }
        const heading = make('div', { id, class: 'title', part: 'title', role: 'heading',
            'aria-level': this.getAttribute('heading-level') ?? '3' }, title);
        const reason = make('p', { class: 'why', part: 'why' }, this.#why(row));
        const dismiss = button(texts.dismiss, 'dismiss', () => this.#act(row, 'dismiss'));
        // One gets into some groups by invitation only.
        const join = row.joinPolicy === 'invite' ? null : button(
            row.joinPolicy === 'approval' ? texts.ask : texts.join, 'join', () => this.#act(row, 'join'), { class: 'main' });
        const actions = make('div', { class: 'actions', part: 'actions' },
            ...isCards ? [join ?? dismiss] : [join, dismiss, why]);
        if (isCards) article.append(...[this.#mosaic(row, photos), heading, reason, actions].filter(Boolean));
        else {
            const line = facts.length ? make('p', { class: 'facts', part: 'facts' }, facts.join(' · ')) : null;
            article.append(...[heading, reason, line, strip, actions, details].filter(Boolean));
        }
        return article;
    }

    #why(row) {
        const isJoined = ({ groupId }) => this.#store.view.states?.[groupId] === 'joined';
        const names = groups => this.#listed(groups.slice(0, 2).map(nameOf));
        const joined = (row.reasons ?? []).filter(isJoined);
        if (joined.length) return this.#say('personal', { groups: names(joined) });
        // Favourites point to groups that the member is not in.
        if (row.reasons?.length) return this.#say('related', { group: names(row.reasons) });
        if (row.statedInterests?.length) {
            return this.#say('topic', { topics: this.#listed(row.statedInterests.slice(0, 2)) });
        }
        return this.#say(['curated', 'trending'].includes(row.origin) ? row.origin : 'popular');
    }

    #reasons(row) {
        const lines = (row.reasons ?? []).map(reason => {
            const name = { members: 'shared', photos: 'alike' }[reason.relation];
            const group = isolated(nameOf(reason));
            return name ? this.#say(name, { count: reason.common ?? 0, group }) : this.#say('related', { group });
        });
        if (row.interest) lines.push(this.#say('interest', { interest: isolated(row.interest) }));
        if (row.statedInterests?.length) lines.push(this.#say('topic', { topics: this.#listed(row.statedInterests) }));
        return lines.length ? lines : [this.#why(row)];
    }

    /** Returns an address for a link or picture, or null if it is none of http. */
    #address(text) {
        try {
            const address = new URL(text, document.baseURI);
            return text && /^https?:$/.test(address.protocol) ? address.href : null;
        } catch { return null; }
    }

    get #rowHeight() { return parseFloat(getComputedStyle(this).getPropertyValue('--coterie-row-height')) || 150; }

    /** Returns the rows that some photos fill: one, or two in a narrow place. */
    #rowCount(photoCount, width, rowHeight) {
        return Math.min(2, Math.max(1, Math.floor(photoCount * 1.2 * rowHeight / width)));
    }

    #stripHeight(photoCount) {
        const rowHeight = this.#rowHeight;
        const rows = this.#rowCount(photoCount, this.#parts.list.clientWidth || 1, rowHeight);
        return rows * (rowHeight + stripGap) - stripGap;
    }

    #layOut() {
        const width = this.#parts.list.clientWidth;
        const rowHeight = this.#rowHeight;
        if (this.isCards && this.#countColumns() !== this.#columns) return this.#show();
        if (width) for (const strip of this.#parts.list.querySelectorAll('.strip')) this.#layOutStrip(strip, width, rowHeight);
    }

    #layOutStrip(strip, width, rowHeight) {
        const key = [width, rowHeight, ...strip.ratios].join();
        if (strip.key === key) return;
        strip.key = key;
        const options = { width, padding: 0, spacing: stripGap, rowHeight };
        let layout = justify(strip.ratios, { ...options, showsWidows: false });
        // A strip ends with a whole row, unless it has none.
        if (!layout.boxes.length) layout = justify(strip.ratios, options);
        // However high the rows would be, the strip has its height before the pictures come; they are cut a little.
        const tops = [...new Set(layout.boxes.map(box => box.top))]
            .slice(0, this.#rowCount(strip.photos.length, width, rowHeight));
        strip.images ??= new Map();
        strip.photos.forEach((photo, index) => {
            const box = layout.boxes[index];
            const row = tops.indexOf(box?.top);
            let image = strip.images.get(photo);
            if (row < 0) return image?.remove();
            if (!image) {
                image = this.#photo(strip.row, photo, index, { ...box, height: rowHeight }, {
                    onload: event => this.#measured(strip, photo, event.target),
                    onerror: () => this.#failed(strip, photo) });
                strip.images.set(photo, image);
            }
            const { style } = image;
            style.insetInlineStart = `${box.left}px`;
            style.insetBlockStart = `${row * (rowHeight + stripGap)}px`;
            style.inlineSize = `${box.width}px`;
            style.blockSize = `${rowHeight}px`;
            if (image.parentNode !== strip) strip.append(image);
        });
        strip.style.blockSize = `${tops.length * (rowHeight + stripGap) - stripGap}px`;
    }

    /** Returns three photos of a group as one picture. */
    #mosaic(row, photos) {
        if (!this.photoCount) return null;
        const mosaic = make('div', { class: 'mosaic', part: 'photos' });
        mosaic.append(...photos.map((photo, index) => {
            const element = this.#photo(row, photo, index, index ? { width: 130, height: 110 } : { width: 260, height: 220 },
                { onerror: () => { if (navigator.onLine) element.remove(); } });
            return element;
        }));
        return mosaic;
    }

    /** Returns a photo that links to its page, or to its group. */
    #photo(row, photo, index, box, events) {
        const { alt, owner, url } = this.#describe?.(photo, row) ?? {};
        const page = this.#address(url);
        const href = page ?? this.#address(row.url);
        const image = make('img', { part: 'photo', loading: 'lazy', decoding: 'async', ...events,
            alt: alt ?? this.#say('photoOf', { number: index + 1, group: isolated(nameOf(row)) }) });
        image.src = this.#photoAddress(photo, box);
        // By keyboard, the title is the way to the group.
        return make(href ? 'a' : 'span', { class: 'photo', part: 'photo-link', href, tabindex: href && !page ? '-1' : null,
            onclick: () => { if (href) this.#act(row, 'click'); } },
        image, owner ? make('span', { class: 'owner', part: 'owner' }, make('bdi', {}, owner)) : null);
    }

    #photoAddress(photo, box) {
        const wanted = Math.max(box.width, box.height) * (devicePixelRatio || 1);
        const sizes = Object.entries(this.#sizes).sort((one, other) => one[1] - other[1]);
        const [size] = sizes.find(([, side]) => side >= wanted) ?? sizes.at(-1) ?? [''];
        return this.#address(photo.url.replaceAll('{size}', encodeURIComponent(size)));
    }

    /** A photo without sizes gets its place again when its picture shows them. */
    #measured(strip, photo, image) {
        if (isSized(photo) || !image.naturalHeight) return;
        strip.ratios[strip.photos.indexOf(photo)] = image.naturalWidth / image.naturalHeight;
        strip.measured.add(photo);
        this.#layOut();
        this.#reveal(strip);
        // One slow picture holds up the others for a moment only.
        strip.timer ??= setTimeout(() => strip.classList.remove('waiting'), patienceMilliseconds);
    }

    /** Shows the photos of a strip when the places of all of them are known, so that none moves. */
    #reveal(strip) {
        const isWaiting = strip.photos.some(photo => !isSized(photo) && !strip.measured.has(photo)
            && strip.images.get(photo)?.parentNode === strip);
        if (!isWaiting) strip.classList.remove('waiting');
    }

    /** A picture that does not exist leaves its row; one that cannot be fetched without a network keeps its place. */
    #failed(strip, photo) {
        const index = strip.photos.indexOf(photo);
        strip.measured.add(photo);
        if (!navigator.onLine || index < 0) return this.#reveal(strip);
        strip.images.get(photo)?.remove();
        strip.photos.splice(index, 1);
        strip.ratios.splice(index, 1);
        if (!strip.photos.length) return strip.remove();
        this.#layOut();
        this.#reveal(strip);
    }

    /** Page Down and Page Up go from group to group, as in every feed; at the end the next page comes. */
    #turn(event) {
        const step = { PageDown: 1, PageUp: -1 }[event.key];
        const article = event.target.closest('article');
        if (!step || !article) return;
        event.preventDefault();
        const next = step > 0 ? article.nextElementSibling : article.previousElementSibling;
        if (next) next.focus();
        else if (step > 0) this.#next(true);
    }
}

if (!customElements.get('coterie-groups')) customElements.define('coterie-groups', CoterieGroups);
