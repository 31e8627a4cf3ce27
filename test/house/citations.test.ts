import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder, listSources } from './sources.ts'

/** The path of a page in `docs`, and perhaps a section of it, as text and code cite them. */
const citation = /\b(docs\/[a-z0-9/-]+\.md)(#[a-z0-9_-]+)?/g
/** `[text](page.md#section)` in a page. */
const link = /\]\(([^)\s:]*?)(#[a-z0-9_-]+)?\)/g
/** Names of documents that are not in the repository. */
const foreignDocument = /(?<![\w/-])(?:engine|state|provider-protocol|lifecycle|design|style)\.md\b/

/** A test whose webhook rules name pages that do not exist. */
const testWithInventedPages = 'shared/triggers/webhooks/rules.test.ts'

const pages = listSources(/\.md$/)
const citingFiles = listSources(/\.(tsx?|mjs|md|sh)$/)

test('every cited page and section exists', () => {
  const cited = citingFiles.flatMap(({ path, text }) =>
    path === testWithInventedPages
      ? []
      : [...text.matchAll(citation)].map(([, page = '', section]) => ({ path, page, section })),
  )
  expect(cited.length).toBeGreaterThan(200)
  expect(cited.filter(isDead).map(formatCitation)).toEqual([])
})

test('every link of a page leads to an existing file and section', () => {
  const linked = pages.flatMap(({ path, text }) =>
    [...removeCode(text).matchAll(link)].map(([, target = '', section]) => ({
      path,
      page: target === '' ? path : normalize(join(dirname(path), target)),
      section,
    })),
  )
  expect(linked.length).toBeGreaterThan(200)
  expect(linked.filter(isDead).map(formatCitation)).toEqual([])
})

test('no file cites a document that is not in the repository', () => {
  const bad = citingFiles.flatMap(({ path, lines }) =>
    path === 'test/house/citations.test.ts' || path.startsWith('docs/spec/')
      ? []
      : lines.flatMap((line, index) =>
          foreignDocument.test(line) ? [`${path}:${index + 1}`] : [],
        ),
  )
  expect(bad).toEqual([])
})

test('every source in the code of Pulumi names a version', () => {
  const cited = citingFiles.flatMap(({ path, text }) =>
    [...joinCommentLines(text).matchAll(/\bSource: ([^\n]*)/g)]
      .map(([, source = '']) => ({ path, source: source.split('*/')[0] ?? '' }))
      .filter(({ source }) => /\bPulumi\b/.test(source) && !/docs\/|documentation/.test(source)),
  )
  expect(cited.length).toBeGreaterThan(20)
  expect(cited.filter(({ source }) => !/\b\d+\.\d+\.\d+\b/.test(source))).toEqual([])
})

test('the tour quotes lines of the current code', () => {
  const tour = readFileSync(join(projectFolder, 'docs/tour.md'), 'utf8')
  const quotes = [...tour.matchAll(/^ *```ts\n([\s\S]*?)```/gm)]
    .flatMap(([, quote = '']) => quote.split('\n'))
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('//'))
  const example = readFileSync(join(projectFolder, 'examples/quickstart/site.ts'), 'utf8')
  const codeLines = new Set(
    [...listSources(/\.ts$/).flatMap(({ lines }) => lines), ...example.split('\n')].map(line =>
      line.trim(),
    ),
  )
  expect(quotes.length).toBeGreaterThan(15)
  expect(quotes.filter(line => !codeLines.has(line))).toEqual([])
})

interface Citation {
  readonly path: string
  readonly page: string
  readonly section: string | undefined
}

function isDead({ page, section }: Citation): boolean {
  const file = join(projectFolder, page)
  if (!existsSync(file)) return true
  if (section === undefined || !page.endsWith('.md')) return false
  return !sectionsOf(readFileSync(file, 'utf8')).has(section.slice(1))
}

const formatCitation = ({ path, page, section }: Citation): string =>
  `${path}: ${page}${section ?? ''}`

/** Returns the anchors that GitHub creates for the headings of a page. */
function sectionsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of removeCode(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    let unique = anchor
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`
    anchors.add(unique)
  }
  return anchors
}

/** Returns a text in which each comment of several lines is one line. */
function joinCommentLines(text: string): string {
  return text.replaceAll(/\n *(?:\*(?!\/)|\/\/) ?/g, ' ')
}

function removeCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '')
}
