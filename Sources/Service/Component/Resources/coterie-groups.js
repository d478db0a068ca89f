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

/** All words that the element shows; a site may replace any of them: `element.texts = {join: 'Entrar'}`. */
const standardTexts = {
    label: 'Groups for you', join: 'Join', ask: 'Ask to join', dismiss: 'Not interested', undo: 'Undo',
    why: 'Why this?', more: 'More groups', joined: 'You joined {group}.', asked: 'You asked to join {group}.',
    dismissed: '{group} will not be suggested again.', members: '{count} members', photos: '{count} photos',
    personal: 'Because you are in {groups}', topic: 'Because you like {topics}', curated: 'Picked for new members',
    trending: 'More people than usual are joining', popular: 'Popular with everybody',
    shared: '{count} members of {group} are here too', alike: '{count} photos of {group} are here too',
    related: 'It is like {group}',
    interest: 'One of your interests is {interest}', joinOf: '{action}: {group}', and: ' and ',
    offline: 'You are offline.', unreachable: 'The suggestions cannot be updated now.',
    kept: 'This is the list of {time}.', waiting: '{count} of your actions will be sent later.',
    signIn: 'Please sign in again.', refused: 'An action was not accepted: {group}.', empty: 'No suggestions yet.',
    undone: '{group} is back.', loading: 'Loading…',
};

/** The longest sides of a photo's sizes, by the text that replaces `{size}` in its address. */
const standardSizes = { t: 100, m: 240, n: 320, z: 640, c: 800, b: 1024 };

const css = `
:host { display: block; container-type: inline-size; font: var(--coterie-font, inherit);
    color: var(--coterie-text, light-dark(#1b1d21, #eceef2)); --muted: var(--coterie-muted, light-dark(#565b64, #b0b6c0));
    --accent: var(--coterie-accent, light-dark(#0b57b0, #8fc1ff));
    --on-accent: var(--coterie-on-accent, light-dark(#fff, #0c1a2b));
    --line: var(--coterie-line, light-dark(#d5d8de, #3b4049)); --radius: var(--coterie-radius, 8px);
    --gap: var(--coterie-gap, 20px); }
:host([hidden]) { display: none; }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
.all { background: var(--coterie-background, light-dark(#fff, #17191d)); padding: var(--coterie-padding, 0); }
article { padding-block: var(--gap); border-block-end: 1px solid var(--line); }
.title { font-size: 1.15em; font-weight: bold; overflow-wrap: anywhere; }
.title a { color: inherit; }
p { margin: .25em 0; color: var(--muted); overflow-wrap: anywhere; }
.strip { position: relative; margin-block: .6em; overflow: hidden; }
img { position: absolute; object-fit: cover; background: var(--line); border-radius: calc(var(--radius) / 2); }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-block-start: .6em; }
button { font: inherit; min-block-size: 36px; padding: 4px 14px; border-radius: var(--radius); cursor: pointer;
    border: 1px solid var(--line); background: transparent; color: inherit; overflow-wrap: anywhere; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.stub { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.stub p { margin: 0; }
ul { margin: .5em 0; padding-inline-start: 1.4em; color: var(--muted); }
.more { margin-block: var(--gap); inline-size: 100%; }
.notice:not(:empty) { padding: 8px 12px; border: 1px solid var(--line); border-radius: var(--radius); }
.said { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
@media (prefers-reduced-motion: no-preference) {
    article { animation: appear .25s ease-out; }
    @keyframes appear { from { opacity: 0; } }
}`;

/** What survives a reload: the list and the actions that the daemon does not have yet, each under a key of its own. */
class Storage {
    static #memories = new Map();
    #memory;
    #prefix;
    /** The member, and the address of the member's routes. */
    member;
    address;

    constructor(source, member) {
        this.#prefix = `coterie-groups ${source} ${member} `;
        if (!Storage.#memories.has(this.#prefix)) Storage.#memories.set(this.#prefix, new Map());
        this.#memory = Storage.#memories.get(this.#prefix);
        this.member = member;
        this.address = `${source.replace(/\/$/, '')}/v1/users/${encodeURIComponent(member)}/`;
    }

    owns(key) { return key === null || key.startsWith(this.#prefix); }
    get(name) {
        let text = this.#memory.get(name);
        try { text ??= localStorage.getItem(this.#prefix + name); } catch { /* The browser keeps nothing. */ }
        try { return text == null ? null : JSON.parse(text); } catch { return null; }
    }
    set(name, value) {
        const text = JSON.stringify(value);
        try {
            localStorage.setItem(this.#prefix + name, text);
            this.#memory.delete(name);
        } catch { this.#memory.set(name, text); }
    }
    remove(name) {
        this.#memory.delete(name);
        try { localStorage.removeItem(this.#prefix + name); } catch { /* There is nothing to remove. */ }
    }
    names() {
        let keys = [];
        try { keys = Object.keys(localStorage).filter(key => this.owns(key)); } catch { /* Only the memory is left. */ }
        return [...new Set([...keys.map(key => key.slice(this.#prefix.length)), ...this.#memory.keys()])];
    }
    // One key for each action: two tabs that write at the same time lose nothing.
    actions() {
        return this.names().filter(name => name.startsWith('action ')).map(name => this.get(name)).filter(Boolean)
            .sort((one, other) => one.atMilliseconds - other.atMilliseconds || (one.id < other.id ? -1 : 1));
    }
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

/** A failed request; `status` is 0 if the daemon could not be reached. */
class Failure extends Error {
    constructor(status, problem = {}) {
        super(problem?.detail ?? `status ${status}`);
        Object.assign(this, { status, problem: problem ?? {} });
    }
}

/** The states of a group after an action of the member. */
const stateAfter = { join: 'joined', dismiss: 'dismissed', leave: 'recommended', undismiss: 'recommended' };

export class CoterieGroups extends HTMLElement {
    static observedAttributes = ['src', 'member'];

    #root = this.attachShadow({ mode: 'open' });
    #storage;
    #view;
    #acted = new Map();
    #elements = new Map();
    #token = null;
    #texts = standardTexts;
    #sizes = standardSizes;
    #trouble = null;
    #refused = new Map();
    #syncing = null;
    #syncsAgain = false;
    #pagesByScrolling = 0;
    #stops = null;
    #timer;
    #parts = {};

    constructor() {
        super();
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        this.#root.adoptedStyleSheets = [sheet];
        const { list, notice, said, more, end } = this.#parts = {
            notice: make('p', { class: 'notice', part: 'notice', role: 'status' }),
            list: make('div', { part: 'list', role: 'feed' }),
            said: make('p', { class: 'said', role: 'status' }),
            more: make('button', { class: 'more', part: 'button more', type: 'button', onclick: () => this.#next(true) }),
            end: make('div'),
        };
        list.addEventListener('keydown', event => this.#turn(event));
        this.#root.append(make('div', { class: 'all', part: 'all' }, notice, list, more, end, said));
        new ResizeObserver(() => this.#layOut()).observe(list);
        new IntersectionObserver(([entry]) => {
            // After three pages the button is left, so that the end of the site's page can be reached.
            if (entry.isIntersecting && this.#pagesByScrolling < 3 && !this.hasAttribute('no-scroll')) {
                this.#next(false).then(came => { if (came) this.#pagesByScrolling += 1; });
            }
        }, { rootMargin: '200px' }).observe(end);
    }

    /** A function that returns the member's token, or a promise of it; it gets `{isRefused}`. */
    get token() { return this.#token; }
    set token(callback) {
        if (callback != null && typeof callback !== 'function') throw new TypeError('token must be a function');
        this.#token = callback;
        if (this.isConnected) { if (this.#storage) this.sync(); else this.#open(); }
    }
    get texts() { return this.#texts; }
    set texts(texts) {
        this.#texts = { ...standardTexts, ...texts };
        this.#elements.clear();
        this.#parts.list.replaceChildren();
        this.#show();
    }
    get sizes() { return this.#sizes; }
    set sizes(sizes) { this.#sizes = sizes; }

    connectedCallback() {
        // What a site has set before this module came.
        for (const name of ['token', 'texts', 'sizes'].filter(name => Object.hasOwn(this, name))) {
            const value = this[name];
            delete this[name];
            this[name] = value;
        }
        this.#stops = new AbortController();
        const { signal } = this.#stops;
        for (const name of ['online', 'offline']) addEventListener(name, () => this.sync(), { signal });
        // Another tab of the site has done something.
        addEventListener('storage', event => {
            if (!this.#storage?.owns(event.key)) return;
            this.#view = this.#storage.get('view') ?? {};
            this.#show();
        }, { signal });
        document.addEventListener('visibilitychange', () => { if (!document.hidden) this.sync(); }, { signal });
        this.#timer = setInterval(() => { if (!document.hidden) this.sync(); }, 60_000);
        this.#open();
    }
    disconnectedCallback() {
        this.#stops?.abort();
        this.#stops = null;
        clearInterval(this.#timer);
    }
    // Before the element is connected, its attributes are read once, by `connectedCallback`.
    attributeChangedCallback(name, before, after) { if (this.#stops && before !== after) this.#open(); }

    /** Removes all that this browser keeps of the member; call it when the member signs out. */
    forget() {
        for (const name of this.#storage?.names() ?? []) this.#storage.remove(name);
        this.#storage = null;
        this.#view = {};
        this.#acted.clear();
        this.#show();
    }

    #open() {
        const [source, member] = [this.getAttribute('src'), this.getAttribute('member')];
        this.#acted.clear();
        this.#view = {};
        this.#storage = source !== null && member ? new Storage(source, member) : null;
        if (!this.#storage) return this.#show();
        if (!this.#storage.get('session')) this.#storage.set('session', newID());
        this.#view = this.#storage.get('view') ?? {};
        this.#view.isOld = true;
        this.#show();
        // The scripts of a page that loads may set the token yet; doing so is a start, too.
        const isReady = this.#token || document.readyState === 'complete';
        if (isReady) queueMicrotask(() => this.sync());
        else addEventListener('load', () => this.sync(), { once: true, signal: this.#stops.signal });
    }

    // What the daemon has.

    async #request(storage, path, options = {}, isRefused = false) {
        const headers = { Accept: 'application/json' };
        if (options.body) headers['Content-Type'] = 'application/json';
        if (this.#token) {
            let token;
            try { token = await Promise.race([this.#token({ member: storage.member, isRefused }),
                new Promise((_, refuse) => setTimeout(refuse, 15_000))]); } catch { throw new Failure(0); }
            if (token) headers.Authorization = `Bearer ${token}`;
        }
        let response;
        try {
            const signal = AbortSignal.timeout(15_000);
            response = await fetch(storage.address + path, { ...options, headers, credentials: 'omit', signal });
        } catch { throw new Failure(0); }
        if (response.status === 401 && this.#token && !isRefused) return this.#request(storage, path, options, true);
        let body;
        try { body = await response.json(); } catch { throw new Failure(response.ok ? 0 : response.status); }
        if (!response.ok) throw new Failure(response.status, body);
        return body;
    }

    #list(storage, limit, after) {
        const query = new URLSearchParams({ limit, session: storage.get('session'), ...(after ? { after } : {}) });
        const photos = this.getAttribute('photos');
        if (photos !== '0') query.set('photos', photos ?? '8');
        return this.#request(storage, `recommendations?${query}`);
    }

    get #pageLength() { return Math.max(1, Math.min(50, Number(this.getAttribute('limit')) || 6)); }

    /** Sends what waits, and takes over what the daemon has; at most once at a time. */
    sync() {
        if (!this.#storage || !this.isConnected) return Promise.resolve();
        this.#syncsAgain = this.#syncing !== null;
        return this.#syncing ??= this.#rounds().finally(() => { this.#syncing = null; });
    }

    async #rounds() {
        do {
            this.#syncsAgain = false;
            const storage = this.#storage;
            if (!storage) return;
            try {
                // A daemon that takes no actions now, as beyond a quota, still has a list.
                const [sent, refusal] = await this.#send(storage).catch(error => {
                    if (!error.status) throw error;
                    return [[], error];
                });
                const before = this.#view?.rows;
                const view = await this.#fetchView(storage);
                if (storage !== this.#storage || this.#view.rows !== before) {
                    this.#syncsAgain = true;
                    continue;
                }
                this.#view = view;
                // The list first: whoever reads between the two still sees the actions.
                storage.set('view', view);
                for (const id of sent) storage.remove(`action ${id}`);
                this.#trouble = refusal;
            } catch (error) {
                this.#trouble = error instanceof Failure ? error : new Failure(0);
            }
            if (storage === this.#storage) this.#show();
            else this.#syncsAgain = true;
        } while (this.#syncsAgain);
        this.dispatchEvent(new CustomEvent('coterie-sync', { detail: { isCurrent: this.#trouble === null } }));
    }

    /** Sends actions; returns the ids of those that the daemon has, or will never take. */
    async #send(storage) {
        const actions = storage.actions();
        const done = [];
        const post = batch => this.#request(storage, 'interactions', {
            method: 'POST', body: JSON.stringify({ interactions: batch.map(({ title, ...action }) => action) }) });
        for (let begin = 0; begin < actions.length; begin += 100) {
            const batch = actions.slice(begin, begin + 100);
            try { await post(batch); } catch (error) {
                if (!this.#isFinal(error)) throw error;
                // One bad action refuses its whole batch, so each is sent alone.
                for (const action of batch) {
                    try { await post([action]); } catch (error) {
                        if (!this.#isFinal(error)) return [done, error];
                        if (action.kind !== 'click') this.#refused.set(action.id, action.title);
                        this.#acted.delete(action.groupId);
                    }
                    done.push(action.id);
                }
                continue;
            }
            done.push(...batch.map(action => action.id));
        }
        return [done, null];
    }

    #isFinal(error) { return error.problem.status === error.status && [400, 404, 409, 413, 422].includes(error.status); }

    async #fetchView(storage) {
        const view = { ...this.#view };
        const changes = await this.#changes(storage, view);
        const rows = view.rows ?? [];
        const isSame = rows.length && rows.every((row, index) => row.groupId === changes.order[index]);
        if (view.isOld || !isSame) {
            const list = await this.#list(storage, Math.min(200, Math.max(this.#pageLength, rows.length)));
            Object.assign(view, { rows: list.recommendations, next: list.next, listID: list.recommendationId });
        }
        delete view.isOld;
        view.atMilliseconds = Date.now();
        return view;
    }

    /** Brings the states of groups up to date; returns the last answer. */
    async #changes(storage, view) {
        const session = storage.get('session');
        let answer;
        do {
            const limit = Math.min(200, Math.max(50, view.rows?.length ?? 0));
            const query = new URLSearchParams({ session, limit, ...(view.state ? { since: view.state } : {}) });
            try { answer = await this.#request(storage, `changes?${query}`); } catch (error) {
                if (!view.state || !/cannot-calculate-changes$/.test(error.problem?.type)) throw error;
                // The state is too old: everything is fetched again.
                delete view.state;
                answer = { hasMoreChanges: true };
                continue;
            }
            const states = view.state ? { ...view.states } : {};
            for (const id of answer.destroyed) delete states[id];
            for (const { groupId, state } of answer.groups) states[groupId] = state;
            // The daemon's clock orders the actions of all devices.
            Object.assign(view, { states, state: answer.newState, clock: answer.atMilliseconds - Date.now(), daemonTime: answer.atMilliseconds });
        } while (answer.hasMoreChanges);
        return answer;
    }

    async #next(byHand) {
        const { next, rows } = this.#view ?? {};
        if (!next || this.#parts.more.disabled) return false;
        const storage = this.#storage;
        this.#busy(true);
        let list;
        try { list = await this.#list(storage, this.#pageLength, next); } catch (error) {
            this.#trouble = error;
        }
        this.#busy(false);
        if (!list || storage !== this.#storage || this.#view.next !== next) {
            this.#show();
            return false;
        }
        const known = new Set(rows.map(row => row.groupId));
        const fresh = list.recommendations.filter(row => !known.has(row.groupId));
        this.#view = { ...this.#view, rows: [...rows, ...fresh], next: list.next };
        storage.set('view', this.#view);
        this.#trouble = null;
        this.#show();
        if (byHand && fresh.length) this.#elements.get(fresh[0].groupId)?.focus();
        return true;
    }

    #busy(isBusy) {
        this.#parts.more.disabled = isBusy;
        this.#parts.list.setAttribute('aria-busy', isBusy);
        this.#parts.more.textContent = isBusy ? this.#texts.loading : this.#texts.more;
    }

    // What the member does.

    #act(row, kind) {
        const isStatus = kind !== 'click';
        const last = this.#storage.actions().at(-1)?.atMilliseconds ?? 0;
        const action = {
            id: newID(), kind, groupId: row.groupId, title: nameOf(row),
            atMilliseconds: Math.max(Math.round(Date.now() + (this.#view.clock ?? 0)), last + 1, (this.#view.daemonTime ?? 0) + 1),
            recommendationId: this.#view.listID, position: row.rank, origin: row.origin,
        };
        this.#refused.clear();
        this.#storage.set(`action ${action.id}`, action);
        if (isStatus) {
            const index = this.#shown().findIndex(other => other.groupId === row.groupId);
            this.#acted.set(row.groupId, { row, index, kind });
            this.#show();
            this.#elements.get(row.groupId)?.querySelector('.actions button, .stub button')?.focus();
            this.#say(stateAfter[kind] === 'recommended' ? 'undone' : this.#outcome(row, kind), row);
        }
        const name = { join: 'join', dismiss: 'dismiss', click: 'click' }[kind] ?? 'undo';
        this.dispatchEvent(new CustomEvent(`coterie-${name}`, {
            bubbles: true, composed: true,
            detail: { kind, groupId: row.groupId, title: row.title, joinPolicy: row.joinPolicy } }));
        if (isStatus) this.sync();
    }

    #outcome(row, kind) { return kind === 'dismiss' ? 'dismissed' : row.joinPolicy === 'approval' ? 'asked' : 'joined'; }
    #say(text, row) { this.#parts.said.textContent = fill(this.#texts[text], { group: isolated(nameOf(row)) }); }

    /** The state of each group: the daemon's, with the member's own actions on top. */
    #states() {
        const states = new Map(Object.entries(this.#view.states ?? {}));
        for (const { groupId, kind } of this.#storage?.actions() ?? []) {
            if (stateAfter[kind]) states.set(groupId, stateAfter[kind]);
        }
        return states;
    }

    /** The groups to show: the list, and those in their old places that the member has just acted on. */
    #shown() {
        const states = this.#states();
        const waiting = new Set((this.#storage?.actions() ?? []).map(action => action.groupId));
        const stateOf = id => states.get(id) ?? 'recommended';
        const shown = (this.#view.rows ?? []).filter(({ groupId }) =>
            stateOf(groupId) === 'recommended' || waiting.has(groupId) || this.#acted.has(groupId));
        for (const [id, { row, index }] of [...this.#acted].sort((one, other) => one[1].index - other[1].index)) {
            if (!shown.some(other => other.groupId === id)) shown.splice(Math.min(index, shown.length), 0, row);
        }
        return shown.map(row => ({ ...row, state: stateOf(row.groupId) }));
    }

    // What is on the page.

    #show() {
        const { list, notice, more } = this.#parts;
        const texts = this.#texts;
        list.setAttribute('aria-label', texts.label);
        const shown = this.#view && this.#storage ? this.#shown() : [];
        const focused = this.#root.activeElement?.closest('article');
        const kept = new Map();
        shown.forEach((row, index) => {
            let element = this.#elements.get(row.groupId);
            const content = JSON.stringify([row.state, row.title, row.url, row.reasons, row.photos]);
            if (element?.content !== content) {
                const old = element;
                element = this.#article(row);
                element.content = content;
                old?.replaceWith(element);
            }
            kept.set(row.groupId, element);
            element.setAttribute('aria-posinset', index + 1);
            element.setAttribute('aria-setsize', this.#view.next ? -1 : shown.length);
            if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
        });
        while (list.children.length > shown.length) list.lastChild.remove();
        this.#elements = kept;
        if (focused && !this.#root.activeElement) {
            const same = [...kept.values()].find(element => element.dataset.group === focused.dataset.group);
            (same?.querySelector('button') ?? list.firstChild)?.focus();
        }
        if (!this.#parts.more.disabled) more.textContent = texts.more;
        more.hidden = !this.#view?.next;
        const words = this.#notice(shown);
        if (notice.textContent !== words) notice.textContent = words;
        this.#layOut();
    }

    #notice(shown) {
        const texts = this.#texts;
        const words = [];
        const trouble = this.#trouble;
        const waiting = this.#storage?.actions().filter(action => stateAfter[action.kind]).length ?? 0;
        if (trouble) {
            const signIn = trouble.status === 401 || trouble.status === 403;
            words.push(signIn ? texts.signIn : navigator.onLine ? texts.unreachable : texts.offline);
            const at = this.#view.atMilliseconds;
            if (at) {
                const time = new Intl.DateTimeFormat(this.lang || document.documentElement.lang || undefined,
                    { dateStyle: 'medium', timeStyle: 'short' }).format(at);
                words.push(fill(texts.kept, { time: isolated(time) }));
            }
            if (waiting) words.push(fill(texts.waiting, { count: waiting }));
        } else if (!shown.length && this.#view?.atMilliseconds) words.push(texts.empty);
        for (const title of this.#refused.values()) words.push(fill(texts.refused, { group: isolated(title) }));
        return words.join(' ');
    }

    #article(row) {
        const texts = this.#texts;
        const id = `group-${newID()}`;
        const button = (text, part, act, attributes = {}) => make('button', {
            type: 'button', part: `button ${part}`, onclick: act,
            'aria-label': fill(texts.joinOf, { action: text, group: isolated(nameOf(row)) }), ...attributes }, text);
        const article = make('article', { part: 'group', tabindex: '0', 'data-group': row.groupId, 'aria-labelledby': id });
        if (row.state !== 'recommended') {
            const kind = row.state === 'joined' ? 'join' : 'dismiss';
            const text = fill(texts[this.#outcome(row, kind)], { group: isolated(nameOf(row)) });
            article.append(make('div', { class: 'stub', part: 'stub' }, make('p', { id }, text),
                button(texts.undo, 'undo', () => this.#act(row, kind === 'join' ? 'leave' : 'undismiss'))));
            return article;
        }
        const address = this.#address(row.url);
        const title = address
            ? make('a', { href: address, onclick: () => this.#act(row, 'click') }, make('bdi', {}, nameOf(row)))
            : make('bdi', {}, nameOf(row));
        const details = make('ul', { id: `${id}-why`, hidden: '', part: 'reasons' },
            ...this.#reasons(row).map(text => make('li', {}, text)));
        const facts = ['members', 'photos'].map(name => [texts[name], row[`${name.slice(0, -1)}Count`]])
            .filter(([, count]) => count).map(([text, count]) => fill(text, { count: count.toLocaleString(this.lang || undefined) }));
        const why = button(texts.why, 'why-button', () => {
            details.hidden = !details.hidden;
            why.setAttribute('aria-expanded', !details.hidden);
        }, { 'aria-expanded': 'false', 'aria-controls': `${id}-why` });
        const strip = row.photos?.length ? make('div', { class: 'strip', part: 'photos' }) : null;
        if (strip) {
            strip.photos = row.photos.filter(photo => this.#address(photo.url));
            strip.ratios = strip.photos.map(({ width, height }) => width > 0 && height > 0 ? width / height : 1);
        }
        article.append(
            make('div', { id, class: 'title', part: 'title', role: 'heading',
                'aria-level': this.getAttribute('heading-level') ?? '3' }, title),
            make('p', { part: 'why' }, this.#why(row)),
            ...(facts.length ? [make('p', { part: 'facts' }, facts.join(' · '))] : []),
            ...(strip ? [strip] : []),
            make('div', { class: 'actions', part: 'actions' },
                // One gets into some groups by invitation only.
                row.joinPolicy === 'invite' ? null : button(row.joinPolicy === 'approval' ? texts.ask : texts.join, 'join',
                    () => this.#act(row, 'join'), { class: 'main' }),
                button(texts.dismiss, 'dismiss', () => this.#act(row, 'dismiss')), why),
            details);
        return article;
    }

    #names(groups) {
        const names = groups.slice(0, 2).map(group => isolated(nameOf(group)));
        return names.join(this.#texts.and);
    }

    #why(row) {
        const texts = this.#texts;
        const isJoined = ({ groupId }) => this.#view.states?.[groupId] === 'joined';
        const joined = (row.reasons ?? []).filter(isJoined);
        if (joined.length) return fill(texts.personal, { groups: this.#names(joined) });
        // Favourites point to groups that the member is not in.
        if (row.reasons?.length) return fill(texts.related, { group: this.#names(row.reasons) });
        if (row.statedInterests?.length) {
            return fill(texts.topic, { topics: row.statedInterests.slice(0, 2).map(isolated).join(texts.and) });
        }
        return texts[row.origin] && row.origin !== 'personal' && row.origin !== 'topic' ? texts[row.origin] : texts.popular;
    }

    #reasons(row) {
        const texts = this.#texts;
        const lines = (row.reasons ?? []).map(reason => fill(
            texts[{ members: 'shared', photos: 'alike' }[reason.relation] ?? 'related'],
            { count: reason.common, group: isolated(nameOf(reason)) }));
        if (row.interest) lines.push(fill(texts.interest, { interest: isolated(row.interest) }));
        if (row.statedInterests?.length) {
            lines.push(fill(texts.topic, { topics: row.statedInterests.map(isolated).join(texts.and) }));
        }
        return lines.length ? lines : [this.#why(row)];
    }

    /** Returns an address for a link or picture, or null if it is none of http. */
    #address(text) {
        try {
            const address = new URL(text, document.baseURI);
            return text && /^https?:$/.test(address.protocol) ? address.href : null;
        } catch { return null; }
    }

    #layOut() {
        const width = this.#parts.list.clientWidth;
        const rowHeight = parseFloat(getComputedStyle(this).getPropertyValue('--coterie-row-height')) || 150;
        if (width) for (const strip of this.#root.querySelectorAll('.strip')) this.#layOutStrip(strip, width, rowHeight);
    }

    #layOutStrip(strip, width, rowHeight) {
        const key = [width, rowHeight, ...strip.ratios].join();
        if (strip.key === key) return;
        strip.key = key;
        const options = { width, padding: 0, spacing: 4, rowHeight };
        let layout = justify(strip.ratios, { ...options, showsWidows: false });
        // A strip ends with a whole row, unless it has none.
        if (!layout.boxes.length) layout = justify(strip.ratios, options);
        strip.style.blockSize = `${Math.max(0, layout.height)}px`;
        strip.images ??= new Map();
        strip.photos.forEach((photo, index) => {
            const box = layout.boxes[index];
            let image = strip.images.get(photo);
            if (!box) return image?.remove();
            if (!image) {
                image = make('img', { part: 'photo', alt: '', loading: 'lazy', decoding: 'async',
                    onload: () => this.#measured(strip, photo, image), onerror: () => this.#failed(strip, photo) });
                strip.images.set(photo, image);
                image.src = this.#photoAddress(photo, box);
            }
            const { style } = image;
            style.insetInlineStart = `${box.left}px`;
            style.insetBlockStart = `${box.top}px`;
            style.inlineSize = `${box.width}px`;
            style.blockSize = `${box.height}px`;
            if (image.parentNode !== strip) strip.append(image);
        });
    }

    #photoAddress(photo, box) {
        const wanted = Math.max(box.width, box.height) * (devicePixelRatio || 1);
        const sizes = Object.entries(this.#sizes).sort((one, other) => one[1] - other[1]);
        const [size] = sizes.find(([, side]) => side >= wanted) ?? sizes.at(-1) ?? [''];
        return this.#address(photo.url.replaceAll('{size}', encodeURIComponent(size)));
    }

    /** A photo without sizes gets its place again when its picture shows them. */
    #measured(strip, photo, image) {
        if ((photo.width > 0 && photo.height > 0) || !image.naturalHeight) return;
        strip.ratios[strip.photos.indexOf(photo)] = image.naturalWidth / image.naturalHeight;
        this.#layOut();
    }

    /** A picture that does not exist leaves its row; one that cannot be fetched without a network keeps its place. */
    #failed(strip, photo) {
        const index = strip.photos.indexOf(photo);
        if (!navigator.onLine || index < 0) return;
        strip.images.get(photo)?.remove();
        strip.photos.splice(index, 1);
        strip.ratios.splice(index, 1);
        if (strip.photos.length) this.#layOut();
        else strip.remove();
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
