// Secrets: list, search, adding, trash. secret.js shows a single entry.
import { compare, go, h, screen, watch } from './core.js'
import { adder, more, searched, trash, texts } from './shared.js'
import { copy } from './clipboard.js'
import { when } from './dates.js'
import { attempt, empty, field, form, list, masked, row, toast, toggle } from './parts.js'
import { generator, showSecret } from './secret.js'
import { api } from './server.js'
import { verified } from './verify.js'

const t = texts({
  new: ['New secret', 'Новий секрет'], addFirst: ['Add a secret', 'Додати секрет'],
  none: ['No secrets yet.', 'Секретів ще немає.'],
  serviceHint: ['Such as a host name.', 'Наприклад, назва сайту.'],
  removed: ['Secret removed.', 'Секрет вилучено.'], trash: ['Removed secrets', 'Вилучені секрети'],
})

let all = null
// URLs contain numbers, never names.
const numbers = new Map()
const nameOf = entry => JSON.stringify([entry.service, entry.account])
/// The number of an entry in URLs.
export const numberOf = entry => numbers.get(nameOf(entry)) ?? numbers.set(nameOf(entry), String(numbers.size + 1)).get(nameOf(entry))
/// The entry with a number, without values; undefined if it does not exist.
export const entryOf = number => all?.find(each => numberOf(each) == number)
/// Loads the entries.
export const load = async () => { all = await api.get('secrets') }
const forget = () => { all = null; numbers.clear() }
watch('forget', forget)

/// Removes an entry; *Undo* restores it.
export const remove = ({ service, account }) => attempt(async () => {
  await api.post('secrets/remove', { service, account })
  toast(t('removed'), () => api.post('secrets/restore', { service, account }), { row: numberOf({ service, account }) })
  go('secrets')
})
const copyPassword = ({ service, account }) => attempt(() => copy('secrets/get', { service, account, field: 'password' }))

/// The initial letter of a row.
export const letter = entry => h('span.thumb.letter', { 'aria-hidden': 'true' }, [...(entry.label || entry.service)][0]?.toLocaleUpperCase())

function draw(entry) {
  const name = entry.label || entry.service, isProtected = entry.class == 'after-verification', hasPassword = entry.fields.some(each => each.field == 'password')
  return row({
    key: numberOf(entry), open: `secrets/${numberOf(entry)}`, lead: letter(entry), mark: isProtected && 'lock', title: name,
    details: [entry.account, entry.label && entry.service, ...entry.tags.map(each => h('span.tag', `#${each}`))].filter(Boolean),
    action: hasPassword && h('button.plain', { 'aria-label': `${t('copy')}: ${name}`, onclick: () => copyPassword(entry) }, t('copy')),
    menu: () => [hasPassword && { label: t('copy'), icon: 'copy', act: () => copyPassword(entry) }, { label: t('remove'), act: () => remove(entry), danger: true }],
    keys: { c: () => hasPassword && copyPassword(entry), Delete: () => remove(entry) }, swipe: [t('remove'), () => remove(entry)],
  })
}

async function add() {
  const input = more => h('input', { spellcheck: 'false', ...more })
  const service = input({ required: true, autofocus: true, autocapitalize: 'off' }), account = input({ required: true }), url = input({ type: 'url', inputmode: 'url' }), password = masked()
  const protect = toggle(t('protect'), false, null, t('protectHint'))
  let entry
  const done = await form(t('new'), {
    inputs: [field(t('service'), service, t('serviceHint')), field(t('account'), account), field(t('password'), password), generator(password), field(t('url'), url), protect], yes: t('add'),
    save: () => verified(async () => {
      entry = { service: service.value.trim(), account: account.value.trim(), class: protect.box.checked ? 'after-verification' : 'while-unlocked' }
      await api.post('secrets/set', { ...entry, field: 'password', value: password.value })
      if (url.value.trim()) await api.post('secrets/set', { ...entry, field: 'url', value: url.value.trim() })
      return true
    }),
  })
  if (!done) return
  await load()
  go(`secrets/${numberOf(entry)}`)
}

screen({
  id: 'secrets', icon: 'secrets', title: () => t('secrets'), tab: true,

  list(pane) {
    const start = () => attempt(add), rows = list(draw, { key: 'number', signal: pane.signal, label: t('secrets') })
    const { search, body, update } = searched(pane, rows, each => [each.service, each.account, each.label, ...each.urls, ...each.tags], () => empty(t('none'), t('addFirst'), start), 0)
    pane.key('n', start)
    pane.show(pane.head(t('secrets'), { actions: [more(() => [{ label: t('trash'), icon: 'trash', act: () => go('secrets/removed') }]), adder(start)] }), search, body)
    pane.live('vault', async () => {
      await load()
      update(all.map(each => ({ ...each, number: numberOf(each), name: each.label || each.service })).sort((a, b) => compare(a.name, b.name) || compare(a.account, b.account)))
    })
  },

  detail(pane, id) { id == 'removed' ? showRemoved(pane) : showSecret(pane, id) },
})

function showRemoved(pane) {
  const restore = ({ id, service, account, field }) => attempt(async () => { await api.post('secrets/restore', { service, account, field, id }); toast(t('restored')) })
  pane.live('vault', async () => {
    const found = await api.get('secrets/removed')
    trash(pane, t('trash'), 'secrets', found.map(each => ({ key: each.id, title: each.service.startsWith('taskvault.') && each.label || each.service, details: [each.account, each.field == 'password' ? t('password') : each.field, when(each.removed)].filter(Boolean),
      restore: () => restore(each) })))
  })
}
