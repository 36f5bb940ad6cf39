// Statistics (S20): the number of the last 24 hours, and of 14 days.
import { h, screen, svg, texts } from './core.js'
import { dayLong, dayName } from './dates.js'
import { api } from './server.js'

const t = texts({
  back: 'Back to tasks',
  lately: { one: 'task completed in the past 24 hours', other: 'tasks completed in the past 24 hours' },
  days: 'Tasks completed on each of the last 14 days',
  sum: '{n} in 14 days',
  open: '{n} open',
  overdue: '{n} overdue',
})

const small = matchMedia('(width < 700px)')

screen({
  id: 'statistics', under: 'tasks', title: () => t('statistics'),
  list(pane) {
    pane.key('Escape', () => { location.hash = '#tasks' })
    small.addEventListener('change', pane.live('tasks', async () => {
      const { completed_past_24_hours: lately, days, open, overdue } = await api.get('statistics?days=14')
      pane.show(
        h('header.head', h('div.heading', h('h1', t('statistics')), h('span.space'), h('a.link.backlink', { href: '#tasks' }, t('back')))),
        h('div.panel.figures',
          h('p.number', String(lately)), h('p.below', t('lately', { n: lately })), bars(days),
          h('p.totals', h('span', t('sum', { n: days.reduce((sum, each) => sum + each.completed, 0) })), h('span', t('open', { n: open })),
            overdue > 0 && h('span.late', t('overdue', { n: overdue })))))
    }), { signal: pane.signal })
  },
})

/// One bar per day. The text alternative has all numbers, and the pointer shows one.
function bars(days) {
  const most = Math.max(1, ...days.map(each => each.completed)), narrow = small.matches, step = narrow ? 24 : 47.5, width = narrow ? 14 : 30.5, height = 136
  const descriptions = days.map(each => `${dayLong(each.date)}: ${each.completed}`)
  return svg('svg', { class: 'bars', viewBox: `0 0 ${step * days.length} 178`, role: 'img', 'aria-label': `${t('days')}. ${descriptions.join('; ')}.` },
    ...days.flatMap((each, index) => {
      const tall = each.completed ? Math.max(6, height * each.completed / most) : 2, x = index * step + (step - width) / 2
      const bar = svg('rect', { x, y: height - tall + 1, width, height: tall, rx: each.completed ? 5 : 1, class: index == days.length - 1 ? 'today' : '' }, svg('title', {}, descriptions[index]))
      return [bar, svg('text', { x: x + width / 2, y: 163 }, dayName(each.date, 'narrow'))]
    }))
}
