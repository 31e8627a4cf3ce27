import { expect, test } from 'vitest'
import { createNavigation } from './create-navigation.ts'
import { findSiteFaults } from './find-site-faults.ts'
import { listPages } from './list-pages.ts'
import { rewritePage } from './rewrite-page.ts'

const sitePaths = new Map([
  ['README.md', 'index.md'],
  ['docs/api.md', 'api.md'],
  ['docs/spec/README.md', 'spec/index.md'],
])
const context = { path: 'docs/aws.md', sitePaths }

test('links between pages lead to pages of the site, and others stay', () => {
  expect(
    rewritePage('[a](api.md#tokens) [b](../README.md) [c](spec/README.md) [d](#x)', context),
  ).toBe('[a](/api.md#tokens) [b](/index.md) [c](/spec/index.md) [d](#x)')
  expect(rewritePage('[p](https://www.pulumi.com) <br>', context)).toBe(
    '[p](https://www.pulumi.com) <br>',
  )
})

test('links to other files become code without an address of the repository', () => {
  const text = '[limits.ts](../shared/config/limits.ts), [`x.ts`](../x.ts) and [a rule](../r.json)'
  expect(rewritePage(text, context)).toBe('`shared/config/limits.ts`, `x.ts` and a rule (`r.json`)')
  const repositoryUrl = 'https://example.com/antichain/blob/main'
  expect(rewritePage('[a rule](../r.json)', { ...context, repositoryUrl })).toBe(
    `[a rule](${repositoryUrl}/r.json)`,
  )
})

test('tags and braces of prose are text, and code stays as it is', () => {
  expect(rewritePage('a <name> {{ x }}', context)).toBe('a &lt;name> &#123;&#123; x }}')
  const code = '`<name> [a](api.md)`\n\n```sh\n[a](api.md) <b>\n```\n'
  expect(rewritePage(code, context)).toBe(code)
})

test('dead links, dead sections and files of other hosts are faults of the site', () => {
  const html = (body: string): string => `<h1 id="top">x</h1>${body}`
  const pages = new Map([
    [
      'index.html',
      html('<a href="/a/spec/#top">x</a><a href="/a/no.html">x</a><a href="#no">x</a>'),
    ],
    ['spec/index.html', html('<a href="/b">x</a><img src="https://example.com/x.png">')],
  ])
  expect(findSiteFaults(pages, new Set(pages.keys()), '/a/')).toEqual([
    'index.html: the link /a/no.html leads nowhere',
    'index.html: the link #no leads nowhere',
    'spec/index.html: the link /b leads nowhere',
    'spec/index.html: https://example.com/x.png is a file of another host',
  ])
})

test('every page of the repository has a place in the navigation', () => {
  const { pages } = listPages(`${import.meta.dirname}/../..`)
  const titles = new Map([...pages.values()].map(page => [page, page]))
  const links = createNavigation(titles).sidebar.flatMap(({ items }) =>
    items.map(({ link }) => link),
  )
  expect(links).toHaveLength(pages.size)
  expect(() => createNavigation(new Map([['index.md', 'Antichain']]))).toThrow('tour')
})
