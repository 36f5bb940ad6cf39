// Sessions and devices of the account (Settings).
import { go, h, tell } from './core.js'
import { when } from './dates.js'
import { ask, attempt, empty, row, toast } from './parts.js'
import { api, explain } from './server.js'
import { card, texts } from './shared.js'

const happened = {
  device_added: 'New device', refresh_token_reused: 'Copied token', name_guessed: 'Wrong passwords', second_factor_guessed: 'Wrong second factors: another person knows the password',
}
const t = texts({
  ...happened,
  others: 'Other devices', unnamed: 'Unnamed device',
  used: 'Last use: {when}', first: 'First use: {when}', end: 'End', endAll: 'End all sessions',
  events: 'Events', none: 'Nothing in the last 90 days.',
  why: 'The device asks for the password again.', ended: 'Ended.',
})

/// Shows the sessions, most recently used first, and what happened to the account.
export function showSessions(pane) {
  const end = (session, name, isHere) => attempt(async () => {
    if (!await ask(name, t('why'), t('end'))) return
    await api.post('account/end-session', { session })
    toast(t('ended'))
    if (isHere) go('settings')
    tell('account')
  })
  const draw = ({ id, device, used, created, network, current }) => {
    const name = device || t('unnamed'), act = () => end(id, name, current)
    return row({ key: id, title: name, details: [t('used', { when: when(used) }), t('first', { when: when(created) }), network], keys: { Delete: act }, swipe: [t('end'), act],
      action: h('button.plain.danger', { 'aria-label': `${t('end')}: ${name}`, onclick: act }, t('end')) })
  }
  const event = ({ time, action, network, device }) =>
    row({ key: time + action, title: Object.hasOwn(happened, action) ? t(action) : action.replaceAll('_', ' '), details: [when(time), device, network] })
  pane.live('account', async () => {
    const head = pane.head(t('sessions'), { back: 'settings' })
    let all, events
    // One after the other: each may need new tokens.
    try { all = await api.get('account/sessions'); events = await api.get('account/events') } catch (problem) { return pane.show(head, empty(explain(problem))) }
    all.sort((a, b) => b.used.localeCompare(a.used))
    const group = (label, items) => items.length > 0 && h('section.group', h('h2', t(label)), card(items.map(draw)))
    pane.show(head, group('here', all.filter(each => each.current)), group('others', all.filter(each => !each.current)),
      h('div.buttons', h('button.danger', { onclick: () => end('all', t('endAll'), true) }, t('endAll'))),
      h('section.group', h('h2', t('events')), events.length ? card(events.map(event)) : h('p.hint', t('none'))))
  })
}
