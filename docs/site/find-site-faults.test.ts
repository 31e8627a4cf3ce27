import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findSiteFaults } from './find-site-faults.ts'
import { listSiteFiles } from './site-folder.ts'

/** Creates a site with a page in a folder and a picture. */
function createSite(): string {
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'spec'))
  writeFileSync(join(folder, 'spec', 'index.html'), '')
  writeFileSync(join(folder, 'a.png'), '')
  return folder
}

test('the files of a site are listed without its folders', () => {
  expect([...listSiteFiles(createSite())].toSorted()).toEqual(['a.png', 'spec/index.html'])
})

// A server has no file for the path of a folder without a slash.
test.each([
  ['a page of a folder', 'spec/', []],
  ['a picture', '/docs/a.png', []],
  ['a section', 'spec/#rules', []],
  ['another host', 'https://example.org/spec', []],
  ['a folder without a slash', 'spec', ['index.html: the link spec leads nowhere']],
  ['a missing section', 'spec/#none', ['index.html: the link spec/#none leads nowhere']],
  ['a page outside of the base', '/spec/', ['index.html: the link /spec/ leads nowhere']],
])('the faults of a link to %s', (_target, href, faults) => {
  const pages = new Map([
    ['index.html', `<a href="${href}">a link</a>`],
    ['spec/index.html', '<h2 id="rules">Rules</h2>'],
  ])
  expect(findSiteFaults(pages, listSiteFiles(createSite()), '/docs/')).toEqual(faults)
})
