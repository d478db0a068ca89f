// Draws the map of all groups on a canvas. The page has the same groups in tables.
const EXTENT = 1e6;
const MOST_ZOOM = 400;

/** Fills the figure with the map, whose groups come in parts from the address that the figure names. */
export async function drawMap(figure) {
    figure.innerHTML = `
        <form><label for="map-words">Find a group</label> <input id="map-words" type="search"
        list="map-names" autocomplete="off"><datalist id="map-names"></datalist> <button>Find</button></form>
        <div class="actions"><button type="button" data-zoom="1.6" aria-label="Zoom in">+</button><button type="button"
        data-zoom="0.625" aria-label="Zoom out">−</button><button type="button" data-zoom="0">All</button></div>
        <canvas tabindex="0" role="application" aria-describedby="map-help" aria-label="Map of all groups"></canvas>
        <figcaption><p id="map-chosen" role="status"></p><p id="map-help">Drag to move; two fingers zoom. Arrow keys go
        from group to group, + and − zoom, 0 shows all, and Enter opens the group. The table below leads to the same
        groups.</p></figcaption>`;
    figure.hidden = false;
    const canvas = figure.querySelector('canvas');
    const words = figure.querySelector('input');
    const chosenLine = figure.querySelector('#map-chosen');
    const style = getComputedStyle(figure);
    const colours = style.getPropertyValue('--dots').trim().split(' ');
    const groups = [];
    // The largest group of each region, by the region's number.
    const regions = new Map();
    // The middle of what is seen, on the map, and the magnification.
    let whole = { x: EXTENT / 2, y: EXTENT / 2, zoom: 1 };
    let view = whole;
    let chosen = null;
    let isDue = false;

    const name = group => group.title || group.groupId;
    const scale = () => Math.min(canvas.clientWidth, canvas.clientHeight) / EXTENT * 0.94 * view.zoom;
    const place = group => ({
        x: canvas.clientWidth / 2 + (group.x - view.x) * scale(),
        y: canvas.clientHeight / 2 + (group.y - view.y) * scale(),
    });
    const radius = group => Math.min(12, (1.2 + Math.sqrt(group.memberCount) / 25) * Math.sqrt(view.zoom));

    function redraw() {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => { isDue = false; draw(); });
    }

    function draw() {
        const { clientWidth: width, clientHeight: height } = canvas;
        const ratio = devicePixelRatio || 1;
        canvas.width = width * ratio;
        canvas.height = height * ratio;
        const context = canvas.getContext('2d');
        context.scale(ratio, ratio);
        const seen = [];
        for (const group of groups) {
            const { x, y } = place(group);
            if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
            seen.push({ group, x, y });
            context.fillStyle = colours[group.regionId % colours.length];
            context.beginPath();
            context.arc(x, y, radius(group), 0, 2 * Math.PI);
            context.fill();
        }
        if (chosen) {
            const { x, y } = place(chosen);
            context.strokeStyle = style.color;
            context.lineWidth = 2;
            context.beginPath();
            context.arc(x, y, radius(chosen) + 4, 0, 2 * Math.PI);
            context.stroke();
        }
        const labels = view.zoom < 4
            ? [...regions.values()].map(largest => ({ text: largest.region, ...place(largest) }))
            : seen.slice(0, 400).map(({ group, x, y }) => ({ text: name(group), x, y: y - radius(group) - 4 }));
        if (chosen) labels.unshift({ text: name(chosen), x: place(chosen).x, y: place(chosen).y - radius(chosen) - 8 });
        write(context, labels);
    }

    /** Writes labels, the first ones first; one that would cover another one, or leave the frame, is left out. */
    function write(context, labels) {
        context.font = `13px ${style.fontFamily}`;
        context.textAlign = 'center';
        context.lineWidth = 3;
        context.fillStyle = style.color;
        context.strokeStyle = style.backgroundColor;
        const taken = [];
        for (const { text, x, y } of labels) {
            const short = text.length > 28 ? `${text.slice(0, 27)}…` : text;
            const half = context.measureText(short).width / 2 + 3;
            if (x < half || x > canvas.clientWidth - half || y < 16 || y > canvas.clientHeight - 4) continue;
            if (taken.some(box => Math.abs(box.x - x) < box.half + half && Math.abs(box.y - y) < 16)) continue;
            taken.push({ x, y, half });
            context.strokeText(short, x, y);
            context.fillText(short, x, y);
        }
    }

    function zoom(factor, at = view) {
        const next = Math.min(MOST_ZOOM, Math.max(1, view.zoom * factor));
        const part = view.zoom / next;
        view = factor === 0 ? whole
            : { x: at.x + (view.x - at.x) * part, y: at.y + (view.y - at.y) * part, zoom: next };
        redraw();
    }

    function choose(group) {
        chosen = group;
        const link = Object.assign(document.createElement('a'), {
            href: `/admin/groups/${encodeURIComponent(group.groupId)}`, textContent: name(group),
        });
        const isBeside = group.x === undefined;
        const where = isBeside ? 'beside the map: it has no neighbours' : `in ${group.region}`;
        chosenLine.replaceChildren(link, `, ${group.memberCount.toLocaleString('en')} members, ${where}`);
        if (isBeside) chosen = null;
        else {
            const { x, y } = place(group);
            const isSeen = x > 20 && y > 20 && x < canvas.clientWidth - 20 && y < canvas.clientHeight - 20;
            if (!isSeen) view = { ...view, x: group.x, y: group.y };
        }
        redraw();
    }

    /** Returns the group with the least distance, of those that have one. */
    function nearest(distance) {
        let [best, least] = [null, Infinity];
        for (const group of groups) {
            const value = distance(group);
            if (value < least) [best, least] = [group, value];
        }
        return best;
    }

    /** Chooses the nearest group in a direction: ahead counts once, aside twice. */
    function go(dx, dy) {
        const from = chosen ?? { x: view.x, y: view.y };
        const next = nearest(group => {
            const ahead = (group.x - from.x) * dx + (group.y - from.y) * dy;
            return ahead > 0 ? ahead + 2 * Math.abs((group.x - from.x) * dy + (group.y - from.y) * dx) : Infinity;
        });
        if (next) choose(next);
    }

    canvas.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        const factor = { '+': 1.6, '=': 1.6, '-': 0.625, 0: 0 }[event.key];
        if (arrow) go(...arrow);
        else if (factor !== undefined) zoom(factor, chosen ?? view);
        else if (event.key === 'Enter' && chosen) location.assign(chosenLine.querySelector('a').href);
        else return;
        event.preventDefault();
    });
    const onMap = event => {
        const box = canvas.getBoundingClientRect();
        return {
            x: view.x + (event.clientX - box.left - box.width / 2) / scale(),
            y: view.y + (event.clientY - box.top - box.height / 2) / scale(),
        };
    };
    canvas.addEventListener('wheel', event => {
        // Without the focus, the wheel moves the page.
        if (document.activeElement !== canvas && !event.ctrlKey) return;
        event.preventDefault();
        zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, onMap(event));
    }, { passive: false });
    // The places of the pointers that are down: one moves the map, and two zoom about their middle.
    const pointers = new Map();
    // The place of a press that may become a choice; null once it moves, or has a second pointer.
    let press = null;
    const apart = (one, other) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const grip = () => {
        const [first, second = first] = pointers.values();
        return {
            clientX: (first.clientX + second.clientX) / 2, clientY: (first.clientY + second.clientY) / 2,
            width: apart(first, second),
        };
    };
    canvas.addEventListener('pointerdown', event => {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        press = pointers.size === 0 ? event : null;
        pointers.set(event.pointerId, event);
    });
    canvas.addEventListener('pointermove', event => {
        if (!pointers.has(event.pointerId)) return;
        const before = grip();
        const held = onMap(before);
        pointers.set(event.pointerId, event);
        const after = grip();
        zoom(after.width / before.width || 1, held);
        const there = onMap(after);
        view = { ...view, x: view.x + held.x - there.x, y: view.y + held.y - there.y };
        if (press && apart(press, event) > 4) press = null;
    });
    canvas.addEventListener('pointerup', event => {
        if (!press) return;
        const from = onMap(event);
        const group = nearest(other => Math.hypot(other.x - from.x, other.y - from.y));
        if (group && Math.hypot(group.x - from.x, group.y - from.y) * scale() < 24) choose(group);
    });
    canvas.addEventListener('lostpointercapture', event => pointers.delete(event.pointerId));
    figure.querySelectorAll('[data-zoom]').forEach(button => {
        button.addEventListener('click', () => zoom(Number(button.dataset.zoom), chosen ?? view));
    });

    const all = [];
    const found = text => all.filter(group => name(group).toLowerCase().includes(text) || group.groupId === text);
    words.addEventListener('input', () => {
        const text = words.value.trim().toLowerCase();
        const matches = text.length < 2 ? [] : found(text).slice(0, 12);
        const options = matches.map(group => new Option(group.groupId, name(group)));
        figure.querySelector('datalist').replaceChildren(...options);
    });
    figure.querySelector('form').addEventListener('submit', event => {
        event.preventDefault();
        const text = words.value.trim().toLowerCase();
        const matches = text ? found(text) : [];
        const group = matches.find(match => name(match).toLowerCase() === text) ?? matches[0];
        if (!group) {
            chosenLine.textContent = 'No group has these words.';
            return;
        }
        if (group.x !== undefined) view = { x: group.x, y: group.y, zoom: Math.max(view.zoom, 8) };
        choose(group);
    });
    new ResizeObserver(redraw).observe(canvas);

    for (let after = ''; after !== undefined;) {
        const query = after && `?after=${encodeURIComponent(after)}`;
        const response = await fetch(figure.dataset.map + query).catch(() => null);
        const part = response?.ok && await response.json().catch(() => null);
        if (!part) {
            chosenLine.textContent = 'The map could not be read: reload the page.';
            return;
        }
        all.push(...part.groups);
        for (const group of part.groups) {
            if (group.x === undefined) continue;
            groups.push(group);
            const largest = regions.get(group.regionId);
            if (!largest || group.memberCount > largest.memberCount) regions.set(group.regionId, group);
        }
        after = part.next;
        redraw();
    }
    // Large groups are named first, and lie below small ones.
    groups.sort((left, right) => right.memberCount - left.memberCount);
    // The groups of a small community take a part of the square: that part is all there is to see.
    if (groups.length > 0 && view === whole) {
        const span = axis => groups.reduce(
            ([low, high], group) => [Math.min(low, group[axis]), Math.max(high, group[axis])], [EXTENT, 0]);
        const [[left, right], [top, bottom]] = [span('x'), span('y')];
        const { clientWidth: width, clientHeight: height } = canvas;
        const pixels = Math.min(width / (right - left + 1), height / (bottom - top + 1));
        const fit = pixels * EXTENT / Math.min(width, height);
        whole = { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.min(8, Math.max(1, fit * 0.9)) };
        view = whole;
    }
    redraw();
}
