// Secrets: list, search, adding, trash. secret.js shows a single entry.
import { compare, go, h, screen, state, watch } from './core.js'
import { adder, bar, card, more, searched, trash, texts } from './shared.js'
import { copy, copyPlain } from './clipboard.js'
import { when } from './dates.js'
import { attempt, empty, field, form, list, masked, row, toast, toggle } from './parts.js'
import { exportSecrets, importFile } from './transfer.js'
import { generator, showSecret } from './secret.js'
import { api } from './server.js'
import { verified, verify } from './verify.js'

const t = texts({
  new: 'New secret', addFirst: 'Add a secret',
  none: 'No secrets yet.',
  serviceHint: 'Such as a host name.',
  copyAccount: 'Copy the account', copyCode: 'Copy the code', optional: 'May be empty.',
  audit: 'Audit', auditBelow: 'Passwords that are easy to guess, used twice, old, or sent unencrypted. Nothing leaves this machine.',
  reused: 'Also used by {what}', weak: 'Easy to guess', old: 'Not changed for long', expired: 'Expired', insecure: 'Sent unencrypted', sound: 'Nothing was found.',
  protectedToo: 'Examine protected ones, too',
  removed: 'Secret deleted.', trash: 'Deleted secrets',
})

let all = null
// URLs contain numbers, never names.
const numbers = new Map()
/// An entry as requests name it.
export const nameIn = ({ service, account }) => ({ service, account })
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
export const remove = entry => attempt(async () => {
  await api.post('secrets/remove', nameIn(entry))
  toast(t('removed'), () => api.post('secrets/restore', nameIn(entry)), { row: numberOf(entry) })
  go('secrets')
})
/// The account; none for an entry without one, which has the name that imports give it.
export const accountOf = entry => entry.account == 'password' ? '' : entry.account
/// Addresses, one a line, each with its scheme.
export const addressOf = text => text.split('\n').map(each => each.trim()).map(each => each && !/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(each) ? `https:${'//'}${each}` : each).join('\n')
const copyPassword = entry => attempt(() => copy('secrets/get', { ...nameIn(entry), field: 'password' }))

/// The initial letter of a row.
export const letter = entry => h('span.thumb.letter', { 'aria-hidden': 'true' }, [...(entry.label || entry.service)][0]?.toLocaleUpperCase())

const face = entry => ({ key: numberOf(entry), open: `secrets/${numberOf(entry)}`, lead: letter(entry), title: entry.label || entry.service })
function draw(entry) {
  const name = entry.label || entry.service, isProtected = entry.class == 'after-verification', hasPassword = entry.fields.some(each => each.field == 'password')
  return row({
    ...face(entry), mark: isProtected && 'lock',
    details: [entry.concurrent && h('span.badge.new', t('concurrent')), accountOf(entry), entry.label && entry.service, ...entry.tags.map(each => h('span.tag', `#${each}`))],
    action: hasPassword && h('button.plain', { 'aria-label': `${t('copy')}: ${name}`, onclick: () => copyPassword(entry) }, t('copy')),
    menu: () => [hasPassword && { label: t('copy'), icon: 'copy', act: () => copyPassword(entry) }, accountOf(entry) && { label: t('copyAccount'), act: () => attempt(() => copyPlain(entry.account)) },
      entry.fields.some(each => each.field == 'totp') && { label: t('copyCode'), act: () => attempt(() => copy('secrets/code', nameIn(entry))) }, { label: t('delete'), act: () => remove(entry), danger: true }],
    keys: { c: () => hasPassword && copyPassword(entry), Delete: () => remove(entry) }, swipe: [t('delete'), () => remove(entry)],
  })
}

async function add() {
  const input = more => h('input', { spellcheck: 'false', ...more })
  const service = input({ required: true, autofocus: true, autocapitalize: 'off' }), account = input(), url = input({ inputmode: 'url', autocapitalize: 'off' }), password = masked()
  const protect = toggle(t('protect'), false, null, t('protectHint'))
  let entry
  const done = await form(t('new'), {
    inputs: [field(t('service'), service, t('serviceHint')), field(t('account'), account, t('optional')), field(t('password'), password), generator(password), field(t('url'), url), protect], yes: t('add'),
    save: () => verified(async () => {
      entry = { service: service.value.trim(), account: account.value.trim() || 'password', class: protect.box.checked ? 'after-verification' : 'while-unlocked' }
      await api.post('secrets/set', { ...entry, field: 'password', value: password.value })
      if (url.value.trim()) await api.post('secrets/set', { ...entry, field: 'url', value: addressOf(url.value) })
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
    pane.show(pane.head(t('secrets'), { actions: [more(() => [{ label: t('audit'), icon: 'check', act: () => go('secrets/audit') }, { label: t('import'), icon: 'plus', act: () => importFile(false) }, { label: t('export'), icon: 'download', act: exportSecrets }, { label: t('trash'), icon: 'trash', act: () => go('secrets/removed') }]), adder(start)] }), search, body)
    pane.live('vault', async () => {
      await load()
      update(all.map(each => ({ ...each, number: numberOf(each), name: each.label || each.service })).sort((a, b) => compare(a.name, b.name) || compare(a.account, b.account)))
    })
  },

  detail(pane, id) { id == 'removed' ? showRemoved(pane) : id == 'audit' ? showAudit(pane) : showSecret(pane, id) },
})

function showAudit(pane) {
  const isVerified = () => state.verifiedUntil > Date.now()
  pane.live('vault', async () => {
    const [found] = await Promise.all([api.get('secrets/audit'), load()])
    const rows = found.map(each => ({ ...each, entry: all.find(entry => entry.service == each.service && entry.account == each.account) })).filter(each => each.entry)
    pane.show(bar('secrets', t('secrets')), h('h1', t('audit')), h('p.below', t('auditBelow')), !isVerified() && all.some(each => each.class == 'after-verification') && h('div.buttons.start', h('button.plain', { onclick: async () => { if (await verify()) showAudit(pane) } }, t('protectedToo'))),
      rows.length ? h('section.group', card(rows.map(({ entry, problem, detail }) => row({ ...face(entry),
        details: [accountOf(entry), h('span.late', t(problem, { what: detail.replace(/^also /, '') }))] })))) : empty(t('sound')))
  })
}

const showRemoved = pane => trash(pane, t('trash'), 'secrets', ({ service, account, field, label, removed }) => ({
  title: service.startsWith('taskvault.') && label || service, details: [account, field == 'password' ? t('password') : field, when(removed)], body: { service, account, field },
}))
