import { expect, test } from 'vitest'
import { scanDocument } from './scan-document.ts'
import { listFaultySentences } from './sentence-rules.ts'
import { listSources } from './sources.ts'

test('every sentence of a document has a named subject and at most 25 words', () => {
  const faults = listSources(/\.md$/).flatMap(({ path, text }) =>
    scanDocument(text).flatMap(({ line, text: piece }) =>
      listFaultySentences(piece).map(sentence => `${path}:${line}: ${sentence}`),
    ),
  )
  expect(faults).toEqual([])
})

test('code blocks and comments are no prose, and a code span, a link or a test name is one word', () => {
  const page = [
    '# A `title` here',
    'A [long',
    'link](a.md) and `code',
    'of two lines` here.',
    '- An **item**',
    '  of two lines',
    '```sh',
    'no prose',
    '```',
    '<!-- no',
    'prose -->',
    "| A cell | [x.ts](x.ts): 'a name' · 'another name' |",
  ]
  const pieces = scanDocument(page.join('\n'))
    .map(({ line, text }) => [line, text.trim().replaceAll(/\s+/g, ' ')])
    .filter(([, text]) => text !== '')
  expect(pieces).toEqual([
    [1, 'A X here'],
    [2, 'A X and X here.'],
    [2, 'long link'],
    [5, 'An item of two lines'],
    [12, 'A cell'],
    [12, 'X: X · X'],
    [12, 'x.ts'],
  ])
})

test('long sentences and pronoun subjects are found, also after a colon', () => {
  const repeatWord = (count: number): string => 'word '.repeat(count).trim()
  expect(listFaultySentences(`${repeatWord(25)}. ${repeatWord(26)}.`)).toEqual([
    `${repeatWord(26)}.`,
  ])
  expect(listFaultySentences('See below: what it has done.')).toHaveLength(1)
  expect(listFaultySentences('A program prints what it has done.')).toEqual([])
})
