// Translations and parts that the screens other than Tasks share.
import { h, icon, texts as makeTranslations } from './core.js'
import { attempt, closer, dialog, empty, field, form, hits, menu, row, searchField, toast } from './parts.js'
import { api } from './server.js'
import { whenLong } from './dates.js'

const common = {
  import: 'Import', export: 'Export', concurrent: 'Concurrent', others: 'What another device wrote',
  checklists: 'Checklists', inbox: 'Inbox', secrets: 'Secrets', picture: 'Picture',
  toSettings: 'Open the settings', nothing: 'Nothing matches.', noTrash: 'The trash is empty.', remove: 'Remove', revoke: 'Revoke',
  openTask: 'Open the task', restore: 'Restore', replaced: 'Replaced {when}',
  protected: 'Protected', restored: 'Restored.', url: 'Address',
  account: 'Account', service: 'Service', protectHint: 'Each use needs a verification.', change: 'Change',
  'file-sort': 'Sort alphabetically', 'file-sizes': 'Show sizes', 'earlier-values': 'Earlier values', sender: 'Make an address', sessions: 'Sessions and devices',
  code: 'New recovery code', here: 'This device', folder: 'Folder', used: 'Used {when}',
}
const t = makeTranslations(common)
/// The translation function of a screen, including the shared texts.
export const texts = table => makeTranslations({ ...common, ...table })

/// A button that opens a menu. `items()` is called when it opens.
export const more = items => h('button.quiet.square', { 'aria-label': t('more'), onclick: event => menu(items(), event) }, icon('more'))
/// A button that adds an item.
export const adder = (act, label = t('add')) => h('button.main', { 'aria-label': label, onclick: act }, icon('plus'), h('span', label))
/// The head of a detail without a title: a back link and buttons.
export const bar = (back, label, ...actions) => h('header.head', h('div.heading', h('a.back', { href: `#${back}`, 'aria-label': label }, icon('back')), h('span.space'), actions))
/// Rows in a card, each with a button *Restore*: `{ key, title, details, restore }`.
const restorable = items => card(items.map(({ restore, ...each }) => row({ ...each, action: h('button.plain', { onclick: restore }, t('restore')) })))
/// Shows the removed items of `path` as rows in the pane, or a text if there are none. `rowOf(item)` has `body` for the request that restores.
export const trash = (pane, title, path, rowOf) => pane.live('vault', async () => {
  const items = (await api.get(path + '/removed')).map(each => {
    const { body, ...made } = rowOf(each)
    return { key: each.id, ...made, restore: () => attempt(async () => { await api.post(path + '/restore', { id: each.id, ...body }); toast(t('restored')) }) }
  })
  pane.show(pane.head(title, { back: path }), items.length ? h('section.group', restorable(items)) : empty(t('noTrash')))
})
/// A dialog with previous versions: `{ revision, replaced, details }`; `restore(revision)` restores
/// one.
export const versions = (title, found, restore, none, kind) => dialog(title, close => [
  found.length ? restorable(found.map(({ revision, replaced, details }) => ({ key: revision, title: t('replaced', { when: whenLong(replaced) }), details, restore: () => { close(); restore(revision) } }))) : h('p', none),
  closer(close)], kind)
/// A list with a search in `texts(item)`, shown from `least` items on and by `/`. `update(items)`
/// fills it; `none()` is the text of an empty list.
export function searched(pane, rows, texts, none, least = 8) {
  let all = [], typed = ''
  const body = h('div'), search = searchField(pane, text => { typed = text; arrange() })
  function arrange() {
    const found = all.filter(each => hits(typed, texts(each)))
    search.hidden = all.length < least && !typed && !search.contains(document.activeElement)
    const wanted = found.length ? rows.root : all.length ? empty(t('nothing')) : none()
    // To insert it again would lose the focus.
    if (body.firstChild != wanted) body.replaceChildren(wanted)
    rows.update([{ id: 'all', items: found }])
  }
  search.hidden = least > 0
  return { search, body, update(items) { all = items; arrange() } }
}
/// A definition list of pairs. Pairs without a value are omitted.
export const facts = pairs => h('dl.facts', pairs.filter(([, value]) => value).map(([label, value]) => [h('dt', label), h('dd', value)]))
/// Sends a file in pieces; `goes(bytes)` says whether it goes on. Gives the report of the command, null after an end.
export async function upload(path, body, file, goes = () => true) {
  const { upload } = await api.post(path, body), place = `uploads/${upload}`
  for (let offset = 0; offset < file.size; offset += 4 << 20) {
    const { received } = await api.put(`${place}?offset=${offset}`, file.slice(offset, offset + (4 << 20), 'application/octet-stream'))
    if (!goes(received)) return api.delete(place)
  }
  return api.post(`${place}/finish`)
}
/// A form for another name.
export const renamed = (value, save) => {
  const input = h('input', { value, required: true })
  return form(t('rename'), { inputs: [field(t('name'), input)], yes: t('save'), save: () => save(input.value) })
}
/// Rows as a list in a card.
export const card = (...rows) => h('div.card', { role: 'list' }, rows)
/// A dialog with a sentence and rows.
export const told = (title, items, said) => dialog(title, close => [said && h('p', said), items.length > 0 && card(items.map(([title, ...details], key) => row({ key, title, details }))), closer(close)], 'secret')
/// A link to another site.
export const link = (name, href, ...label) => h(name, { href, target: '_blank', rel: 'noopener noreferrer', dir: 'ltr' }, label)
