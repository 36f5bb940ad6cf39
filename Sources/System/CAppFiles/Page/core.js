// Elements, translations, events, and the frame with its screens, panes and keys.
import { paths } from './icons.js'

// Elements

/// Makes an element: `h('button.main', { onclick }, 'Add')`. Strings become text, never markup.
/// The browser fills no field. Each text has the direction of its content.
export function h(name, ...children) {
  const properties = children[0]?.constructor == Object ? children.shift() : {}
  const [tag, ...classes] = name.split('.')
  const element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  if (/^(input|textarea)$/.test(tag)) element.autocomplete = 'off'
  if (/^(input|textarea|h1|h2|p|span|strong|small|dd|li|pre|code)$/.test(tag)) element.dir = 'auto'
  for (const [key, value] of Object.entries(properties)) {
    if (value == null || value === false) continue
    if (typeof value == 'function') element.addEventListener(key.slice(2), value)
    else if (key == 'value') element.value = value
    else element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.flat(2).filter(child => child != null && child !== false))
  return element
}

/// Makes an SVG element.
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/// An icon of icons.js. Screen readers skip it.
export const icon = name =>
  svg('svg', { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: paths[name] }))

// Translations

/// `uk` or `en`: the vault's setting, or whichever comes first in the browser's languages.
export let language
/// In Ukrainian, the texts by their English ones, and what is said for the codes of errors.
export let ukrainian
/// The order of two names by the alphabet of the page's language.
export let compare
let plural
const own = (navigator.languages.find(each => /^(en|uk)\b/.test(each)) ?? 'en').slice(0, 2)

async function speak(wanted) {
  ukrainian = wanted == 'uk' ? await fetch('/uk.json', { cache: 'no-store', credentials: 'omit' }).then(each => each.json()) : null
  language = document.documentElement.lang = wanted
  plural = new Intl.PluralRules(language)
  compare = new Intl.Collator(language, { numeric: true }).compare
}
await speak(own)

/// Applies the vault's settings of the page; a locked vault shows none.
export async function adopt({ theme, language: wanted }) {
  if (!theme) return
  document.documentElement.style.colorScheme = theme == 'system' ? '' : theme
  if (wanted == 'browser') wanted = own
  if (wanted == language) return
  await speak(wanted)
  tell('language')
}

// Texts of several screens.
const common = {
  add: 'Add', back: 'Back', later: 'Later', undo: 'Undo', copy: 'Copy', today: 'Today', tomorrow: 'Tomorrow', weekdays: 'On weekdays',
  cancel: 'Cancel', more: 'More', password: 'Password', passkey: 'Use a passkey', short: 'At least 4 characters.', refused: 'The passkey did not answer. Try again or type the password.',
  save: 'Save', name: 'Name', notes: 'Notes', due: 'Due', remind: 'Remind me',
  list: 'List', tags: 'Tags', priority: 'Priority', low: 'Low', medium: 'Medium',
  high: 'High', protect: 'Protect', edit: 'Edit', done: 'Done: {what}', show: 'Show',
  hide: 'Hide', content: 'The content is protected.', delete: 'Delete',
  daily: 'Every day', weekly: 'Every week', monthly: 'Every month', yearly: 'Every year',
  keysTitle: 'Keys', close: 'Close', noDate: 'No date', tasks: 'Tasks', statistics: 'Statistics', tagsHint: 'Words with spaces between them.', steps: 'Steps', files: 'Files', unprotect: 'Remove protection', never: 'Never', search: 'Search', gone: 'It is no longer there.', none: 'None',
  week: 'Next week', wait: 'Not before', select: 'Select', postpone: 'Postpone', rings: 'Also while this page is closed.', silent: 'While this page is open. For other times: taskvault services', rename: 'Rename', quick: 'Add a task: tomorrow 9:00, #tag, !high',
}

/// Makes the translation function of a screen: `const t = texts({ sort: 'English' })`; the Ukrainian text is in `uk.json`, or beside the
/// English one if that has two: `[English, Ukrainian]`. It includes `common`. Plural forms, `{ one: '{n} task', other: '{n} tasks' }`, are there by `other`.
export function texts(table) {
  if (ukrainian) for (const each of Object.values({ ...table, ...common })) if (!Array.isArray(each) && !ukrainian.texts[each.other ?? each]) reportError(new Error(`not in uk.json: ${each}`))
  return (key, values = {}) => {
    const pair = table[key] ?? common[key], text = Array.isArray(pair) ? pair[ukrainian ? 1 : 0] : ukrainian?.texts[pair.other ?? pair] ?? pair
    const form = typeof text == 'string' ? text : text[plural.select(values.n)] ?? text.other
    return form.replace(/\{(\w+)\}/g, (_, name) => values[name])
  }
}

const t = texts({
  skip: 'Skip to the content', screens: 'Screens',
  unlocked: 'Unlocked', locksIn: 'locks in {n} min',
  lockNow: 'Lock the vault', detail: 'Details',
})

// Shared state

/// The server's state; `locks` and `verifiedUntil` are the ends of session and verification in ms.
export const state = {}

const watchers = new Map()
/// Calls `act` for each event of a topic until `signal` aborts.
export function watch(topic, act, signal) {
  if (!watchers.has(topic)) watchers.set(topic, new Set())
  const acts = watchers.get(topic).add(act)
  signal?.addEventListener('abort', () => acts.delete(act))
}
/// Notifies all watchers of a topic.
export function tell(topic, event) {
  // A failing watcher must not prevent another one from hiding its text.
  for (const act of watchers.get(topic) ?? []) try { act(event) } catch (problem) { reportError(problem) }
}

// Screens and panes

const screens = []
/// Registers a screen: `{ id, icon, title(), list(pane), detail(pane, id), tab, count(), side() }`.
/// `tab` adds it to the tab bar of small pages. A screen without `icon` has no link in the sidebar;
/// `under` names the highlighted screen instead.
export function screen(definition) { screens.push(definition) }

const open = { list: null, detail: null }
let shown = {}, scrolled = 0

/// Makes the pane of a screen. Its `signal` aborts when the pane closes.
function makePane(kind) {
  open[kind]?.end()
  const end = new AbortController()
  const root = h(`section.pane.${kind}`, { tabindex: '-1', 'aria-label': kind == 'detail' ? t('detail') : null })
  const keys = {}
  return open[kind] = {
    root, keys, signal: end.signal,
    /// Loads now, at each event of the topics, and on call of the result. Loads never overlap.
    live(topics, load) {
      let busy, again
      const run = async () => {
        if (busy) return again = true
        busy = true
        do { again = false; await load() } while (again && !end.signal.aborted)
        busy = false
      }
      const safely = () => run().catch(problem => { busy = false; if (!end.signal.aborted) tell('problem', problem) })
      for (const each of [topics].flat()) watch(each, safely, end.signal)
      safely()
      return safely
    },
    /// Registers a key of this pane, active while no field has the focus: `pane.key('n', add)`.
    key(name, act) { keys[name] = act },
    /// The head of a screen: title, vault state and `actions`; `below` is a second line.
    head(title, { actions = [], below, back } = {}) {
      return h('header.head',
        h('div.heading', back && h('a.back', { href: '#' + back, 'aria-label': t('back') }, icon('back')),
          h('h1', title), h('span.space'), kind == 'list' && pill(), ...actions),
        below && h('p.below', below))
    },
    gone(back) { this.show(this.head(t('gone'), { back })) },
    show(...children) { root.replaceChildren(...children.flat().filter(Boolean)) },
    end() { end.abort(); root.remove(); open[kind] = null },
  }
}

/// Opens `screen` or `screen/id`. The URL contains ids only, never texts.
/// `inPlace` replaces the entry in the history, such as that of a form which was sent.
export function go(path, inPlace) {
  if (location.hash == '#' + path) route()
  else if (inPlace) location.replace('#' + path)
  else location.hash = path
}

/// The open screen and id: `{ id, detail }`.
export const place = () => {
  let path = location.hash.slice(1)
  try { path = decodeURIComponent(path) } catch { path = '' }
  const [id, ...rest] = path.split('/')
  return { id, detail: rest.join('/') || null }
}

function route() {
  const main = document.querySelector('nav ~ main')
  if (!main) return
  const { id, detail } = place()
  const screen = screens.find(each => each.id == id) ?? screens[0]
  tell('hide')
  if (shown.screen != screen) {
    open.detail?.end()
    const pane = makePane('list')
    main.replaceChildren(pane.root)
    screen.list(pane)
    scrollTo(0, 0)
  }
  if (shown.screen != screen || shown.detail != detail) {
    if (!open.detail) scrolled = scrollY
    open.detail?.end()
    if (detail && screen.detail) {
      const pane = makePane('detail')
      main.append(pane.root)
      screen.detail(pane, detail)
      if (shown.screen) pane.root.focus({ preventScroll: true })
    }
  }
  main.classList.toggle('with-detail', Boolean(open.detail))
  // On a small page the detail covers the list. Both keep their position; the focus returns.
  if (matchMedia('(width < 1200px)').matches && shown.screen == screen && shown.detail != detail) scrollTo(0, detail ? 0 : scrolled)
  if (!detail && shown.screen == screen && shown.detail) { open.list.root.focus({ preventScroll: true }); tell('back', shown.detail.split('/')[0]) }
  shown = { screen, detail }
  document.title = `${screen.title()} · TaskVault`
  light()
}

// Highlights the row of the open detail.
const chosen = new CSSStyleSheet()
document.adoptedStyleSheets.push(chosen)

function light() {
  const { detail } = shown
  chosen.replaceSync(detail ? `.with-detail > .list .row[data-key="${CSS.escape(detail.split('/')[0])}"] { background: var(--soft) }` : '')
  const lit = shown.screen?.under ?? shown.screen?.id
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash == '#' + lit) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

/// The state of the vault. A click locks it.
function pill() {
  const text = h('span.more')
  const button = h('button.pill', { onclick: () => tell('lock'), title: t('lockNow') }, icon('lock'), h('span', t('unlocked')), text)
  const say = () => { text.textContent = state.locks ? '· ' + t('locksIn', { n: Math.max(1, Math.ceil((state.locks - Date.now()) / 60000)) }) : '' }
  watch('state', say, open.list?.signal)
  watch('minute', say, open.list?.signal)
  say()
  return button
}

/// Draws the frame; `leaveFrame` removes it.
export function enterFrame() {
  if (document.querySelector('main')) return
  const nav = h('nav', { 'aria-label': t('screens') })
  const main = h('main', { id: 'main', tabindex: '-1' })
  document.body.prepend(h('a.skip', { href: '#main', onclick: event => { event.preventDefault(); main.focus() } }, t('skip')), nav, main)
  shown = {}
  renewFrame()
  route()
}
export function leaveFrame() {
  open.detail?.end()
  open.list?.end()
  shown = {}
  document.title = 'TaskVault'
  for (const element of document.querySelectorAll('nav, main:not(.start), .skip')) element.remove()
}
let complete
/// Draws the links, after all screens are registered.
export function completeFrame() { complete = true; renewFrame(); route(); tell('state') }
/// Updates the counts of the screens, and the texts below them.
export function renewFrame() {
  const nav = document.querySelector('nav'), links = screens.filter(each => each.icon)
  if (!nav || !complete) return
  if (!nav.firstChild) nav.append(h('p.name', 'TaskVault'), ...links.map(each => h('a', { href: '#' + each.id, class: each.tab && 'tab' }, icon(each.icon), h('span.word', each.title()), h('span.count'))), h('div.side'))
  for (const each of links) {
    const count = each.count?.() || ''
    const place = nav.querySelector(`a[href="#${each.id}"] .count`)
    if (place.textContent != count) place.textContent = count
  }
  // Replacing an element during a click would lose the click.
  const old = nav.querySelector('.side'), side = h('div.side', screens.flatMap(each => each.side?.() ?? []))
  if (!old.isEqualNode(side)) old.replaceWith(side)
  light()
}
addEventListener('hashchange', route)

// Keys of the detail come first. While a field has the focus, only Esc is handled.
addEventListener('keydown', event => {
  if (event.key == 'Escape') tell('hide')
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
  const typing = event.target.matches?.('input:not([type=checkbox]), textarea, select')
  if (typing && event.key != 'Escape') return
  const act = open.detail?.keys[event.key] ?? open.list?.keys[event.key]
  if (act) { event.preventDefault(); act(event) }
  else if (event.key == 'Escape' && open.detail) go(shown.screen.id)
  else if (event.key == '?' && shown.screen) tell('keys', shown.screen.id)
  else if (event.key == 'u') tell('undo')
})
