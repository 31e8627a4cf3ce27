/** The documentation as a site: it builds, and its pages and search index are complete. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const site = join(root, '.cache/docs-site')

test('the site has a page for each page of docs/, the generated reference, and a search index', {
  timeout: 600_000,
}, () => {
  const bootstrap = join(root, 'cli/bootstrap.mjs')
  const built = spawnSync(process.execPath, [bootstrap, 'docs'], { cwd: root, encoding: 'utf8' })
  // The build fails at a link that leads nowhere.
  expect(built.status, `${built.stdout}${built.stderr}`).toBe(0)
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' })
  const pages = readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => name.replace(/\.md$/, '.html'))
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.filter(page => !files.includes(page))).toEqual([])
  for (const name of ['routes', 'settings', 'messages'])
    expect(files).toContain(`reference/${name}.html`)
  expect(readFileSync(join(site, 'architecture.html'), 'utf8')).toContain('</html>')
  const searchIndex = files.find(path => path.includes('localSearchIndex'))
  expect(searchIndex && readFileSync(join(site, searchIndex), 'utf8')).toContain('antichain')
})
