// Inbox (S5, S14, S15): messages from others, newest first. Each can become a task or be declined.
import { go, h, icon, place, renewFrame, screen, state, tell, watch } from './core.js'
import { bar, facts, more, searched, texts } from './shared.js'
import { when, whenLong, whenShort } from './dates.js'
import { drop } from './banner.js'
import { ask, attempt, empty, list, row, toast } from './parts.js'
import { makeAddress } from './sender.js'
import { api } from './server.js'

const t = texts({
  below: 'Sealed for you. The server cannot read these messages.',
  new: 'New', accepted: 'Accepted', declined: 'Declined',
  accept: 'Accept', from: 'From: {who}', by: 'From', received: 'Received',
  isTask: 'Accepted. It is a task now.', isDeclined: 'Declined.',
  erase: 'Erase', eraseAsk: 'Erase this message?', eraseWhy: 'It cannot be brought back.',
  clear: 'Erase decided messages', clearAsk: 'Erase all accepted and declined messages?',
  load: 'Load the picture', sees: '{host} sees that you load it.',
  none: 'No messages yet. A sender needs an address.',
  off: 'The inbox is off. It needs an account on a server.',
  ignored: 'Ignored, because the value is invalid: {what}',
})

/// The messages, newest first. A message opened from a notification is at the top.
export let messages = null
let pinned = null, always = false, asked = 0
const pictures = new Map(), loading = new Set()

/// Loads the messages, and `asks` the server, which is a use of the session. A new one at the top shows a banner.
async function load(asks) {
  if (state.session?.state != 'unlocked') return
  const mine = ++asked, [found, settings] = await Promise.all([api.get(asks ? 'inbox' : 'inbox?kept=1'), api.get('settings')])
  if (mine != asked) return
  const fresh = messages && found[0]?.state == 'new' && !messages.some(each => each.id == found[0].id) ? found[0] : null
  messages = found
  always = settings.inbox_pictures == 'always'
  renewFrame()
  tell('inbox')
  if (fresh && place().detail != fresh.id) banner(fresh)
}
watch('vault', () => load().catch(() => {}))
watch('state', () => { if (!messages) load(true).catch(() => {}) })
watch('forget', forget)
function forget() {
  messages = pinned = null
  asked++
  for (const each of pictures.values()) URL.revokeObjectURL(each)
  pictures.clear()
  loading.clear()
}

const banner = message => drop({ icon: 'inbox', title: message.title, below: t('from', { who: message.sender }), label: `${t('new')}: ${message.title}`, open: () => { pinned = message.id; go(`inbox/${message.id}`) } })

// The actions on messages.
const decide = (how, label) => ({ id }) => attempt(async () => { await api.post(`inbox/${how}`, { ids: [id] }); toast(t(label)) })
const accept = decide('accept', 'isTask'), decline = decide('decline', 'isDeclined')
const acceptor = message => h('button.main', { onclick: () => accept(message) }, t('accept'))
const decliner = (message, kind = '') => h('button' + kind, { onclick: () => decline(message) }, t('delete'))
const erase = message => attempt(async () => {
  if (!await ask(t('eraseAsk'), t('eraseWhy'), t('erase'))) return
  await api.post('inbox/remove', { ids: [message.id] })
  if (place().detail == message.id) go('inbox')
})
const choices = message => [
  message.state != 'accepted' && { label: t('accept'), act: () => accept(message) }, message.task && { label: t('openTask'), act: () => go(`tasks/${message.task}`) },
  message.state == 'new' ? { label: t('delete'), act: () => decline(message), danger: true } : { label: t('erase'), act: () => erase(message), danger: true },
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
    asks && message.picture && [h('p', t('sees', { host: new URL(message.picture).host })), h('button', { onclick: () => attempt(get) }, t('load'))])
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
  const isNew = message.state == 'new', away = () => (isNew ? decline : erase)(message)
  return row({
    key: message.id, open: `inbox/${message.id}`, lead: picture(message, h('div'), 'thumb'), state: 'message',
    title: [h('strong', message.title), ' ', badge(message)], action: h('span.end', whenShort(message.received)),
    details: [h('p.lines', message.body || t('from', { who: message.sender })),
      isNew && h('div.actions', acceptor(message), decliner(message))],
    menu: () => choices(message), keys: { a: () => accept(message), Delete: away },
    swipe: [t(isNew ? 'delete' : 'erase'), away],
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
      await load(true)
      if (!messages?.length) { status = await api.get('inbox-status').catch(() => ({ enabled: false })); arrange() }
    })
  },

  detail(pane, id) {
    const show = () => {
      const message = messages?.find(each => each.id == id)
      if (!messages) return
      if (!message) return pane.gone('inbox')
      pane.show(
        bar('inbox', t('inbox'), more(() => choices(message))),
        message.picture && picture(message, h('div.figure'), 'picture'),
        h('article.panel', h('div.headline', h('h1', message.title), badge(message)), message.body && h('p.notes', message.body),
          message.subtasks?.length > 0 && h('ul', { 'aria-label': t('steps') }, message.subtasks.map(each => h('li', each))),
          facts([[t('by'), message.sender], [t('received'), whenLong(message.received)], [t('due'), message.due && when(message.due)], [t('list'), message.list]]),
          message.left_out?.length > 0 && h('p.hint', t('ignored', { what: message.left_out.join(', ') })),
          h('div.buttons', message.state == 'accepted' ? message.task && h('a.button', { href: `#tasks/${message.task}` }, t('openTask')) : [
            message.state == 'new' && decliner(message, '.danger'), acceptor(message)])))
    }
    watch('inbox', show, pane.signal)
    show()
    if (!messages) attempt(load)
  },
})
