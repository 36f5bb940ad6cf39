// Checklists (S16, S17): the server's lists, and those saved in the vault.
import { compare, go, h, icon, screen, watch } from './core.js'
import { bar, card, link, searched, texts } from './shared.js'
import { attempt, closer, dialog, empty, list, row, toast } from './parts.js'
import { api, explain } from './server.js'

const t = texts({
  all: 'All', saved: 'Saved',
  items: { one: '{n} item', other: '{n} items' },
  isSaved: 'Saved. It is here without a network, too.', isRemoved: 'Removed from the saved ones.',
  start: 'Make tasks', started: 'The items are tasks now.',
  offTitle: 'Saving is off', off: 'Allow saving in the settings first.', ok: 'OK',
  none: 'The server has no checklists.', noneSaved: 'Nothing is saved yet.', showAll: 'Show all checklists',
  noServer: 'Checklists come from a server. Set one and sign in.',
  again: 'Try again', toSaved: 'Show the saved ones', inside: 'Items',
})

const put = (one, how) => api.post(`checklists/${one.id}/${how}`)
// The `vault` event reloads the lists.
const save = one => attempt(async () => {
  try { await put(one, 'save') } catch (problem) {
    if (problem.code != 'saving_off') throw problem
    return dialog(t('offTitle'), close => [h('p', t('off')), closer(close, t('ok'))])
  }
  toast(t('isSaved'), () => put(one, 'remove'))
})
const remove = one => attempt(async () => {
  await put(one, 'remove')
  toast(t('isRemoved'), () => put(one, 'save'))
})
const begin = one => attempt(async () => { await put(one, 'start'); toast(t('started')); go('tasks') })
const change = one => (one.saved ? remove : save)(one)

for (const id of ['checklists', 'saved']) screen({
  id, icon: id == 'checklists' && 'checklists', title: () => t('checklists'), get under() { return innerWidth < 700 ? 'tasks' : 'checklists' },

  list(pane) {
    const label = one => t(one.saved ? 'remove' : 'save'), draw = one => row({
      key: one.id, open: `${id}/${one.id}`, lead: h('span.thumb.letter', icon('checklists')), title: one.title, details: [one.summary, t('items', { n: one.items })],
      action: h('button.plain', { 'aria-label': `${label(one)}: ${one.title}`, onclick: () => change(one) }, label(one)),
      menu: () => [{ label: t('start'), act: () => begin(one) }, { label: label(one), act: () => change(one), danger: one.saved }],
      keys: { s: () => change(one), ...(one.saved && { Delete: () => remove(one) }) }, swipe: one.saved ? [t('remove'), () => remove(one)] : null,
    })
    const button = (label, act, kind = 'main') => h(`button.${kind}`, { onclick: act }, t(label))
    const nothing = () => id == 'saved' ? empty(t('noneSaved'), t('showAll'), () => go('checklists')) : empty(t('none'), button('again', () => load(), 'quiet'))
    const { search, body, update } = searched(pane, list(draw, { signal: pane.signal, label: t('checklists') }), each => [each.title, each.summary], nothing)
    pane.show(pane.head(t('checklists')),
      h('div.segments', [['checklists', 'all'], ['saved', 'saved']].map(([place, label]) => h('a', { href: `#${place}`, 'aria-current': place == id ? 'page' : null }, t(label)))), search, body)
    const load = pane.live('vault', async () => {
      try { update((await api.get(id == 'saved' ? 'checklists/saved' : 'checklists')).sort((a, b) => compare(a.title, b.title))) } catch (problem) {
        if (['no_server', 'not_signed_in'].includes(problem.code)) return body.replaceChildren(empty(t('noServer'), t('toSettings'), () => go('settings')))
        return body.replaceChildren(empty(explain(problem), h('div.actions', button('again', () => load()), button('toSaved', () => go('saved'), 'quiet'))))
      }
    })
    watch('account', () => load(), pane.signal)
  },

  detail(pane, one) {
    pane.live('vault', async () => {
      const found = await api.get(`checklists/${one}`)
      pane.show(
        bar(id, t('checklists'), h('button', { class: found.saved ? 'quiet' : 'main', onclick: () => change(found) }, t(found.saved ? 'remove' : 'save'))),
        h('div.panel', h('h1', found.title), found.summary && h('p', found.summary),
          found.picture && h('p', link('a.link', found.picture, t('picture')), ' ', h('small', new URL(found.picture).host)),
          h('div.buttons', h('button', { onclick: () => begin(found) }, t('start')))),
        h('section.group', h('h2', t('inside')), card(found.details.map((each, index) => row({ key: index, title: each.title, details: [each.details] })))))
    })
  },
})
