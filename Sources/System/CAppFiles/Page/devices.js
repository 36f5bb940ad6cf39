// Devices: sync with other machines, and joining.
import { h, screen, state, tell, ukrainian } from './core.js'
import { when, whenLong } from './dates.js'
import { ask, attempt, closer, codeField, dialog, field, fields, form, row, sends, toggle } from './parts.js'
import { api, explain } from './server.js'
import { newCode } from './settings.js'
import { signIn, t as say } from './start.js'
import { adder, card, facts, more, renamed, texts, told } from './shared.js'
import { posted, verified, verify } from './verify.js'

const t = texts({
  title: 'Devices', what: 'The same secrets and tasks on several machines, through the account or a folder that a program such as Syncthing copies.', empty: 'Empty: the account in the settings.',
  own: 'Name of this device', begin: 'Begin here', join: 'Join another device', recover: 'Join by recovery code', joinHow: 'Now “Add a device” on the other machine, or there:',
  approve: 'Add a device', approveHow: 'Now “Join another device” on the new machine, or there:',
  type: 'Type on the other machine:', theirs: 'Digits of the other machine', next: 'Continue',
  codeWhy: 'The one from before does not replace lost devices.',
  heard: 'Last heard: {when}', last: 'Last round', list: 'the list only', unlocked: 'without protected text',
  unsent: 'Not sent', unlock: 'Waits for unlocking', verifying: 'Waits for a verification', changes: { one: '{n} change', other: '{n} changes' }, seen: 'Remove the marks',
  now: 'Sync now', check: 'Compare histories', checkWhy: 'Sync both before. Equal words mean equal histories.',
  log: 'What was replaced', noLog: 'Nothing in the last 90 days.',
  removeWhy: 'It gets nothing new.', couldRead: 'It could read these. In other hands, change them:',
  end: 'End sync here', endWhy: 'What was not sent stays here only.', erase: 'The server removes all that it has, too',
})

const nameOf = each => each.name || each.id.slice(0, 8)
const run = (path, body) => attempt(() => posted(path, body)).then(done => { tell('sync'); return done })

/// Takes part in a joining. `kind` is `join` or `approve`.
async function exchange(kind, command, path, body) {
  if (await posted(path, body) === undefined) return
  const done = await dialog(t(kind), close => {
    const said = h('div', { role: 'status' }, h('p', t(kind + 'How')), h('code', 'taskvault ' + command)), wait = h('p', { role: 'status' }), input = codeField(), send = h('button.main', t('next')), box = fields('div', field(t('theirs'), input))
    let typed, last = null
    const { error } = sends(box, send, async () => {
      // The device is added after the digits: the verification must last.
      if (state.verifiedUntil < Date.now() + 30000 && !await verify()) return
      await api.post('sync/joining/digits', { code: input.value })
      box.hidden = typed = true
    })
    box.hidden = true
    box.append(error, h('div.buttons', send))
    const look = async () => {
      if (!box.isConnected) return
      try {
        const { running, shown, asks, waits } = await api.get('sync/joining')
        if (last != shown) said.replaceChildren(h('p', t('type')), h('p.recovery.code', { tabindex: '0' }, last = shown))
        wait.textContent = ukrainian?.texts[waits] ?? waits
        if (asks && box.hidden && !typed) { box.hidden = false; input.focus() }
        if (running) setTimeout(look, 400)
        else if (kind == 'join') close(true)
        else end.replaceWith(closer(() => close(true)))
      } catch (problem) { box.hidden = true; wait.remove(); said.replaceChildren(h('p.error', explain(problem))) }
    }
    const end = h('div.buttons', h('button', { onclick: () => close() }, t('cancel')))
    setTimeout(look)
    return [said, wait, box, end]
  })
  if (!done) await api.post('sync/joining/end')
  tell('sync')
}

/// The screen of a home that does not sync.
function drawOff() {
  const folder = h('input', { spellcheck: 'false' }), name = h('input'), begin = h('button.main', t('begin')), box = fields('div', field(t('folder'), folder, t('empty')), field(t('own'), name))
  const body = async () => {
    const path = folder.value.trim() || undefined
    if (!path) await api.get('account').catch(() => signIn(true))
    return { folder: path, name: name.value.trim() || undefined }
  }
  const recover = async () => {
    const known = await body(), code = codeField()
    await form(t('recover'), { inputs: [field(say('code'), code)], save: () => verified(() => api.secret('sync/recover', { ...known, recovery_code: code.value })) })
    tell('sync')
  }
  const { error, run: runs } = sends(box, begin, async () => {
    if (await posted('sync/enable', await body()) === undefined) return
    if (await form(t('code'), { inputs: [h('p', t('codeWhy'))], save: () => true })) await newCode()
    tell('sync')
  })
  box.append(error, h('div.buttons.start', begin, h('button', { onclick: () => runs(async () => exchange('join', 'device approve', 'sync/join', await body())) }, t('join')), h('button.quiet', { onclick: () => runs(recover) }, t('recover'))))
  return [h('p.below', t('what')), h('div.panel', box)]
}

const rename = each => renamed(each.name, name => run('devices/rename', { device: each.id, name: name.trim() }))
const remove = async each => {
  const done = await ask(`${t('remove')}: ${nameOf(each)}`, t('removeWhy'), t('remove')) && await run('devices/remove', { device: each.id })
  if (done) told(nameOf(each), done.could_read.map(({ service, account }) => [service, account]), t('couldRead'))
}
const draw = each => row({
  key: each.id, title: nameOf(each), details: [each.own ? t('here') : t('heard', { when: each.heard ? when(each.heard) : t('never') })], keys: each.own ? {} : { Delete: () => remove(each) },
  menu: () => [{ label: t('rename'), act: () => rename(each) }, !each.own && { label: t('remove'), act: () => remove(each), danger: true }],
})

const compare = async () => {
  const found = await run('sync/check')
  if (found) told(t('check'), [found.words, ...found.problems.map(explain)].map(each => [each]), t('checkWhy'))
}
const showLog = () => attempt(async () => {
  const found = await api.get('sync/log')
  told(t('log'), found.map(each => [each.value, each.name, each.field, each.device, whenLong(each.time)]), !found.length && t('noLog'))
})
// The last device may have the server remove the group.
const end = async ({ server, devices }) => {
  const erase = server && !devices[1] && toggle(t('erase'))
  if (await ask(t('end'), t('endWhy'), t('end'), erase)) run('sync/disable', { remove_group: erase && erase.box.checked })
}

screen({
  id: 'devices', icon: 'devices', title: () => t('title'),
  list(pane) {
    pane.live(['sync', 'vault'], async () => {
      let found
      try { found = await api.get('sync') } catch (problem) {
        // What is being typed stays.
        return pane.root.querySelector('.form') || pane.show(pane.head(t('title')), problem.code == 'sync_off' ? drawOff() : h('p.error', explain(problem)))
      }
      const { scope, folder, last_round: last } = found, count = n => n > 0 && t('changes', { n })
      const approve = () => attempt(() => exchange('approve', folder ? 'sync join --folder …' : 'sync join', 'devices/approve'))
      pane.key('n', approve)
      pane.show(
        pane.head(t('title'), { actions: [more(() => [{ label: t('now'), act: () => run('sync/now') }, { label: t('check'), icon: 'check', act: compare }, { label: t('log'), act: showLog },
          found.concurrent > 0 && { label: t('seen'), act: () => run('sync/seen') }, { label: t('end'), act: () => end(found), danger: true }]), adder(approve, t('approve'))] }),
        found.problems.map(each => h(each.fault ? 'p.error' : 'p.below', explain(each))),
        h('section.group', card(found.devices.map(draw))),
        h('div.panel', facts([[t('folder'), folder], [t('account'), found.server], [t('last'), last && when(last) + (scope == 'verified' ? '' : `, ${t(scope)}`)], [t('unsent'), count(found.unsent)],
          [t('unlock'), count(found.waiting_for_unlock)], [t('verifying'), count(found.waiting_for_verify)], [t('concurrent'), count(found.concurrent)]])))
    })
  },
})
