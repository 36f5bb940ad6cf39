// The building blocks of the screens: rows, lists, dialogs, forms, menus, messages, fields.
import { h, icon, state, tell, watch, texts } from './core.js'
import { explain } from './server.js'

const t = texts({
  clock: 'Time of day', closed: 'Closed without saving.',
  fill: 'Fill in: {what}', invalid: 'This does not fit: {what}',
})

// Rows

/// One row. `lead` and `action` are elements; `mark` is an icon before the title; `details` are
/// elements, texts, or nothing; `open` is a path (`tasks/ID`) or a function; `menu()` returns items for
/// `menu`; `keys` maps keys to functions; `swipe` is `[label, act]`; `state` are classes.
export function row({ key, lead, title, mark, details = [], action, open, menu: items, keys = {}, swipe, state = '', label }) {
  const name = [mark && icon(mark), h('span.text', title)]
  const named = typeof open == 'string' ? h('a.title', { href: '#' + open, 'aria-label': label }, name)
    : open ? h('button.title', { onclick: open, 'aria-label': label }, name) : h('span.title', { tabindex: '0', role: 'group', 'aria-label': label }, name)
  const more = items && h('button.more.quiet', { 'aria-label': t('more'), tabindex: '-1', onclick: event => menu(items(), event) }, icon('more'))
  const element = h('div', { role: 'listitem', class: ('row ' + state).trim(), 'data-key': key }, lead,
    h('div.body', named, details.some(Boolean) && h('div.details', details.filter(Boolean).map(each => typeof each == 'string' ? h('span', each) : each))),
    action, more)
  element.onkeydown = event => {
    const act = { ArrowDown: () => step(element, 1), ArrowUp: () => step(element, -1), ...keys }[event.key]
    if (act && event.target == named) { event.preventDefault(); act(event) }
  }
  if (items) element.oncontextmenu = event => { event.preventDefault(); menu(items(), event) }
  if (swipe) swipes(element, ...swipe)
  return element
}

function step(from, by) {
  const rows = [...(from.closest('.groups') ?? from.closest('.card')).querySelectorAll('.row')], title = rows[rows.indexOf(from) + by]?.querySelector('.title')
  title?.focus()
  title?.scrollIntoView({ block: 'nearest' })
}

const controls = row => [...row.querySelectorAll('a, button, input')]
/// Keeps the focus on its row and control while `act(key)` draws rows of `root` anew. If the row goes, it moves to the next.
function keepingFocus(root, act) {
  const { activeElement } = document, from = root.contains(activeElement) ? activeElement.closest('.row') : null
  if (!from) return act()
  const order = [...root.querySelectorAll('.row')].map(each => each.dataset.key), kept = from.dataset.key, here = order.indexOf(kept), at = controls(from).indexOf(activeElement)
  const isSeen = activeElement.matches(':focus-visible')
  act(kept)
  if (root.contains(document.activeElement)) return
  const found = [kept, ...order.slice(here + 1), ...order.slice(0, here).reverse()].map(each => root.querySelector(`.row[data-key="${CSS.escape(each)}"]`)).find(Boolean)
  if (!found) return
  const control = found.dataset.key == kept && controls(found)[at] || found.querySelector('.title')
  control.focus({ preventScroll: true })
  if (isSeen) found.scrollIntoView({ block: 'nearest' })
}
let awaited
/// Focuses the row with a key, once it is there; unless the owner does something before.
export function focusRow(key) { awaited = key; meet() }
function meet() {
  const title = awaited != null && document.querySelector(`.list .row[data-key="${CSS.escape(awaited)}"] .title`)
  if (!title) return
  awaited = null
  title.focus()
}
watch('back', focusRow)
for (const each of ['pointerdown', 'keydown']) addEventListener(each, () => { awaited = null }, { capture: true, passive: true })

/// A row that can be swiped. Beyond 96 px it acts.
function swipes(element, label, act) {
  let start
  const along = () => (getComputedStyle(element).direction == 'rtl' ? -1 : 1)
  element.dataset.swipe = label
  element.onpointerdown = event => { if (event.pointerType == 'touch') start = event }
  element.onpointermove = event => {
    if (!start || event.pointerId != start.pointerId) return
    const moved = (event.clientX - start.clientX) * along()
    if (moved > -12) return
    if (!element.classList.contains('drawn')) element.setPointerCapture(event.pointerId)
    element.classList.add('drawn')
    element.classList.toggle('enough', moved < -96)
    element.style.setProperty('--drawn', `${moved * along()}px`)
  }
  element.onpointerup = element.onpointercancel = event => {
    const enough = start && event.type == 'pointerup' && element.classList.contains('enough')
    start = null
    setTimeout(() => element.classList.remove('drawn', 'enough'))
    element.style.removeProperty('--drawn')
    if (enough) act()
  }
  element.addEventListener('click', event => { if (element.classList.contains('drawn')) { event.preventDefault(); event.stopPropagation() } }, true)
}

/// A round checkbox that marks something as done.
export const tick = (label, done, change) => {
  const box = h('input.tick', { type: 'checkbox', 'aria-label': label, onchange: () => change(box.checked) })
  box.checked = done
  return box
}

/// A list of any length; only rows near the viewport are in the document. `draw(item)` makes a row
/// whose `key` is `item[key]`. `update([{ id, title, items, state }])` shows the groups. An equal
/// item keeps its element.
export function list(draw, { key = 'id', height = 73, signal, label } = {}) {
  const root = h('div.groups'), groups = new Map(), rows = new Map(), size = 15
  const watcher = new IntersectionObserver(entries => {
    for (const { target, isIntersecting, boundingClientRect } of entries) isIntersecting ? fill(target) : empty(target, boundingClientRect.height)
    // A small page empties the list that a detail covers.
    meet()
  }, { rootMargin: '900px 0px' })
  signal?.addEventListener('abort', () => watcher.disconnect())

  function rowOf(item) {
    const text = JSON.stringify(item), old = rows.get(item[key])
    if (old?.text == text) return old.element
    const element = draw(item)
    rows.set(item[key], { text, element })
    return element
  }
  function fill(chunk) {
    const { items, first, total } = chunk.range
    const wanted = items.map(rowOf)
    if (total > size) wanted.forEach((each, index) => { each.ariaSetSize = total; each.ariaPosInSet = first + index + 1 })
    chunk.filled = true
    chunk.style.removeProperty('--height')
    if (wanted.length != chunk.children.length || wanted.some((each, index) => each != chunk.children[index])) chunk.replaceChildren(...wanted)
  }
  function empty(chunk, height) {
    if (!chunk.filled || chunk.contains(document.activeElement)) return
    for (const each of chunk.range.items) rows.delete(each[key])
    chunk.filled = false
    chunk.style.setProperty('--height', `${height}px`)
    chunk.replaceChildren()
  }
  function chunkOf(group, index) {
    const chunk = group.chunks[index] ?? h('div.chunk', { role: 'none' })
    if (!group.chunks[index]) { group.body.append(chunk); group.chunks.push(chunk); watcher.observe(chunk) }
    return chunk
  }
  return {
    root,
    update: next => { keepingFocus(root, kept => arrange(next, kept)); meet() },
    /// Redraws the row of an item, or all rows.
    redraw(id) {
      if (id == null) rows.clear()
      else rows.delete(id)
      keepingFocus(root, () => { for (const group of groups.values()) for (const chunk of group.chunks) if (chunk.filled) fill(chunk) })
    },
  }
  // The row `kept` is drawn wherever it is.
  function arrange(next, kept) {
    let budget = 14
    for (const [id, group] of groups) if (!next.some(each => each.id == id)) { group.root.remove(); groups.delete(id) }
    next.forEach(({ id, title, items, state }, place) => {
      if (!groups.has(id)) {
        const heading = h('h2'), body = h('div.card', { role: 'list' })
        groups.set(id, { root: h('section.group', heading, body), heading, body, chunks: [] })
      }
      const group = groups.get(id)
      if (root.children[place] != group.root) root.insertBefore(group.root, root.children[place] ?? null)
      group.root.className = ('group ' + (state ?? '')).trim()
      group.heading.textContent = title ?? ''
      group.heading.hidden = !title
      group.body.setAttribute('aria-label', title ?? label ?? '')
      const count = Math.ceil(items.length / size)
      while (group.chunks.length > count) { const chunk = group.chunks.pop(); watcher.unobserve(chunk); chunk.remove() }
      for (let index = 0; index < count; index++) {
        const chunk = chunkOf(group, index), part = items.slice(index * size, (index + 1) * size)
        chunk.range = { items: part, first: index * size, total: items.length }
        if (chunk.filled || budget > 0 || kept != null && part.some(each => each[key] == kept)) fill(chunk)
        else chunk.style.setProperty('--height', `${part.length * height}px`)
        budget -= part.length
      }
    })
  }
}

/// The text of an empty screen, and a button for the next step (or an element).
export const empty = (sentence, label, act) => h('div.empty', h('p', sentence), act ? h('button.main', { onclick: act }, label) : label)

// Dialogs, menus and messages

/// Opens a dialog; `build(close)` returns its content. The kind `secret` closes when texts are
/// hidden; `held` stays until its content closes it, also when the vault is locked. Resolves to the
/// argument of `close`.
export function dialog(title, build, kind = '') {
  return new Promise(done => {
    let answer
    const back = document.activeElement
    const close = value => { answer = value; element.close() }
    const heading = h('h2', { id: 'dialog-title' }, title)
    const element = h('dialog', { class: kind || null, 'aria-labelledby': 'dialog-title' }, heading)
    element.append(...[build(close, element)].flat(2).filter(Boolean))
    element.onclose = () => { ended.abort(); element.remove(); if (document.activeElement == document.body) back?.focus({ preventScroll: true }); done(answer) }
    element.onclick = event => { if (event.target == element && kind == 'menu') element.close() }
    const ended = new AbortController()
    if (kind == 'held') {
      element.setAttribute('closedby', 'none')
      element.oncancel = event => event.preventDefault()
    } else watch('end', () => element.close(), ended.signal)
    if (kind == 'secret') watch('hide', () => element.close(), ended.signal)
    document.body.append(element)
    element.showModal()
  })
}

/// Fields, and a button of the class `main` that Enter in a field clicks. It is not the element form: a browser has nothing to submit,
/// and so nothing that it offers to save.
export function fields(name, ...children) {
  const element = h(name, ...children)
  element.classList.add('form')
  element.addEventListener('keydown', event => {
    if (event.key != 'Enter' || event.isComposing || event.defaultPrevented || !event.target.matches('input:not([type=checkbox], [type=file])')) return
    event.preventDefault()
    element.querySelector('button.main, button.send').click()
  })
  return element
}

/// The sentence for the first field that is empty or impossible, which gets the focus; undefined if there is none.
export function gap(root) {
  const found = [...root.querySelectorAll('input, textarea, select')].find(each => each.checkVisibility() && !each.checkValidity())
  found?.focus()
  return found && t(found.validity.valueMissing ? 'fill' : 'invalid', { what: found.labels?.[0]?.innerText ?? found.ariaLabel ?? '' })
}

/// A field for a secret: text that is drawn as dots, since browsers offer to save what is typed into a password field.
/// Without that way of drawing it is a password field.
export const masked = more => h('input.masked', { type: CSS.supports('-webkit-text-security', 'disc') ? 'text' : 'password', required: true, autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', writingsuggestions: 'false',
  oncopy: stay, oncut: stay, ondragstart: stay, ...more })
/// A field for a code.
export const codeField = () => h('input', { autocapitalize: 'off', spellcheck: 'false', required: true })
// As in a password field, unless the value is shown.
const stay = event => { if (event.target.closest('.masked')) event.preventDefault() }

/// An error below fields. It goes while the owner types.
export function errorOf(root) {
  const error = h('p.error', { role: 'alert' })
  root.addEventListener('input', () => { error.textContent = '' })
  return error
}

/// Lets a click on `send` check the fields of a box and `save`; `run` does other requests, one at a time. Their error is `error`.
export function sends(box, send, save) {
  const error = errorOf(box)
  const run = async act => {
    error.textContent = ''
    send.disabled = true
    try { await act() } catch (problem) { error.textContent = explain(problem) }
    send.disabled = false
  }
  send.onclick = () => { const missing = gap(box); if (missing) error.textContent = missing; else run(save) }
  return { error, run }
}

/// A form in a dialog with *Cancel* and one button, `yes` or the title; `other` is `[label, act]`. The dialog shows
/// what `save` throws, and stays open. *Undo* opens it again after Esc. What `isPublic` has returns after a lock.
export async function form(title, { inputs, yes = title, save, danger, other, kind = '', isPublic }) {
  const send = h(danger ? 'button.main.danger' : 'button.main', yes), box = fields('div', inputs)
  let close
  const closing = act => async () => { const mine = close; mine(await act() ?? true) }
  const { error, run } = sends(box, send, closing(save))
  box.append(error, h('div.buttons',
    other && [h('button.plain', { onclick: () => run(closing(other[1])) }, other[0]), h('span.space')], h('button', { onclick: () => close(null) }, t('cancel')), send))
  const open = () => [...box.querySelectorAll('input:not(.masked, [type=checkbox]), textarea')], all = () => [...box.querySelectorAll('input, textarea')]
  const text = () => open().map(each => each.value).join('\0'), first = text()
  for (;;) {
    const answer = await dialog(title, end => { close = end; return box }, kind)
    const isLocked = state.session?.state != 'unlocked', isTyped = text() != first
    for (const each of all()) if (answer !== undefined || each.matches('.masked') || isLocked && !isPublic) each.matches('[type=checkbox]') || (each.value = '')
    if (answer !== undefined) return answer ?? undefined
    if (kind || !isTyped || isLocked && !isPublic) return
    if (isLocked) await unlocked()
    else if (!await new Promise(done => toast(t('closed'), () => done(true), { gone: () => done(false) }))) return
  }
}
const unlocked = () => new Promise(done => {
  const ended = new AbortController()
  watch('state', () => { if (state.session.state == 'unlocked') { ended.abort(); setTimeout(done) } }, ended.signal)
})

/// The only button of a dialog.
export const closer = (close, label = t('close')) => h('div.buttons', h('button.main', { autofocus: true, onclick: () => close() }, label))

/// Asks for confirmation of an action that cannot be undone. Resolves to true after `yes`.
export const ask = (title, sentence, yes, more) => form(title, { inputs: [h('p', sentence), more], yes, danger: true, save: () => true })

/// Opens a menu: `[{ label, act, danger, icon, checked }]`, at the button of the event or where the pointer asked for it; at the bottom
/// of a small page.
export function menu(items, event) {
  const button = (event.currentTarget ?? event.target).getBoundingClientRect(), isPointed = event.type == 'contextmenu' && event.clientX > 0
  let box
  const done = dialog(t('more'), (close, element) => {
    box = element
    return items.filter(Boolean).map(({ label, act, danger, icon: name, checked }) =>
      h(danger ? 'button.item.danger' : 'button.item', { 'aria-pressed': checked == null ? null : String(checked), onclick: () => { close(); act() } },
        name && icon(name), h('span', label), checked && icon('check')))
  }, 'menu')
  const { offsetWidth: wide, offsetHeight: high } = box, left = isPointed ? event.clientX : button.left, below = isPointed ? event.clientY : button.bottom + 4
  box.style.setProperty('--left', `${Math.max(8, Math.min(left, innerWidth - wide - 8))}px`)
  box.style.setProperty('--top', `${Math.max(8, below + high <= innerHeight - 8 || isPointed ? Math.min(below, innerHeight - high - 8) : Math.max(button.top - high - 4, innerHeight - high - 8))}px`)
  return done
}

const toasts = h('div.toasts', { role: 'status' })
/// Shows a message for six seconds, with a button if there is `undo`. A newer message replaces it.
/// After `undo` the row with the key `row` has the focus. `gone` is called when the message goes. With a `label` it is another button.
export function toast(text, undo, { row, gone, label } = {}) {
  if (!toasts.isConnected) document.body.append(toasts)
  const button = undo && h(label ? 'button' : 'button.undo', { onclick: () => { leave = null; box.remove(); attempt(undo).then(() => row != null && focusRow(row)) } }, label ?? t('undo'))
  const box = h('div.toast', h('span', text), button)
  untoast()
  toasts.replaceChildren(box)
  leave = gone
  const end = () => { if (box.isConnected) untoast() }
  let timer = setTimeout(end, 6000)
  box.onpointerenter = () => clearTimeout(timer)
  box.addEventListener('focusin', box.onpointerenter)
  box.onpointerleave = () => { timer = setTimeout(end, 3000) }
}
let leave
/// Closes the message before its *Undo* would undo a newer command.
export function untoast() {
  const then = leave
  leave = null
  toasts.replaceChildren()
  then?.()
}
watch('undo', () => toasts.querySelector('.undo')?.click())
/// Runs an action and shows its error. Then the result is undefined.
export async function attempt(act) {
  try { return await act() } catch (problem) { tell('problem', problem) }
}
// The whole page shows that the vault is locked or the server has ended.
watch('problem', problem => { if (!['locked', 'keys_replaced', 'unauthorized', 'unreachable'].includes(problem.code)) toast(explain(problem)) })
watch('end', untoast)
watch('forget', untoast)

// Fields

let number = 0
/// A labelled field: `field('Name', h('input', { … }), hint)`.
export function field(label, control, hint) {
  const input = control.day ?? control
  input.id ||= `field-${++number}`
  const note = hint && h('span.hint', { id: `${input.id}-hint` }, hint)
  if (note) input.setAttribute('aria-describedby', note.id)
  return h('div.field', h('label', { for: input.id }, label), control, note)
}
/// The control of a day and, if it is typed, a time of that day. Its value is empty, `2026-11-27` or `2026-11-27T09:00`.
export function whenField(value, more) {
  const day = h('input', { type: 'date', ...more }), clock = h('input', { type: 'time', 'aria-label': t('clock') }), control = h('div.pair', day, clock)
  Object.defineProperty(control, 'value', {
    get: () => day.value && day.value + (clock.value && `T${clock.value}`),
    set: text => { [day.value, clock.value = ''] = text.split('T') },
  })
  control.value = value
  return Object.assign(control, { day })
}
/// A choice among values, `[value, label]` or both in one.
export function select(choices, value, more) {
  const made = h('select', { ...more }, choices.map(each => { const [value, label] = [each].flat(); return h('option', { value }, label ?? value) }))
  if (value != null) made.value = value
  return made
}
/// The tags typed into a field.
export const tagsOf = input => input.value.split(/[\s,]+/).map(each => each.replace(/^#/, '')).filter(Boolean)
/// A labelled switch. It switches back if `change(on)` throws, or gives false since the owner cancelled.
export function toggle(label, on, change, hint) {
  const box = h('input.switch', { type: 'checkbox', role: 'switch', onchange: async () => {
    try { if (await change?.(box.checked) === false) box.checked = !box.checked } catch (problem) { box.checked = !box.checked; tell('problem', problem) }
  } })
  box.checked = on
  const line = h('label.toggle', h('span.words', h('span', label), hint && h('small', hint)), box)
  return Object.assign(line, { box })
}
/// Whether each of the words is in one of the texts.
export const hits = (words, texts) => !words || words.split(/\s+/).every(word => texts.some(each => each?.toLocaleLowerCase().includes(word)))
/// A search field with the key `/`. `change(text)` is called for each input.
export function searchField(pane, change) {
  const input = h('input', { type: 'search', placeholder: t('search'), 'aria-label': t('search'), spellcheck: 'false',
    oninput: () => change(input.value.trim().toLocaleLowerCase()),
    onkeydown: event => { if (event.key == 'Escape' && input.value) { event.stopPropagation(); input.value = ''; change('') } else if (event.key == 'ArrowDown') pane.root.querySelector('.row .title')?.focus() } })
  const line = h('div.search', icon('search'), input)
  pane.key('/', () => { line.hidden = false; input.focus(); input.select() })
  return line
}
