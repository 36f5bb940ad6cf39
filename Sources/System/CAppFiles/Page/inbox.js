// Inbox (S5, S14, S15): messages from others, newest first. Each can become a task or be declined.
import { go, h, icon, place, renewFrame, screen, state, tell, watch } from './core.js'
import { bar, facts, more, searched, texts } from './shared.js'
import { when, whenLong, whenShort } from './dates.js'
import { ask, attempt, empty, list, row, toast } from './parts.js'
import { makeAddress } from './sender.js'
import { api } from './server.js'

const t = texts({
  below: ['Sealed for you. The server cannot read these messages.', 'Зашифровано для вас. Сервер не може прочитати ці повідомлення.'],
  new: ['New', 'Нове'], accepted: ['Accepted', 'Прийнято'], declined: ['Declined', 'Відхилено'],
  accept: ['Accept', 'Прийняти'], from: ['From: {who}', 'Від: {who}'], by: ['From', 'Від'], received: ['Received', 'Отримано'],
  isTask: ['Accepted. It is a task now.', 'Прийнято. Тепер це завдання.'], isDeclined: ['Declined.', 'Відхилено.'],
  erase: ['Erase', 'Стерти'], eraseAsk: ['Erase this message?', 'Стерти це повідомлення?'], eraseWhy: ['It cannot be brought back.', 'Його не можна буде повернути.'],
  clear: ['Erase decided messages', 'Стерти вирішені'], clearAsk: ['Erase all accepted and declined messages?', 'Стерти всі прийняті й відхилені повідомлення?'],
  load: ['Load the picture', 'Завантажити зображення'], sees: ['{host} sees that you load it.', '{host} побачить, що ви його завантажуєте.'],
  none: ['No messages yet. A sender needs an address.', 'Повідомлень ще немає. Відправнику потрібна адреса.'],
  off: ['The inbox is off. It needs an account on a server.', 'Вхідні вимкнено. Потрібен обліковий запис на сервері.'],
  ignored: ['Ignored, because the value is invalid: {what}', 'Пропущено, бо значення недійсне: {what}'],
})

/// The messages, newest first. A message opened from a notification is at the top.
export let messages = null
let pinned = null, always = false, asked = 0
const pictures = new Map(), loading = new Set()

/// Loads the messages. A new one at the top shows a banner on every screen.
async function load() {
  if (state.session?.state != 'unlocked') return
  const mine = ++asked, [found, settings] = await Promise.all([api.get('inbox'), api.get('settings')])
  if (mine != asked) return
  const fresh = messages && found[0]?.state == 'new' && !messages.some(each => each.id == found[0].id) ? found[0] : null
  messages = found
  always = settings.inbox_pictures == 'always'
  renewFrame()
  tell('inbox')
  if (fresh && place().detail != fresh.id) banner(fresh)
}
watch('vault', () => load().catch(() => {}))
// Reading extends the session, so this runs only while the owner uses the page.
let used = 0
for (const each of ['pointerdown', 'keydown']) addEventListener(each, () => { used = Date.now() }, { passive: true })
watch('minute', () => { if (Date.now() - used < 60000) load().catch(() => {}) })
watch('state', () => { if (!messages) load().catch(() => {}) })
watch('forget', forget)
function forget() {
  messages = pinned = null
  asked++
  for (const each of pictures.values()) URL.revokeObjectURL(each)
  pictures.clear()
  loading.clear()
  document.querySelector('.banner-place')?.remove()
}

/// A banner at the top: a tap opens the message; a swipe or Esc closes the banner.
function banner(message) {
  document.querySelector('.banner-place')?.remove()
  let start = null
  const leave = () => { box.remove(); clearTimeout(timer) }
  const element = h('button.banner', { 'aria-label': `${t('new')}: ${message.title}`, onclick: () => { leave(); pinned = message.id; go(`inbox/${message.id}`) },
    onkeydown: event => { if (event.key == 'Escape') leave() },
    onpointerdown: event => { start = event; element.setPointerCapture(event.pointerId) },
    onpointermove: event => {
      const far = start && Math.max(Math.abs(event.clientX - start.clientX), start.clientY - event.clientY)
      if (far > 24) { start = null; leave() }
    } }, icon('inbox'), h('span.words', h('strong', message.title), h('small', t('from', { who: message.sender }))))
  const box = h('div.banner-place', { role: 'alert' }, element)
  document.body.append(box)
  const timer = setTimeout(leave, 8000)
}

// The actions on messages.
const decide = (how, label) => ({ id }) => attempt(async () => { await api.post(`inbox/${how}`, { ids: [id] }); toast(t(label)) })
const accept = decide('accept', 'isTask'), decline = decide('decline', 'isDeclined')
const erase = message => attempt(async () => {
  if (!await ask(t('eraseAsk'), t('eraseWhy'), t('erase'))) return
  await api.post('inbox/remove', { ids: [message.id] })
  if (place().detail == message.id) go('inbox')
})
const choices = message => [
  message.state != 'accepted' && { label: t('accept'), act: () => accept(message) }, message.task && { label: t('openTask'), act: () => go(`tasks/${message.task}`) },
  message.state == 'new' && { label: t('delete'), act: () => decline(message), danger: true }, message.state != 'new' && { label: t('erase'), act: () => erase(message), danger: true },
]

/// Shows the picture of a message. Its server sees the request: it needs a click or the setting.
export function picture(message, box, kind, asks = true) {
  const draw = () => box.replaceChildren(h(`img.${kind}`, { src: pictures.get(message.id), alt: kind == 'thumb' ? '' : `${t('picture')}: ${message.title}` }))
  const get = async () => {
    pictures.set(message.id, URL.createObjectURL(await api.blob(`inbox/${message.id}/picture`)))
    draw()
    tell('inbox')
  }
  const empty = kind == 'thumb' ? h('span.thumb', icon('picture')) : h('div.placeholder', icon('picture'),
    asks && message.picture && h('p', t('sees', { host: new URL(message.picture).host })), asks && message.picture && h('button', { onclick: () => attempt(get) }, t('load')))
  box.replaceChildren(empty)
  if (pictures.has(message.id)) draw()
  else if (message.picture && always && !loading.has(message.id)) {
    loading.add(message.id)
    get().catch(() => {})
  }
  return box
}

const badge = message => h('span', { class: `badge ${message.state}` }, t(message.state))
function draw(message) {
  return row({
    key: message.id, open: `inbox/${message.id}`, lead: picture(message, h('div'), 'thumb'), state: 'message',
    title: [h('strong', message.title), ' ', badge(message)], action: h('span.end', whenShort(message.received)),
    details: [h('p.lines', message.body || t('from', { who: message.sender })),
      message.state == 'new' && h('div.actions', h('button.main', { onclick: () => accept(message) }, t('accept')), h('button', { onclick: () => decline(message) }, t('delete')))].filter(Boolean),
    menu: () => choices(message), keys: { a: () => accept(message), Delete: () => message.state == 'new' ? decline(message) : erase(message) },
    swipe: [message.state == 'new' ? t('delete') : t('erase'), () => message.state == 'new' ? decline(message) : erase(message)],
  })
}

/// The two tabs of Inbox on a small page.
export const parts = here => h('div.segments.only-small', ['inbox', 'picture'].map(id => h('a', { href: `#${id}`, 'aria-current': id == here ? 'page' : null }, t(id))))

/// The text of an empty inbox.
const first = ({ enabled }) => empty(t(enabled ? 'none' : 'off'), t(enabled ? 'sender' : 'toSettings'), () => enabled ? makeAddress() : go('settings'))

screen({
  id: 'inbox', icon: 'inbox', title: () => t('inbox'), tab: true, count: () => messages?.filter(each => each.state == 'new').length,

  list(pane) {
    const rows = list(draw, { signal: pane.signal, label: t('inbox'), height: 120 })
    const { search, body, update } = searched(pane, rows, each => [each.title, each.body, each.sender], () => first(status))
    if (state.show?.startsWith('inbox/')) { pinned = state.show.slice(6); state.show = null }
    pane.signal.addEventListener('abort', () => { pinned = null })
    let status = { enabled: true }, seen
    function arrange() {
      if (!messages || pane.signal.aborted) return
      const pictured = `${always} ${[...pictures.keys()]}`
      if (seen != pictured) rows.redraw()
      seen = pictured
      update([...messages].sort((a, b) => (b.id == pinned) - (a.id == pinned)))
    }
    pane.show(pane.head(t('inbox'), { below: t('below'), actions: [more(() => [{ label: t('sender'), icon: 'plus', act: makeAddress }, { label: t('clear'), icon: 'trash', danger: true, act: clear }])] }), parts('inbox'), search, body)
    const clear = () => attempt(async () => { if (await ask(t('clearAsk'), t('eraseWhy'), t('erase'))) await api.post('inbox/clear') })
    watch('inbox', arrange, pane.signal)
    arrange()
    pane.live([], async () => {
      await load()
      if (!messages?.length) { status = await api.get('inbox-status').catch(() => ({ enabled: false })); arrange() }
    })
  },

  detail(pane, id) {
    const show = () => {
      const message = messages?.find(each => each.id == id)
      if (!messages) return
      if (!message) return pane.show(pane.head(t('gone'), { back: 'inbox' }))
      pane.show(
        bar('inbox', t('inbox'), more(() => choices(message))),
        message.picture && picture(message, h('div.figure'), 'picture'),
        h('article.panel', h('div.headline', h('h1', message.title), badge(message)), message.body && h('p.notes', message.body),
          message.subtasks?.length > 0 && h('ul', { 'aria-label': t('steps') }, message.subtasks.map(each => h('li', each))),
          facts([[t('by'), message.sender], [t('received'), whenLong(message.received)], [t('due'), message.due && when(message.due)], [t('list'), message.list]]),
          message.left_out?.length > 0 && h('p.hint', t('ignored', { what: message.left_out.join(', ') })),
          h('div.buttons', message.state == 'accepted' ? message.task && h('a.button', { href: `#tasks/${message.task}` }, t('openTask')) : [
            message.state == 'new' && h('button.danger', { onclick: () => decline(message) }, t('delete')), h('button.main', { onclick: () => accept(message) }, t('accept'))])))
    }
    watch('inbox', show, pane.signal)
    show()
    if (!messages) attempt(load)
  },
})
