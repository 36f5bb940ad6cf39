// Translations and parts that the screens other than Tasks share.
import { h, icon, texts as makeTranslations } from './core.js'
import { dialog, empty, menu, row, searchField } from './parts.js'
import { whenLong } from './dates.js'

const common = {
  checklists: ['Checklists', 'Переліки'], inbox: ['Inbox', 'Вхідні'], secrets: ['Secrets', 'Секрети'], picture: ['Picture', 'Зображення'],
  toSettings: ['Open the settings', 'Відкрити параметри'], nothing: ['Nothing matches.', 'Нічого не знайдено.'], noTrash: ['Nothing is removed.', 'Нічого не вилучено.'], remove: ['Remove', 'Вилучити'],
  openTask: ['Open the task', 'Відкрити завдання'], restore: ['Restore', 'Відновити'], replaced: ['Replaced {when}', 'Замінено {when}'], close: ['Close', 'Закрити'],
  protected: ['Protected', 'Захищений'], restored: ['Restored.', 'Відновлено.'], copy: ['Copy', 'Копіювати'], url: ['Address', 'Адреса'],
  account: ['Account', 'Обліковий запис'], service: ['Service', 'Сервіс'], protectHint: ['Each use needs a verification.', 'Кожне використання потребує підтвердження.'], change: ['Change', 'Змінити'],
  'file-sort': ['Sort alphabetically', 'За абеткою'], 'file-sizes': ['Show sizes', 'Показувати розміри'], 'earlier-values': ['Earlier values', 'Попередні значення'], sender: ['Make an address', 'Створити адресу'], sessions: ['Sessions and devices', 'Сеанси й пристрої'],
}
const t = makeTranslations(common)
/// The translation function of a screen, including the shared texts.
export const texts = table => makeTranslations({ ...common, ...table })

/// A button that opens a menu. `items()` is called when it opens.
export const more = items => h('button.quiet.square', { 'aria-label': t('more'), onclick: event => menu(items(), event) }, icon('more'))
/// A button that adds an item.
export const adder = act => h('button.main', { 'aria-label': t('add'), onclick: act }, icon('plus'), h('span', t('add')))
/// The head of a detail without a title: a back link and buttons.
export const bar = (back, label, ...actions) => h('header.head', h('div.heading', h('a.back', { href: `#${back}`, 'aria-label': label }, icon('back')), h('span.space'), actions))
/// Rows in a card, each with a button *Restore*: `{ key, title, details, restore }`.
const restorable = items => h('div.card', { role: 'list' }, items.map(({ restore, ...each }) => row({ ...each, action: h('button.plain', { onclick: restore }, t('restore')) })))
/// Shows removed items as rows in the pane, or a text if there are none.
export const trash = (pane, title, back, items) => pane.show(pane.head(title, { back }), items.length ? h('section.group', restorable(items)) : empty(t('noTrash')))
/// A dialog with previous versions: `{ revision, replaced, details }`; `restore(revision)` restores
/// one.
export const versions = (title, found, restore, none) => dialog(title, close => [
  found.length ? restorable(found.map(({ revision, replaced, details }) => ({ key: revision, title: t('replaced', { when: whenLong(replaced) }), details, restore: () => { close(); restore(revision) } }))) : h('p', none),
  h('div.buttons', h('button', { onclick: () => close() }, t('close')))])
/// A list with a search in `texts(item)`, shown from `least` items on and by `/`. `update(items)`
/// fills it; `none()` is the text of an empty list.
export function searched(pane, rows, texts, none, least = 8) {
  let all = [], typed = ''
  const body = h('div'), search = searchField(pane, text => { typed = text; arrange() })
  function arrange() {
    const found = all.filter(each => texts(each).some(part => part?.toLocaleLowerCase().includes(typed)))
    search.hidden = all.length < least && !typed && !search.contains(document.activeElement)
    body.replaceChildren(found.length ? rows.root : all.length ? empty(t('nothing')) : none())
    rows.update([{ id: 'all', items: found }])
  }
  search.hidden = least > 0
  return { search, body, update(items) { all = items; arrange() } }
}
/// A definition list of pairs. Pairs without a value are omitted.
export const facts = pairs => h('dl.facts', pairs.filter(([, value]) => value).map(([label, value]) => [h('dt', label), h('dd', value)]))
